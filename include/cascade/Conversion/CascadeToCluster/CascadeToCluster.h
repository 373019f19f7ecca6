//===- CascadeToCluster.h - Mapped chains to kernels ----------*- C++ -*-===//

#ifndef CASCADE_CONVERSION_CASCADETOCLUSTER_CASCADETOCLUSTER_H
#define CASCADE_CONVERSION_CASCADETOCLUSTER_CASCADETOCLUSTER_H

#include "cascade/Dialect/Cascade/IR/Cascade.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace cascade {

/// The one chain of a function that becomes a kernel: its operands are the
/// function's arguments and its results what the function returns, in order.
/// Fails with a diagnostic that names what stands in the way.
mlir::FailureOr<ChainOp> getKernelChain(mlir::func::FuncOp function);

/// The name of the gpu.module that holds the kernels of a module.
inline constexpr llvm::StringLiteral kernelModuleName = "cascade_kernels";

/// Attribute of a function: its kernel visits all tiles of a row, whatever the
/// domains of its reductions are.
inline constexpr llvm::StringLiteral wholeDomainAttrName =
    "cascade.whole_domain";

/// Replaces every function with a mapped chain by a `gpu.func` of its name in
/// the kernel module. Arguments: see KernelContext. `algorithm` is how blocks
/// exchange their states: auto, mailbox or tree; any other word is an error.
mlir::LogicalResult convertCascadeToCluster(mlir::ModuleOp module,
                                            llvm::StringRef algorithm);

} // namespace cascade

#endif // CASCADE_CONVERSION_CASCADETOCLUSTER_CASCADETOCLUSTER_H
