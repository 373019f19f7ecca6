//===- ThreadState.h - The state of a pass in one thread ------*- C++ -*-===//
//
// The state of a pass (PassState), once for each position that the thread holds
// of the axes its reductions vary over: an attention row has one maximum, one
// sum, and a weighted sum for each column of the thread. Private to the
// conversion.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_CONVERSION_CASCADETOCLUSTER_THREADSTATE_H
#define CASCADE_CONVERSION_CASCADETOCLUSTER_THREADSTATE_H

#include "ThreadLayout.h"
#include "cascade/Transforms/PassState.h"

namespace cascade {

/// The references of a reduction at one time: by position on `axes`.
struct References {
  AxisSet axes;
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> values;
};

/// Emits operations on the states that a thread has of one pass.
///
/// The values of a state are, for each reduction of the pass in order, those of
/// each position on the axes of its states. `scope` gives what is known at a
/// position besides the pass's own results.
class ThreadState {
public:
  using State = llvm::SmallVector<mlir::Value>;
  using Scope = llvm::function_ref<mlir::IRMapping(llvm::ArrayRef<unsigned>)>;

  ThreadState(const ReductionPass &pass, const ThreadLayout &layout)
      : pass(pass), one(pass), layout(layout) {}

  const ReductionPass &getPass() const { return pass; }
  const ThreadLayout &getLayout() const { return layout; }
  /// The number of values of `reduce`, over all positions.
  unsigned getNumValues(ReduceOp reduce) const;
  llvm::SmallVector<mlir::Type> getTypes() const;
  /// The elements of `result`, a result of the pass.
  State elementsOf(mlir::OpBuilder &b, mlir::OpResult result,
                   mlir::ValueRange state) const;

  State identity(mlir::OpBuilder &b, mlir::Location loc, Scope scope) const;
  /// The references of `reduce` in `state`, of which only what precedes
  /// `reduce` is read.
  References references(mlir::OpBuilder &b, mlir::Location loc, ReduceOp reduce,
                        mlir::ValueRange state, Scope scope) const;
  AxisSet axesOfReferences(ReduceOp reduce) const;
  /// The elements of reference `index` of `reduce`.
  State elementsOf(ReduceOp reduce, unsigned index,
                   const References &references) const;
  State correct(mlir::OpBuilder &b, mlir::Location loc, ReduceOp reduce,
                mlir::ValueRange values, const References &oldRefs,
                const References &newRefs, Scope scope) const;
  /// The values of `reduce` after more iterations; of none before if `values`
  /// is empty. `iterations(position)` gives their values and predicates (see
  /// PassState::insertAll).
  struct Iterations {
    llvm::SmallVector<llvm::SmallVector<mlir::Value>> values;
    llvm::SmallVector<mlir::Value> domains;
  };
  State
  insert(mlir::OpBuilder &b, mlir::Location loc, ReduceOp reduce,
         mlir::ValueRange values,
         llvm::function_ref<Iterations(llvm::ArrayRef<unsigned>)> iterations,
         Scope scope) const;
  /// The state of the union of disjoint sets of iterations, which `all` are
  /// those of, in order: each is corrected once.
  State merge(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<State> all,
              Scope scope) const;
  /// The same of `count`, which `stateOf` gives one by one: so many at a time
  /// as registers hold.
  State mergeMany(mlir::OpBuilder &b, mlir::Location loc, unsigned count,
                  llvm::function_ref<State(unsigned)> stateOf,
                  Scope scope) const;

  /// The values of `reduce` over disjoint sets of iterations, which `all` are
  /// those of, in order, relative to the same references.
  State combine(mlir::OpBuilder &b, mlir::Location loc, ReduceOp reduce,
                llvm::ArrayRef<State> all, Scope scope) const;
  /// The same of `count`, as `mergeMany`.
  State combineMany(mlir::OpBuilder &b, mlir::Location loc, ReduceOp reduce,
                    unsigned count,
                    llvm::function_ref<State(unsigned)> valuesOf,
                    Scope scope) const;

private:
  /// The values at `position` of the reductions that `state` has, as PassState
  /// takes them.
  State stateAt(mlir::ValueRange state,
                llvm::ArrayRef<unsigned> position) const;

  const ReductionPass &pass;
  PassState one;
  const ThreadLayout &layout;
};

/// Whether all that uses the product `op` are sums, which it may be fused with.
bool isProductOfSum(mlir::Operation *op);

} // namespace cascade

#endif // CASCADE_CONVERSION_CASCADETOCLUSTER_THREADSTATE_H
