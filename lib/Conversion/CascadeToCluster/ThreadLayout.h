//===- ThreadLayout.h - Which positions a thread holds --------*- C++ -*-===//
//
// A value of a chain varies over some axes. Of each of them a thread holds the
// positions of the axis's reg and vector digits, at its place on the others, so
// that it has one SSA value for each position on the axes of which it holds
// several: the elements of the value, the last axis the fastest. Private to the
// conversion.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_CONVERSION_CASCADETOCLUSTER_THREADLAYOUT_H
#define CASCADE_CONVERSION_CASCADETOCLUSTER_THREADLAYOUT_H

#include "KernelContext.h"
#include "cascade/Dialect/Cascade/IR/Axes.h"

namespace cascade {

/// For each axis of the chain, a number among the positions that the thread
/// holds of it; 0 on axes that are of no concern.
using Position = llvm::SmallVector<unsigned, 6>;

/// The layout of the values of one region.
class ThreadLayout {
public:
  ThreadLayout(const KernelContext &context, const AxisAnalysis &axes)
      : context(context), axes(axes) {}

  /// The axes along which a thread has several elements of `value`; the row
  /// axis among them if the value varies over it.
  AxisSet of(mlir::Value value) const;
  /// The same of the entries of a buffer whose dimensions are `map` of the
  /// axes.
  AxisSet ofMap(mlir::AffineMap map) const;
  /// The axes of `reduce` along which a thread keeps several states.
  AxisSet ofStates(ReduceOp reduce) const;
  /// `reducedBy`, as far as a thread holds several positions.
  AxisSet reducedBy(ReduceOp reduce) const {
    return held(axes.reducedBy(reduce));
  }

  /// The number of positions on `axes`.
  unsigned count(const AxisSet &axes) const;
  /// The number of `position` among those on `axes`.
  unsigned indexOf(const AxisSet &axes,
                   llvm::ArrayRef<unsigned> position) const;
  /// All positions on `axes`, in order, with `at` on the others.
  llvm::SmallVector<Position> positions(const AxisSet &axes,
                                        llvm::ArrayRef<unsigned> at = {}) const;
  /// The element at `position` among the `elements` of `value`.
  mlir::Value element(mlir::Value value, mlir::ValueRange elements,
                      llvm::ArrayRef<unsigned> position) const {
    return elements[indexOf(of(value), position)];
  }

  const AxisAnalysis &getAxes() const { return axes; }
  const KernelContext &getContext() const { return context; }

private:
  AxisSet held(AxisSet axes) const;

  const KernelContext &context;
  const AxisAnalysis &axes;
  mutable llvm::DenseMap<mlir::Value, AxisSet> known;
};

/// Whether the kernels of chains that stream `rowAxis` can lay out the values
/// of `chain`: two axes at the same lanes meet in no value but those that are
/// products of `contractions` or loaded apart for them, and what varies
/// over an axis that is looped over inside the row is reduced there. Fails with
/// a diagnostic at what stands in the way.
mlir::LogicalResult checkLayout(ChainOp chain, const MappingPlan &plan,
                                unsigned rowAxis,
                                const Contractions &contractions);

} // namespace cascade

#endif // CASCADE_CONVERSION_CASCADETOCLUSTER_THREADLAYOUT_H
