//===- MergeThreads.h - The collective of a pass --------------*- C++ -*-===//
//
// Private to the conversion.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_CONVERSION_CASCADETOCLUSTER_MERGETHREADS_H
#define CASCADE_CONVERSION_CASCADETOCLUSTER_MERGETHREADS_H

#include "GridMerge.h"

namespace cascade {

struct MergedPart;

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
/// first of the blocks needs them if `forFirstBlock`. Of the reductions
/// `ofLanes`, which no others of the pass are relative to before they have met,
/// lanes have met already, or each has states of its own. Where `rest` is not
/// null, it may have the result instead (mergeParts).
ThreadState::State
mergeThreads(mlir::OpBuilder &b, const KernelContext &context,
             const ThreadState &states, ThreadState::State state,
             bool forFirstBlock, ThreadState::Scope scope,
             llvm::ArrayRef<ReduceOp> ofLanes = {}, GridMerge *grid = nullptr,
             MergedPart *rest = nullptr);
/// `values` of an elementwise reduction, combined over the lanes of `axes`.
ThreadState::State combineLanes(mlir::OpBuilder &b,
                                const KernelContext &context,
                                const AxisSet &axes, ReduceOp reduce,
                                ThreadState::State values);

} // namespace cascade

#endif // CASCADE_CONVERSION_CASCADETOCLUSTER_MERGETHREADS_H
