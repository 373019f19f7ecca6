//===- ReductionPasses.h - Which reductions run together ------*- C++ -*-===//
//
// A pass is one sweep over the data that computes several reductions over the
// same axes. In a fused chain it is what the references say: a reduction that
// uses an earlier result of the same axes only through its references runs in
// the pass of that result; any other use starts a later pass. In a chain as
// written every reduction is a pass of its own.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_ANALYSIS_REDUCTIONPASSES_H
#define CASCADE_ANALYSIS_REDUCTIONPASSES_H

#include "cascade/Dialect/Cascade/IR/Axes.h"

namespace cascade {

/// One sweep: reductions over `axes`, in an order in which references precede
/// their uses.
struct ReductionPass {
  AxisSet axes;
  llvm::SmallVector<ReduceOp> reduces;
};

/// The passes of one region of a chain, in an order in which each pass uses
/// results of earlier passes only. A reduction nested in another one (a dot
/// product below the softmax of its results) is a pass of its own, too.
class ReductionPasses {
public:
  /// `together` says whether reductions may share a pass (the fused form) or
  /// each has its own (the unfused evaluation).
  ReductionPasses(ChainOp chain, mlir::Region &region, bool together);

  llvm::ArrayRef<ReductionPass> getPasses() const { return passes; }
  /// The number of the pass that computes `reduce`.
  unsigned passOf(ReduceOp reduce) const { return numbers.lookup(reduce); }
  const AxisAnalysis &getAxes() const { return axes; }
  /// The runs over the elements along `axis`, in order: those of its passes,
  /// and one for the results that vary over it. For each the inputs along the
  /// axis, by number, that it loads.
  llvm::SmallVector<llvm::SmallVector<unsigned>>
  getInputsOfRuns(unsigned axis) const;

private:
  mlir::Region &region;
  AxisAnalysis axes;
  llvm::SmallVector<ReductionPass> passes;
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
};

/// The inputs that vary over `axis` and that `roots` are computed from, without
/// those behind values that do not vary over it.
llvm::SmallVector<mlir::Value>
getInputsAlong(unsigned axis, mlir::ValueRange roots, const AxisAnalysis &axes);

/// Whether the elements along `axis` are used again after the first pass over
/// it, by a later pass or by a result.
bool usesElementsAgain(ChainOp chain, unsigned axis);

} // namespace cascade

#endif // CASCADE_ANALYSIS_REDUCTIONPASSES_H
