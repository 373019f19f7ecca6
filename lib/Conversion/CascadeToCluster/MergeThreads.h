//===- MergeThreads.h - The collective of a pass --------------*- C++ -*-===//
//
// Private to the conversion.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_CONVERSION_CASCADETOCLUSTER_MERGETHREADS_H
#define CASCADE_CONVERSION_CASCADETOCLUSTER_MERGETHREADS_H

#include "ThreadState.h"

namespace cascade {

/// The states, for all of them, of all the threads that share what the pass of
/// `states` reduces: over the lanes, warps and blocks of its axes. Only the
/// first of the blocks needs them if `forFirstBlock`.
ThreadState::State mergeThreads(mlir::OpBuilder &b,
                                const KernelContext &context,
                                const ThreadState &states,
                                ThreadState::State state, bool forFirstBlock,
                                ThreadState::Scope scope);

} // namespace cascade

#endif // CASCADE_CONVERSION_CASCADETOCLUSTER_MERGETHREADS_H
