//===- Passes.h - Transformations of cluster ops --------------*- C++ -*-===//

#ifndef CASCADE_TRANSFORMS_CLUSTER_PASSES_H
#define CASCADE_TRANSFORMS_CLUSTER_PASSES_H

#include "cascade/Dialect/Cluster/IR/Cluster.h"
#include "mlir/Pass/Pass.h"

namespace cascade::cluster {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "cascade/Transforms/Cluster/Passes.h.inc"

/// Expands every collective of `func`; `auto` takes the algorithm that is
/// predicted to be the fastest on the GPU that `func` is for, or on `target`
/// where it does not say. Fails, with an error at the operation, where one
/// cannot be expanded.
llvm::LogicalResult expandCollectives(mlir::gpu::GPUFuncOp func,
                                      TargetAttr target);

/// Orders the accesses of shared memory in `func`. Fails, with an error at the
/// access, where a barrier would be needed inside a divergent branch.
llvm::LogicalResult insertBarriers(mlir::gpu::GPUFuncOp func);

/// On an scf.if, scf.for or scf.while: its control is the same in all threads
/// of the block (of the cluster, where it holds a cluster collective).
inline constexpr llvm::StringLiteral kUniformAttrName = "cluster.uniform";

/// On operations between which no barrier is to be placed, with an attribute of
/// their own: their accesses do not conflict, or they order them themselves.
inline constexpr llvm::StringLiteral kExchangeAttrName = "cluster.exchange";

/// On an expanded kernel: i32 words of the workspace that one cluster uses.
inline constexpr llvm::StringLiteral kWorkspaceAttrName =
    "cluster.workspace_words";

} // namespace cascade::cluster

#endif // CASCADE_TRANSFORMS_CLUSTER_PASSES_H
