//===- Expansion.h - What the parts of the expansion share ----*- C++ -*-===//

#ifndef CASCADE_LIB_TRANSFORMS_CLUSTER_EXPANSION_H
#define CASCADE_LIB_TRANSFORMS_CLUSTER_EXPANSION_H

#include "TuplePacking.h"
#include "cascade/Dialect/Cluster/IR/Cluster.h"

namespace cascade::cluster {

/// Merges two states of a collective, by its kinds or a copy of its region.
class Merger {
public:
  explicit Merger(AllReduceOp op);

  llvm::SmallVector<mlir::Value> operator()(mlir::OpBuilder &builder,
                                            mlir::Location loc,
                                            mlir::ValueRange lower,
                                            mlir::ValueRange higher) const;

  /// Whether merge(a, b) has the bits of merge(b, a) for every operand.
  bool commutes() const { return isCommutative; }

private:
  AllReduceOp op;
  bool isCommutative;
};

/// Values of a kernel that depend on the thread alone, at its entry.
struct KernelFrame {
  mlir::gpu::GPUFuncOp func;
  int64_t warps = 0;       // of a block
  int64_t clusterSize = 1; // blocks

  mlir::Value thread;    // i32, linear in the block
  mlir::Value lane;      // i32
  mlir::Value warp;      // i32
  mlir::Value isThread0; // i1
  mlir::Value rank;      // i32, only with a cluster collective

  /// All mbarriers of the kernel, or null.
  mlir::Value mbarriers;
};

/// The participants of one collective. The block's threads are divided into
/// `groups` groups of `warps` x `lanes` threads; a scope(cluster) collective
/// combines group g of every block.
struct Participants {
  int64_t lanes = 0;
  int64_t stride = 1; // between the lanes of a group
  int64_t warps = 1;
  int64_t laneGroups = 1; // lane groups of a warp
  int64_t groups = 1;     // of a block

  mlir::Value laneInGroup; // i32
  mlir::Value laneGroup;   // i32
  mlir::Value firstWarp;   // i32: first warp of the group
  mlir::Value group;       // i32
  mlir::Value isFirstWarp; // i1, or null where every warp is one
  mlir::Value isFirstLane; // i1, or null where every lane is one
};

/// How one collective uses the kernel's mbarriers.
struct MailboxPlan {
  int64_t firstMBarrier = 0;
  /// 2 where the collective may execute more than once: a message of round
  /// r + 1 may arrive before this block has finished round r.
  int64_t rounds = 1;
  /// i32, earlier executions; null where rounds is 1.
  mlir::Value count;
};

/// One all_reduce under expansion: insertion point before the operation.
struct Expansion {
  mlir::OpBuilder &builder;
  mlir::Location loc;
  AllReduceOp op;
  const KernelFrame &kernel;
  Participants who;
  Merger merge;
  TuplePacking packing;

  Expansion(mlir::OpBuilder &builder, AllReduceOp op,
            const KernelFrame &kernel);

  mlir::Value constant(int64_t value); // i32
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value scale(mlir::Value value, int64_t factor);
  mlir::Value both(mlir::Value lhs, mlir::Value rhs); // i1, null is true
  mlir::Value below(mlir::Value value, int64_t limit);
  mlir::Value toIndex(mlir::Value value);

  /// A buffer of `tuples` tuples in the shared memory of the block.
  mlir::Value allocate(int64_t tuples);

  /// Stores a tuple at place `tuple` (i32) of `buffer`.
  void store(mlir::Value buffer, mlir::Value tuple, mlir::ValueRange values);
  llvm::SmallVector<mlir::Value> load(mlir::Value buffer, mlir::Value tuple);

  /// Runs `body` under `condition`, or always where that is null.
  void guarded(mlir::Value condition, llvm::function_ref<void()> body);

  /// Combines over groups of `size` lanes (a power of two). Only the first
  /// `present` lanes of a group hold a tuple; `lane` is the lane's place.
  llvm::SmallVector<mlir::Value> combineLanes(mlir::ValueRange values,
                                              mlir::Value lane, int64_t size,
                                              int64_t present);
  /// The same by the lanewise region; every lane holds a tuple.
  llvm::SmallVector<mlir::Value> lanewise(mlir::ValueRange values,
                                          int64_t size);
  /// The same by rounds of merges.
  llvm::SmallVector<mlir::Value> butterfly(mlir::ValueRange values,
                                           mlir::Value lane, int64_t size,
                                           int64_t present);

  /// One round of a butterfly: combines with the lane at `stride`. Where
  /// `groupMask`, which clears the bits of a lane's place in its 2 * stride
  /// neighbours, is not null, their upper half may be absent.
  llvm::SmallVector<mlir::Value>
  butterflyRound(mlir::ValueRange state, mlir::Value lane, mlir::Value stride,
                 mlir::Value groupMask, int64_t present);
  /// The rounds of `butterfly` as a loop.
  llvm::SmallVector<mlir::Value> butterflyLoop(mlir::ValueRange values,
                                               mlir::Value lane, int64_t size,
                                               int64_t present);
  /// Whether code for one merge is so large that there should be few copies.
  bool isLarge() const;

  /// Combines the `count` tuples of `buffer` at first, first + stride, ... in
  /// this order, in every thread.
  llvm::SmallVector<mlir::Value> combine(mlir::Value buffer, mlir::Value first,
                                         int64_t stride, int64_t count);
};

/// One exchange between the blocks: the block's tuples to the cluster's.
llvm::SmallVector<mlir::Value> expandMailbox(Expansion &expansion,
                                             const MailboxPlan &plan,
                                             mlir::ValueRange values);
llvm::SmallVector<mlir::Value> expandTree(Expansion &expansion,
                                          mlir::ValueRange values);

/// Whether `op` may execute more than once in a kernel.
bool isInLoop(mlir::Operation *op);

/// Adds a count of the executions of `op`'s block to the control flow around
/// it: the number (i32) of times that this thread has executed it before. Null,
/// after an error, where the control flow is not of scf.
mlir::Value countExecutions(mlir::Operation *op);

} // namespace cascade::cluster

#endif // CASCADE_LIB_TRANSFORMS_CLUSTER_EXPANSION_H
