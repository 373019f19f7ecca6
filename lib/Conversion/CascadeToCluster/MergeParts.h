//===- MergeParts.h - Large states, merged in parts -----------*- C++ -*-===//
//
// A state with values for many positions (the vector that attention sums, of
// several heads) is merged by all warps of a row together: each takes the
// values of some positions, of the states of all warps and then of all blocks,
// and in the end they give each other what they have merged. So a block sends
// its state to others once, and no warp repeats the work of another.
//
// Private to the conversion.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_CONVERSION_CASCADETOCLUSTER_MERGEPARTS_H
#define CASCADE_CONVERSION_CASCADETOCLUSTER_MERGEPARTS_H

#include "ThreadState.h"

namespace cascade {

/// The threads whose states are merged: the same lanes of consecutive warps of
/// some blocks, after the lanes of a group have merged theirs.
struct RowThreads {
  int32_t lanes = 1;      ///< of a group, which hold the same state
  int32_t laneStride = 1; ///< between the numbers of two of them
  int32_t warps = 1;
  int64_t blocks = 1;
};

/// Whether `mergeParts` takes `states`, and gains by it.
bool isMergedInParts(const ThreadState &states, const RowThreads &threads);

class GridMerge;

/// The states of `threads` together, and over the grid if `grid` is not null;
/// only for the threads of block 0 if `forFirstBlock`, undefined in the others.
ThreadState::State mergeParts(mlir::OpBuilder &b, const KernelContext &context,
                              const ThreadState &states,
                              const RowThreads &threads,
                              ThreadState::State state, bool forFirstBlock,
                              ThreadState::Scope scope, GridMerge *grid);

} // namespace cascade

#endif // CASCADE_CONVERSION_CASCADETOCLUSTER_MERGEPARTS_H
