//===- InterleaveBlocks.h - Blocks take tiles in turn ---------*- C++ -*-===//
//
// Private to the schedule.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_LIB_TRANSFORMS_INTERLEAVEBLOCKS_H
#define CASCADE_LIB_TRANSFORMS_INTERLEAVEBLOCKS_H

#include "cascade/Transforms/ScheduleChains.h"

namespace cascade {

/// Where the predicates of `chain` leave intervals of `rowAxis`, lets the
/// blocks of a cluster take the tiles of the axis in turn (`loop x cluster`),
/// so that all of them have work in a short interval. In parts of the axis
/// (`cluster x loop`) the blocks of the others would wait for the first one.
void interleaveBlocks(ChainOp chain, unsigned rowAxis,
                      llvm::MutableArrayRef<RankedMapping> mappings);

} // namespace cascade

#endif // CASCADE_LIB_TRANSFORMS_INTERLEAVEBLOCKS_H
