//===- CascadeToLoops.h - From chains to sequential loops -----*- C++ -*-===//

#ifndef CASCADE_CONVERSION_CASCADETOLOOPS_CASCADETOLOOPS_H
#define CASCADE_CONVERSION_CASCADETOLOOPS_CASCADETOLOOPS_H

#include "cascade/Dialect/Cascade/IR/Cascade.h"
#include "mlir/IR/BuiltinOps.h"

namespace cascade {

/// Rewrites every function of `module` that holds chains: tensor arguments
/// become memrefs, results become trailing memref arguments, and each chain
/// becomes loops. A fused chain runs one loop nest a pass; with `segments` of N
/// its reduced iterations are cut into N contiguous segments, some of them
/// empty where there are fewer iterations, whose states are merged from left to
/// right. A chain that is not fused runs one nest a reduction.
///
/// Fails with a diagnostic on operations on tensors other than chains.
mlir::LogicalResult convertCascadeToLoops(mlir::ModuleOp module,
                                          int64_t segments);

} // namespace cascade

#endif // CASCADE_CONVERSION_CASCADETOLOOPS_CASCADETOLOOPS_H
