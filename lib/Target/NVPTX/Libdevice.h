//===- Libdevice.h - Functions of the CUDA toolkit's library --*- C++ -*-===//

#ifndef CASCADE_TARGET_NVPTX_LIBDEVICE_H
#define CASCADE_TARGET_NVPTX_LIBDEVICE_H

#include "mlir/IR/Location.h"
#include "llvm/Support/LogicalResult.h"

namespace llvm {
class Module;
} // namespace llvm

namespace cascade {

/// The folder of the CUDA toolkit: $CUDA_HOME, $CUDA_PATH, /usr/local/cuda, or
/// where Debian's package puts it. Empty where none exists.
std::string findCudaToolkit();

/// Links the `__nv_*` functions that `module` calls, if any.
llvm::LogicalResult linkLibdevice(mlir::Location loc, llvm::Module &module);

} // namespace cascade

#endif // CASCADE_TARGET_NVPTX_LIBDEVICE_H
