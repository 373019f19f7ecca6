//===- MergeParts.h - Large states, merged in parts -----------*- C++ -*-===//
//
// A state with values for many positions (the vector that attention sums, of
// several heads) is merged by all warps of a row together: each takes the
// values of some positions, of the states of all warps and then of all blocks.
// Where the results can be computed from a part, that is the end of it; else
// they give each other what they have merged. So a block sends its state to
// others once, and no warp repeats the work of another.
//
// Private to the conversion.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_CONVERSION_CASCADETOCLUSTER_MERGEPARTS_H
#define CASCADE_CONVERSION_CASCADETOCLUSTER_MERGEPARTS_H

#include "StateParts.h"

namespace cascade {

/// The bits of the lane number in which lanes that have the same state differ,
/// after lanes have merged theirs.
unsigned sharedLanesOf(const ThreadState &states);

/// Whether `mergeParts` takes `states`, and gains by it.
bool isMergedInParts(const ThreadState &states, const RowThreads &threads);

class GridMerge;

/// A merged state that stays in parts.
struct MergedPart {
  std::unique_ptr<StateParts> parts; ///< null where it does not
  ThreadState::State state;          ///< of this thread's part
  /// Whether this warp has it, and no warp before; null where all have. The
  /// same in all lanes.
  mlir::Value isOwner;
  bool areOfBlocks = false; ///< whether the owners are in several blocks
};

/// The states of `threads` together, and over the grid if `grid` is not null.
/// Where `rest` is not null it may have the result instead; otherwise that is
/// only for the threads of block 0 if `forFirstBlock`, undefined in the others.
ThreadState::State mergeParts(mlir::OpBuilder &b, const KernelContext &context,
                              const ThreadState &states,
                              const RowThreads &threads,
                              ThreadState::State state, bool forFirstBlock,
                              ThreadState::Scope scope, GridMerge *grid,
                              MergedPart *rest);

} // namespace cascade

#endif // CASCADE_CONVERSION_CASCADETOCLUSTER_MERGEPARTS_H
