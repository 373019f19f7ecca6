//===- IndexInterval.h - The interval of a predicate, evaluated -*- C++ -*-===//
//
// Private to the conversion.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_CONVERSION_CASCADETOCLUSTER_INDEXINTERVAL_H
#define CASCADE_CONVERSION_CASCADETOCLUSTER_INDEXINTERVAL_H

#include "cascade/Analysis/IndexRange.h"

namespace cascade {

/// The indices from `lo` (null: 0) to `hi` (null: the extent), of i64 in
/// [0, extent]; those of no index may be in any order. If the IndexRange is
/// exact and `isExact` (null: it is), its predicate holds at all of them.
struct Interval {
  mlir::Value lo, hi, isExact;
};

/// Emits what `range` says of an axis of `extent` (i64) iterations, where
/// `valueOf` gives the values that it is computed from. Where a side of a
/// comparison wraps around at some index, that comparison is every index.
Interval emitInterval(mlir::OpBuilder &b, mlir::Location loc,
                      const IndexRange &range, mlir::Value extent,
                      llvm::function_ref<mlir::Value(mlir::Value)> valueOf);

} // namespace cascade

#endif // CASCADE_CONVERSION_CASCADETOCLUSTER_INDEXINTERVAL_H
