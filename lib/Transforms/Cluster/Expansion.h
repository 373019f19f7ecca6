//===- Expansion.h - What the parts of the expansion share ----*- C++ -*-===//

#ifndef CASCADE_LIB_TRANSFORMS_CLUSTER_EXPANSION_H
#define CASCADE_LIB_TRANSFORMS_CLUSTER_EXPANSION_H

#include "Collective.h"
#include "cascade/Transforms/Cluster/TuplePacking.h"
#include "llvm/ADT/MapVector.h"

namespace cascade::cluster {

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

/// Small builders of i32 arithmetic and branches.
struct Emitter {
  mlir::OpBuilder &builder;
  mlir::Location loc;

  mlir::Value constant(int64_t value); // i32
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value add(mlir::Value lhs, int64_t rhs);
  mlir::Value scale(mlir::Value value, int64_t factor);
  mlir::Value divide(mlir::Value value, int64_t divisor);
  mlir::Value modulo(mlir::Value value, int64_t divisor);
  mlir::Value both(mlir::Value lhs, mlir::Value rhs); // i1, null is true
  mlir::Value below(mlir::Value value, int64_t limit);
  mlir::Value equals(mlir::Value value, mlir::Value other);
  mlir::Value equals(mlir::Value value, int64_t other);
  mlir::Value toIndex(mlir::Value value);

  /// Runs `body`, whose accesses of shared memory by different threads do not
  /// conflict: --cluster-insert-barriers takes them for one.
  void asOneAccess(llvm::function_ref<void()> body);
  /// Runs `body` under `condition`, or always where that is null.
  void guarded(mlir::Value condition, llvm::function_ref<void()> body);
  /// The values of `body` where `condition` holds, or is null, and zeros of
  /// `types` elsewhere.
  llvm::SmallVector<mlir::Value>
  onlyWhere(mlir::Value condition, mlir::TypeRange types,
            llvm::function_ref<llvm::SmallVector<mlir::Value>()> body);
};

/// Merges two states of a collective, by its kinds or a copy of its region. A
/// region for single elements merges vectors element by element.
class Merger {
public:
  Merger(const Collective &collective, mlir::TypeRange types);

  llvm::SmallVector<mlir::Value> operator()(mlir::OpBuilder &builder,
                                            mlir::Location loc,
                                            mlir::ValueRange lower,
                                            mlir::ValueRange higher) const;

  /// Whether merge(a, b) has the bits of merge(b, a) for every operand.
  bool commutes() const { return isCommutative; }

  /// Merges the `states` in rank order, neighbours first: log2 steps deep.
  llvm::SmallVector<mlir::Value>
  all(mlir::OpBuilder &builder, mlir::Location loc,
      llvm::SmallVector<llvm::SmallVector<mlir::Value>> states) const;

private:
  llvm::SmallVector<mlir::Value> cloneRegion(mlir::OpBuilder &builder,
                                             mlir::ValueRange lower,
                                             mlir::ValueRange higher) const;

  std::optional<mlir::ArrayAttr> kinds;
  mlir::Region *region;
  bool isCommutative;
};

//===----------------------------------------------------------------------===//
// Who and where
//===----------------------------------------------------------------------===//

/// Values of a kernel that depend on the thread alone, at its entry.
struct KernelFrame {
  mlir::gpu::GPUFuncOp func;
  int64_t threads = 0;     // of a block
  int64_t warps = 0;       // of a block
  int64_t clusterSize = 1; // blocks

  mlir::Value thread;    // i32, linear in the block
  mlir::Value lane;      // i32
  mlir::Value warp;      // i32
  mlir::Value isThread0; // i1
  mlir::Value rank;      // i32, only with a cluster collective
  mlir::Value cluster;   // index, linear in the grid, only with a workspace

  /// All mbarriers of the kernel, or null.
  mlir::Value mbarriers;
  /// Words of the workspace that a cluster uses.
  int64_t workspaceWords = 0;
  /// The kernel's own workspace, for the collectives without an operand: an
  /// address, or null where there are none.
  mlir::Value workspace;
};

/// Refuses a collective in a branch that some threads of its scope do not take.
llvm::LogicalResult checkConvergence(const Collective &collective);

/// Bytes of a word of a tuple.
inline constexpr int64_t kWordBytes = 4;

/// Builds the frame at the start of `func`.
KernelFrame buildFrame(mlir::OpBuilder &builder, mlir::gpu::GPUFuncOp func,
                       bool needsRank, bool needsCluster);

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
  mlir::Value warpInGroup; // i32
  mlir::Value firstWarp;   // i32: first warp of the group
  mlir::Value group;       // i32
  mlir::Value isFirstWarp; // i1, or null where every warp is one
  mlir::Value isFirstLane; // i1, or null where every lane is one
};

/// What one exchange between blocks uses of the kernel's means.
struct ExchangePlan {
  int64_t firstMBarrier = 0;
  int64_t mbarriers = 0; // of a set
  /// 2 where the collective may execute more than once: a message of round
  /// r + 1 may arrive before this block has finished round r. On slices, 1.
  int64_t sets = 1;
  /// i32, earlier executions; null where the collective executes once.
  mlir::Value count;
  /// First word of a cluster's workspace.
  int64_t workspaceOffset = 0;
};

using ExchangePlans = llvm::MapVector<mlir::Operation *, ExchangePlan>;

/// Completes the description, or says why it cannot be expanded.
llvm::LogicalResult prepare(Collective &collective, const TargetConstants &gpu);

/// Gives every exchange its mbarriers and, where it may execute again, a count
/// of its executions; collectives of one block share the count.
llvm::LogicalResult planExchanges(llvm::ArrayRef<Collective> collectives,
                                  ExchangePlans &plans);

/// Gives every exchange through the workspace its words of a cluster's part,
/// and returns how many those are.
llvm::FailureOr<int64_t> planWorkspace(llvm::ArrayRef<Collective> collectives,
                                       ExchangePlans &plans);

//===----------------------------------------------------------------------===//
// One collective
//===----------------------------------------------------------------------===//

/// One collective on tuples under expansion: insertion point before it.
struct Expansion : Emitter {
  const Collective &collective;
  const KernelFrame &kernel;
  Participants who;
  Merger merge;
  TuplePacking packing;

  Expansion(mlir::OpBuilder &builder, const Collective &collective,
            const KernelFrame &kernel);

  /// The same participants, with slices of the N-th length of the operands.
  Expansion ofSlices(int64_t count) const;
  /// Operands cut into `count` slices each.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>>
  slice(mlir::ValueRange values, int64_t count);
  /// The elements of the tuples in order, a vector for each operand.
  llvm::SmallVector<mlir::Value>
  concatenate(llvm::ArrayRef<llvm::SmallVector<mlir::Value>> tuples);

  /// A buffer of `tuples` tuples in the shared memory of the block.
  mlir::Value allocate(int64_t tuples);

  /// Stores a tuple at place `tuple` (i32) of `buffer`.
  void store(mlir::Value buffer, mlir::Value tuple, mlir::ValueRange values);
  /// Stores tuples from place `first` on.
  void storeAll(mlir::Value buffer, mlir::Value first,
                llvm::ArrayRef<llvm::SmallVector<mlir::Value>> tuples);
  llvm::SmallVector<mlir::Value> load(mlir::Value buffer, mlir::Value tuple);
  /// The tuples at first, first + stride, ...
  llvm::SmallVector<llvm::SmallVector<mlir::Value>>
  loadAll(mlir::Value buffer, mlir::Value first, int64_t stride, int64_t count);
  /// Bytes of a tuple in a buffer.
  int64_t getTupleBytes() const {
    return packing.getNumChunks() * packing.getChunkBytes();
  }

  /// The lane, in its warp, of lane `number` of this lane's group.
  mlir::Value laneOf(int64_t number);
  /// The rank that what this group's threads gather or reduce is for (i32), and
  /// whether it is this block.
  mlir::Value getRoot();
  mlir::Value isRoot();
  /// The same participants, counting only the groups of one root.
  Expansion ofRoot() const;

  /// Whether this thread speaks for its group.
  mlir::Value isLeader() { return both(who.isFirstWarp, who.isFirstLane); }

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

  /// `values` of another lane.
  llvm::SmallVector<mlir::Value> shuffle(mlir::ValueRange values,
                                         mlir::Value offset,
                                         mlir::gpu::ShuffleMode mode);
  llvm::SmallVector<mlir::Value> select(mlir::Value condition,
                                        mlir::ValueRange ifTrue,
                                        mlir::ValueRange ifFalse);

  /// Combines the `count` tuples of `buffer` at first, first + stride, ... in
  /// this order, in every thread.
  llvm::SmallVector<mlir::Value> combine(mlir::Value buffer, mlir::Value first,
                                         int64_t stride, int64_t count);
};

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

/// Within a group of lanes, whose ranks the lanes are.
llvm::SmallVector<mlir::Value> exchangeLanes(Expansion &e);
/// Between the warps of a group, whose ranks the warps are.
llvm::SmallVector<mlir::Value> exchangeWarps(Expansion &e);
/// Combines over the threads of a group.
llvm::SmallVector<mlir::Value> combineThreads(Expansion &e,
                                              mlir::ValueRange values);
/// The tuple of the group's first thread, in all of its threads.
llvm::SmallVector<mlir::Value> spread(Expansion &e, mlir::ValueRange values);

/// Between the blocks; `values` are those of the group's first thread.
llvm::SmallVector<mlir::Value>
expandMailbox(Expansion &e, const ExchangePlan &plan, mlir::ValueRange values);
llvm::SmallVector<mlir::Value> expandTree(Expansion &e,
                                          mlir::ValueRange values);
llvm::SmallVector<mlir::Value> expandTreeBroadcast(Expansion &e,
                                                   const ExchangePlan &plan,
                                                   mlir::ValueRange values);
llvm::SmallVector<mlir::Value>
expandRing(Expansion &e, const ExchangePlan &plan, mlir::ValueRange values);
llvm::SmallVector<mlir::Value>
expandScatter(Expansion &e, const ExchangePlan &plan, mlir::ValueRange values);
llvm::SmallVector<mlir::Value>
expandGlobal(Expansion &e, const ExchangePlan &plan, mlir::ValueRange values);

/// Executes a collective on slices, before it.
void expandSlices(mlir::OpBuilder &builder, const Collective &collective,
                  const KernelFrame &kernel, const ExchangePlan &plan);

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

/// Where one execution of an exchange finds its mbarriers and slots.
struct Round {
  mlir::Value set;    // i32, or null where there is one set
  mlir::Value parity; // i32, of the mbarriers' phase
};
Round getRound(Emitter &e, const ExchangePlan &plan);
/// Index of mbarrier `number` of the round's set.
mlir::Value getMBarrier(Emitter &e, const ExchangePlan &plan,
                        const Round &round, int64_t number = 0);
/// Place `place` of `count` a set.
mlir::Value placeInSet(Emitter &e, const Round &round, mlir::Value place,
                       int64_t count);

/// The slots of this thread's group, one a rank: at first, first + stride, ...
struct RankSlots {
  mlir::Value first; // i32
  int64_t stride = 1;

  mlir::Value of(Emitter &e, mlir::Value rank) const {
    return e.add(first, e.scale(rank, stride));
  }
};
/// Those of the round's set, in a buffer for all groups and `count` ranks.
RankSlots placeRanks(Expansion &e, const Round &round, int64_t count);

/// Before the messages of a round: what the threads of this block have read of
/// the round before stays theirs to read.
void orderRounds(Expansion &e, const ExchangePlan &plan);

/// Adds a count of the executions of `op`'s block to the control flow around
/// it: the number (i32) of times that this thread has executed it before. Null,
/// after an error, where the control flow is not of scf.
mlir::Value countExecutions(mlir::Operation *op);

} // namespace cascade::cluster

#endif // CASCADE_LIB_TRANSFORMS_CLUSTER_EXPANSION_H
