//===- MergeThreads.h - The collective of a pass --------------*- C++ -*-===//
//
// Private to the conversion.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_CONVERSION_CASCADETOCLUSTER_MERGETHREADS_H
#define CASCADE_CONVERSION_CASCADETOCLUSTER_MERGETHREADS_H

#include "GridMerge.h"

namespace cascade {

/// Values as threads exchange them, and back to what they were: an index
/// travels as i64.
llvm::SmallVector<mlir::Value>
toExchanged(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange values);
llvm::SmallVector<mlir::Value> fromExchanged(mlir::OpBuilder &b,
                                             mlir::Location loc,
                                             mlir::ValueRange values,
                                             mlir::TypeRange types);

/// The states, for all of them, of all the threads that share what the pass of
/// `states` reduces: over the lanes, warps and blocks of its axes, and of the
/// clusters of the grid if `grid` is not null (GridMerge::merge). Only the
/// first of the blocks needs them if `forFirstBlock`.
ThreadState::State mergeThreads(mlir::OpBuilder &b,
                                const KernelContext &context,
                                const ThreadState &states,
                                ThreadState::State state, bool forFirstBlock,
                                ThreadState::Scope scope,
                                GridMerge *grid = nullptr);

} // namespace cascade

#endif // CASCADE_CONVERSION_CASCADETOCLUSTER_MERGETHREADS_H
