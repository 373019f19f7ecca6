//===- PassState.h - The state of a running pass --------------*- C++ -*-===//
//
// What a pass keeps while it runs is one accumulator a reduction result, or a
// sorted list of them for a topk. From the fused form follow, for any chain:
// the identity state, the references of a state, the correction of an
// accumulator, and the merge of two states. The lowerings to loops and to
// clusters derive their step, merge and finish from these functions.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_TRANSFORMS_PASSSTATE_H
#define CASCADE_TRANSFORMS_PASSSTATE_H

#include "cascade/Analysis/ReductionPasses.h"
#include "mlir/IR/IRMapping.h"

namespace cascade {

/// Emits operations on the states of one pass.
///
/// A state is a list of values: for each reduction of the pass, in order, one
/// for each result of each of its entries. A topk has as many entries as it
/// keeps, best first; any other reduction has one. `outer` maps what a
/// reference reads besides the pass's own results: block arguments and results
/// of earlier passes; values computed from them are cloned on demand.
class PassState {
public:
  PassState(const ReductionPass &pass) : pass(pass) {}

  const ReductionPass &getPass() const { return pass; }
  /// The number of accumulators of `reduce`.
  static unsigned getNumValues(ReduceOp reduce);
  /// The position of the first accumulator of `reduce` in a state.
  unsigned offsetOf(ReduceOp reduce) const;
  /// The values of `result` in a state, one for each entry of its reduction.
  llvm::SmallVector<mlir::Value> valuesOf(mlir::OpResult result,
                                          mlir::ValueRange state) const;
  llvm::SmallVector<mlir::Type> getTypes() const;

  /// The state of no iterations. `outer` maps the init values of a combiner.
  llvm::SmallVector<mlir::Value> identity(mlir::OpBuilder &b,
                                          mlir::Location loc,
                                          mlir::IRMapping &outer) const;
  /// The identity of one reduction.
  llvm::SmallVector<mlir::Value> identity(mlir::OpBuilder &b,
                                          mlir::Location loc, ReduceOp reduce,
                                          mlir::IRMapping &outer) const;

  /// `reduce`'s references in `state` with their guards applied. Only entries
  /// of `state` that precede `reduce` are read.
  llvm::SmallVector<mlir::Value> references(mlir::OpBuilder &b,
                                            mlir::Location loc, ReduceOp reduce,
                                            mlir::ValueRange state,
                                            const mlir::IRMapping &outer) const;

  /// The accumulators of `reduce` brought from `oldRefs` to `newRefs`;
  /// unchanged when it has no references.
  llvm::SmallVector<mlir::Value>
  correct(mlir::OpBuilder &b, mlir::Location loc, ReduceOp reduce,
          mlir::ValueRange accumulators, mlir::ValueRange oldRefs,
          mlir::ValueRange newRefs, const mlir::IRMapping &outer) const;
  /// Whether the correction of `reduce` between references that compare equal
  /// is provably the identity, to the bit.
  static bool keepsBetweenEqual(ReduceOp reduce);

  /// The accumulators of `reduce` for the union of two disjoint sets of
  /// iterations, both expressed against the same references.
  llvm::SmallVector<mlir::Value> combine(mlir::OpBuilder &b, mlir::Location loc,
                                         ReduceOp reduce, mlir::ValueRange lhs,
                                         mlir::ValueRange rhs,
                                         const mlir::IRMapping &outer) const;

  /// The accumulators of `reduce` after one more iteration, which gives it
  /// `values`.
  llvm::SmallVector<mlir::Value> insert(mlir::OpBuilder &b, mlir::Location loc,
                                        ReduceOp reduce,
                                        mlir::ValueRange accumulators,
                                        mlir::ValueRange values,
                                        const mlir::IRMapping &outer) const;

  /// The accumulators of `reduce` after several iterations: `elements` holds
  /// the values of each, and `domains` is empty or holds one predicate each,
  /// null where it is true.
  llvm::SmallVector<mlir::Value>
  insertAll(mlir::OpBuilder &b, mlir::Location loc, ReduceOp reduce,
            mlir::ValueRange accumulators,
            llvm::ArrayRef<llvm::SmallVector<mlir::Value>> elements,
            llvm::ArrayRef<mlir::Value> domains, mlir::IRMapping &outer) const;

  /// The state of the union of two disjoint segments.
  llvm::SmallVector<mlir::Value> merge(mlir::OpBuilder &b, mlir::Location loc,
                                       mlir::ValueRange lhs,
                                       mlir::ValueRange rhs,
                                       const mlir::IRMapping &outer) const;

private:
  const ReductionPass &pass;
};

/// Clones what computes `value` in terms of what `mapping` knows; every clone
/// is entered in `mapping`. Reductions and block arguments must be mapped
/// already.
mlir::Value cloneSlice(mlir::OpBuilder &b, mlir::Value value,
                       mlir::IRMapping &mapping);

} // namespace cascade

#endif // CASCADE_TRANSFORMS_PASSSTATE_H
