//===- GridSplit.h - Rows that the grid is split over ---------*- C++ -*-===//
//
// A mapping may give a row to several clusters of the grid,
//
//   l: grid(4) x cluster(2) x loop x ..., merge = [l: last]
//
// of which the last to arrive merges the states of all and goes on alone
// (docs/Rationale/Kernels.md). That is enough where no other block needs the
// merged states.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_ANALYSIS_GRIDSPLIT_H
#define CASCADE_ANALYSIS_GRIDSPLIT_H

#include "cascade/Analysis/MappingPlan.h"
#include "cascade/Analysis/ReductionPasses.h"

namespace cascade {

/// Whether elements of the row decide whether they are replayed, so that all
/// are: the kernel of `chain` evaluates its source.
bool replaysElements(ChainOp chain, unsigned rowAxis);

/// The passes that the kernel of `chain` makes, rows that it replays aside.
ReductionPasses getKernelPasses(ChainOp chain, unsigned rowAxis);

/// Why other blocks than the last to arrive need the merged states of a row, a
/// clause for a message; empty if they do not.
std::string whyAllBlocksGoOn(ChainOp chain, unsigned rowAxis);

/// The policy `merge = [axis: last]`.
PolicyAttr getMergeByLast(ChainOp chain, unsigned axis);

/// Checks the grid digit of the row axis in `plan` and the merge policies of
/// the mapping. Fails, with a diagnostic that names the remedy, on what no
/// kernel follows.
mlir::LogicalResult checkGridSplit(ChainOp chain, const MappingPlan &plan,
                                   unsigned rowAxis);

} // namespace cascade

#endif // CASCADE_ANALYSIS_GRIDSPLIT_H
