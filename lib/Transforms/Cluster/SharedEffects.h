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
  /// Of a peer's memory, or of this block's while a peer depends on it: only a
  /// cluster barrier orders it.
  bool isRemote;
  /// Of a bulk copy: goes on until its mbarrier has been waited for.
  mlir::Value mbarrier = {};
  /// Ordered with what this block does next, not with what its peers do.
  bool isInBlock = false;

  bool operator==(const SharedAccess &other) const {
    return op == other.op && buffer == other.buffer &&
           isWrite == other.isWrite && isRemote == other.isRemote &&
           mbarrier == other.mbarrier && isInBlock == other.isInBlock;
  }
};

/// The accesses of shared memory in one kernel.
class SharedEffects {
public:
  explicit SharedEffects(mlir::gpu::GPUFuncOp func);

  /// Appends the accesses of `op` itself, without its regions. Buffers that
  /// mbarriers order (destinations of asynchronous stores, and the mbarriers)
  /// are left out. A bulk copy reads its source and writes its destination, in
  /// a peer, until a wait.
  void collect(mlir::Operation *op,
               llvm::SmallVectorImpl<SharedAccess> &accesses) const;

  /// What names the mbarrier that `op` waits for.
  mlir::Value getMBarrier(MBarrierWaitOp op) const;

  /// Whether two different threads may touch the same address in the two
  /// accesses, one of them writing it, and nothing orders the second after the
  /// first.
  bool conflict(const SharedAccess &first, const SharedAccess &second) const;

private:
  bool isThreadNumber(mlir::Value index) const;

  mlir::gpu::GPUFuncOp func;
  llvm::DenseSet<mlir::Value> ordered; // by mbarriers
};

} // namespace cascade::cluster

#endif // CASCADE_LIB_TRANSFORMS_CLUSTER_SHAREDEFFECTS_H
