//===- Uniformity.h - What all threads of a block agree on ----*- C++ -*-===//

#ifndef CASCADE_LIB_TRANSFORMS_CLUSTER_UNIFORMITY_H
#define CASCADE_LIB_TRANSFORMS_CLUSTER_UNIFORMITY_H

#include "cascade/Dialect/Cluster/IR/Cluster.h"
#include "llvm/ADT/DenseSet.h"

namespace cascade::cluster {

/// Which values and branches of a kernel are the same in all threads of a block
/// (`Scope::Block`) or of a cluster (`Scope::Cluster`). Values start uniform;
/// thread, lane and, over a cluster, block numbers, shuffles, atomics and what
/// is read at a divergent address are not, nor is anything computed from them.
class Uniformity {
public:
  Uniformity(mlir::gpu::GPUFuncOp func, Scope scope);

  bool isUniform(mlir::Value value) const { return !divergent.contains(value); }

  /// Whether all threads that reach `op`, which has regions, take the same way
  /// through them. True where `cluster.uniform` says so.
  bool hasUniformControl(mlir::Operation *op) const;

private:
  bool visit(mlir::Operation *op);
  bool mark(mlir::ValueRange values);
  bool isSource(mlir::Operation *op) const;
  bool hasDivergentOperand(mlir::Operation *op) const;

  Scope scope;
  llvm::DenseSet<mlir::Value> divergent;
};

} // namespace cascade::cluster

#endif // CASCADE_LIB_TRANSFORMS_CLUSTER_UNIFORMITY_H
