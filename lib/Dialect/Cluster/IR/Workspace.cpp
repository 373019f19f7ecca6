//===- Workspace.cpp - Global memory of a kernel's own --------------------===//

#include "OpSupport.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cascade::cluster;

LogicalResult cascade::cluster::verifyWorkspaceBytes(Operation *op,
                                                     Attribute value) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  auto parts = dyn_cast<DenseI64ArrayAttr>(value);
  if (!function || !parts)
    return op->emitError() << "'" << kWorkspaceBytesAttrName
                           << "' must be an array of i64 on a function";
  ArrayRef<Type> types = function.getArgumentTypes();
  size_t count = parts.size();
  bool arePointers = count <= types.size() &&
                     llvm::all_of(types.take_back(count),
                                  llvm::IsaPred<LLVM::LLVMPointerType>);
  if (!arePointers)
    return op->emitError() << "'" << kWorkspaceBytesAttrName << "' has "
                           << count
                           << " parts: give the function as many !llvm.ptr<1> "
                              "as its last arguments";
  for (int64_t bytes : parts.asArrayRef())
    if (bytes <= 0 || bytes % kWorkspaceAlignment != 0)
      return op->emitError()
             << "'" << kWorkspaceBytesAttrName << "' has a part of " << bytes
             << " bytes; use a positive multiple of " << kWorkspaceAlignment;
  return success();
}

ArrayRef<int64_t> cascade::cluster::getWorkspaceBytes(Operation *kernel) {
  auto parts =
      kernel->getAttrOfType<DenseI64ArrayAttr>(kWorkspaceBytesAttrName);
  return parts ? parts.asArrayRef() : ArrayRef<int64_t>();
}

Value cascade::cluster::addWorkspace(gpu::GPUFuncOp kernel, int64_t bytes) {
  SmallVector<int64_t> parts(getWorkspaceBytes(kernel));
  parts.push_back(llvm::alignTo(bytes, kWorkspaceAlignment));
  kernel->setAttr(kWorkspaceBytesAttrName,
                  DenseI64ArrayAttr::get(kernel.getContext(), parts));
  unsigned number = kernel.getNumArguments();
  auto pointer =
      LLVM::LLVMPointerType::get(kernel.getContext(), kGlobalMemorySpace);
  // Of a gpu.func this cannot fail.
  (void)kernel.insertArgument(number, pointer,
                              DictionaryAttr::get(kernel.getContext()),
                              kernel.getLoc());
  return kernel.getArgument(number);
}
