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
/// first of the blocks needs them if `forFirstBlock`. Of the reductions
/// `ofLanes`, which no others of the pass are relative to before they have met,
/// lanes have met already, or each has states of its own.
ThreadState::State mergeThreads(mlir::OpBuilder &b,
                                const KernelContext &context,
                                const ThreadState &states,
                                ThreadState::State state, bool forFirstBlock,
                                ThreadState::Scope scope,
                                llvm::ArrayRef<ReduceOp> ofLanes = {});
/// `values` of an elementwise reduction, combined over the lanes of `axes`.
ThreadState::State combineLanes(mlir::OpBuilder &b,
                                const KernelContext &context,
                                const AxisSet &axes, ReduceOp reduce,
                                ThreadState::State values);

} // namespace cascade

#endif // CASCADE_CONVERSION_CASCADETOCLUSTER_MERGETHREADS_H
