//===- CombinerCheck.h - The laws of a combiner region --------*- C++ -*-===//
//
// A reduction may combine its values in any order and grouping, so a combiner
// must be commutative and associative, and its init values its identity. None
// of this can be proved of an arbitrary region, but a counter-example refutes
// it.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_ANALYSIS_COMBINERCHECK_H
#define CASCADE_ANALYSIS_COMBINERCHECK_H

#include "cascade/Dialect/Cascade/IR/Cascade.h"

namespace cascade {

/// Evaluates the combiner of `reduce` at sampled states, those that its values
/// can reach, in real arithmetic up to rounding:
///   a . b = b . a,  (a . b) . c = a . (b . c),  init . a = a,
///   init . init = init.
/// Fails, with an error that names the law and a counter-example, where one is
/// broken. A remark says where nothing could be checked, and where a law holds
/// for non-negative values only. Does nothing without a combiner. The same
/// samples every time.
mlir::LogicalResult checkCombiner(ReduceOp reduce);

/// checkCombiner for every reduction of the body of `chain`.
mlir::LogicalResult checkCombiners(ChainOp chain);

} // namespace cascade

#endif // CASCADE_ANALYSIS_COMBINERCHECK_H
