//===- SharedEffects.h - Accesses of shared memory ------------*- C++ -*-===//

#ifndef CASCADE_LIB_TRANSFORMS_CLUSTER_SHAREDEFFECTS_H
#define CASCADE_LIB_TRANSFORMS_CLUSTER_SHAREDEFFECTS_H

#include "cascade/Dialect/Cluster/IR/Cluster.h"
#include "llvm/ADT/DenseSet.h"

namespace cascade::cluster {

/// One access of a buffer in shared memory.
struct SharedAccess {
  mlir::Operation *op;
  mlir::Value buffer; // behind views, the value that names the memory
  bool isWrite;
  bool isRemote; // of a peer's memory

  bool operator==(const SharedAccess &other) const {
    return op == other.op && buffer == other.buffer &&
           isWrite == other.isWrite && isRemote == other.isRemote;
  }
};

/// The accesses of shared memory in one kernel.
class SharedEffects {
public:
  explicit SharedEffects(mlir::gpu::GPUFuncOp func);

  /// Appends the accesses of `op` itself, without its regions. Buffers that
  /// mbarriers order (destinations of asynchronous stores, and the mbarriers)
  /// are left out.
  void collect(mlir::Operation *op,
               llvm::SmallVectorImpl<SharedAccess> &accesses) const;

  /// Whether two different threads may touch the same address in the two
  /// accesses, one of them writing it.
  bool conflict(const SharedAccess &first, const SharedAccess &second) const;

private:
  bool isThreadNumber(mlir::Value index) const;

  mlir::gpu::GPUFuncOp func;
  llvm::DenseSet<mlir::Value> ordered; // by mbarriers
};

} // namespace cascade::cluster

#endif // CASCADE_LIB_TRANSFORMS_CLUSTER_SHAREDEFFECTS_H
