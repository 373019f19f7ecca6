//===- Axes.h - What varies over what -------------------------*- C++ -*-===//
//
// Every value in a chain is a function of some axes. This is part of the
// dialect, not of Analysis, because the verifier of a chain needs it.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_DIALECT_CASCADE_IR_AXES_H
#define CASCADE_DIALECT_CASCADE_IR_AXES_H

#include "cascade/Dialect/Cascade/IR/Cascade.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallBitVector.h"

namespace cascade {

/// A set of axes of one chain, by their numbers.
using AxisSet = llvm::SmallBitVector;

/// The axes that each value of one region of a chain varies over:
/// * a block argument: the axes in its operand's map;
/// * `cascade.index`: its axis; a constant and `cascade.extent`: none;
/// * any other operation: the union over its operands;
/// * a reduction: the axes of its values and predicate, less those it reduces,
///   plus the one that it introduces.
class AxisAnalysis {
public:
  /// Analyses `region`, which is the body or the source of `chain`. Names that
  /// are not axes of the chain are passed over (the verifier reports them).
  AxisAnalysis(ChainOp chain, mlir::Region &region);

  /// The axes that `value` varies over. A value from outside varies over none.
  AxisSet of(mlir::Value value) const;
  /// The axes in the `over` list of `reduce`.
  AxisSet reducedBy(ReduceOp reduce) const;
  ChainOp getChain() const { return chain; }

private:
  ChainOp chain;
  llvm::DenseMap<mlir::Value, AxisSet> axes;
};

} // namespace cascade

#endif // CASCADE_DIALECT_CASCADE_IR_AXES_H
