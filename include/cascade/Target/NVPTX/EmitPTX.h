//===- EmitPTX.h - From the nvvm phase to PTX and cubins ------*- C++ -*-===//

#ifndef CASCADE_TARGET_NVPTX_EMITPTX_H
#define CASCADE_TARGET_NVPTX_EMITPTX_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include <string>

namespace cascade {

struct PTXOptions {
  std::string chip = "sm_90";
  std::string features = "+ptx81";
};

/// LLVM IR of `kernels`, optimised for the chip, as text.
mlir::FailureOr<std::string> emitLLVMIR(mlir::gpu::GPUModuleOp kernels,
                                        const PTXOptions &options);

/// PTX of `kernels`, which hold only operations of the LLVM and NVVM dialects.
/// Functions of libdevice are linked in where the CUDA toolkit is found; a
/// kernel that needs one elsewhere is an error that names it, since PTX with an
/// unresolved symbol does not load.
mlir::FailureOr<std::string> emitPTX(mlir::gpu::GPUModuleOp kernels,
                                     const PTXOptions &options);

/// Assembles PTX with ptxas, found on PATH or in the CUDA toolkit. Fails with a
/// diagnostic at `loc` where there is none or where it rejects the PTX.
mlir::FailureOr<std::string> assembleCubin(mlir::Location loc,
                                           llvm::StringRef ptx,
                                           const PTXOptions &options);

} // namespace cascade

#endif // CASCADE_TARGET_NVPTX_EMITPTX_H
