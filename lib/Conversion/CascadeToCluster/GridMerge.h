//===- GridMerge.h - States of a row, merged over the grid ----*- C++ -*-===//
//
// A row that the grid is split over is the work of several clusters. Each
// leaves its state in its slot of a workspace and arrives at a counter of the
// rows; the last to come takes all of them, in the order of the grid and not of
// arrival, and goes on alone. Its first block does, which is where the others
// have left theirs.
//
// The slots of the clusters follow each other. In each come first some bytes
// for the counter, of which those of the first cluster of a row are used; then,
// for every value or values that a thread leaves, its chunks, and of each chunk
// those of one thread after those of another.
//
// Private to the conversion.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_CONVERSION_CASCADETOCLUSTER_GRIDMERGE_H
#define CASCADE_CONVERSION_CASCADETOCLUSTER_GRIDMERGE_H

#include "ThreadState.h"
#include "cascade/Transforms/Cluster/TuplePacking.h"

namespace cascade {

/// Which of the threads that leave something a thread is, of `count`.
struct ThreadColumn {
  Int number;
  int64_t count = 1;
  /// Whether the thread is the first of those with this number, which have the
  /// same; null where there is one.
  mlir::Value isFirst;

  /// The threads of a block, but those in lanes whose numbers differ in the
  /// bits `sharedLanes` are one, and so are those in one of `sharedWarps`
  /// consecutive warps.
  static ThreadColumn create(mlir::OpBuilder &b, const KernelContext &context,
                             unsigned sharedLanes, int64_t sharedWarps);
};

/// One merge over the grid, of the only pass over the row.
class GridMerge {
public:
  using State = llvm::SmallVector<mlir::Value>;

  explicit GridMerge(const KernelContext &context) : context(context) {}

  /// The clusters that share a row.
  int64_t getNumClusters() const { return context.row().sizeAt(Level::Grid); }

  /// Leaves `values` of every thread of the first block; returns the number to
  /// take them by.
  unsigned leave(mlir::ValueRange values, const ThreadColumn &column);
  /// Stores what is left and arrives. Only the first block of the last cluster
  /// comes to where `b` inserts afterwards.
  void arrive(mlir::OpBuilder &b);
  /// What the thread in the place of this one in cluster `number` of the row
  /// has left as `part`.
  State take(mlir::OpBuilder &b, unsigned part, Int number) const;

  /// The three for `state`: that of all clusters together.
  State merge(mlir::OpBuilder &b, const ThreadState &states, const State &state,
              const ThreadColumn &column, ThreadState::Scope scope);

private:
  struct Part {
    State values;
    cluster::TuplePacking packing;
    ThreadColumn column;
    int64_t offset; ///< in a slot
  };
  mlir::Value addressOf(mlir::OpBuilder &b, const Part &part, int64_t chunk,
                        Int cluster) const;

  const KernelContext &context;
  llvm::SmallVector<Part, 2> parts;
  int64_t slotBytes = counterBytes;
  static constexpr int64_t counterBytes = 16;
  mlir::Value workspace;
};

} // namespace cascade

#endif // CASCADE_CONVERSION_CASCADETOCLUSTER_GRIDMERGE_H
