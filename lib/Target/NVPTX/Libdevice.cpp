//===- Libdevice.cpp - Functions of the CUDA toolkit's library ------------===//

#include "Libdevice.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace mlir;
using namespace cascade;

std::string cascade::findCudaToolkit() {
  SmallVector<std::string> places;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *value = std::getenv(variable))
      places.push_back(value);
  places.append({"/usr/local/cuda", "/usr/lib/cuda"});
  for (const std::string &place : places)
    if (llvm::sys::fs::exists(place + "/nvvm/libdevice/libdevice.10.bc"))
      return place;
  return "";
}

LogicalResult cascade::linkLibdevice(Location loc, llvm::Module &module) {
  std::string first;
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && function.getName().starts_with("__nv_"))
      first = function.getName().str();
  if (first.empty())
    return success();
  std::string toolkit = findCudaToolkit();
  if (toolkit.empty())
    return emitError(loc) << "the kernel calls '" << first
                          << "' of libdevice, which comes with the CUDA "
                             "toolkit; install it or set CUDA_HOME";
  llvm::SMDiagnostic diagnostic;
  std::string path = toolkit + "/nvvm/libdevice/libdevice.10.bc";
  std::unique_ptr<llvm::Module> library =
      llvm::parseIRFile(path, diagnostic, module.getContext());
  if (!library)
    return emitError(loc) << "cannot read " << path << ": "
                          << diagnostic.getMessage();
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());
  auto internalise = [](llvm::Module &linked, const llvm::StringSet<> &names) {
    llvm::internalizeModule(linked, [&](const llvm::GlobalValue &value) {
      return !value.hasName() || !names.contains(value.getName());
    });
  };
  if (llvm::Linker::linkModules(module, std::move(library),
                                llvm::Linker::LinkOnlyNeeded, internalise))
    return emitError(loc) << "cannot link " << path;
  return success();
}
