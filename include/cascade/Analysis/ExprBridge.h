//===- ExprBridge.h - Body values as algebra expressions ------*- C++ -*-===//
//
// The one place where MLIR and Algebra meet: a value of a chain's body becomes
// an expression over element, result and parameter symbols, and an expression
// becomes operations again. Values that an expression already stands for are
// used again, so that what the algebra leaves alone keeps the user's own
// operations.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_ANALYSIS_EXPRBRIDGE_H
#define CASCADE_ANALYSIS_EXPRBRIDGE_H

#include "cascade/Algebra/Expr.h"
#include "cascade/Dialect/Cascade/IR/Axes.h"

namespace cascade {

/// The algebra's name for a scalar MLIR type; none for types it does not know.
std::optional<algebra::Type> toAlgebra(mlir::Type type);
mlir::Type fromAlgebra(algebra::Type type, mlir::MLIRContext *context);

/// Translates between the values of one body and expressions, as a reduction
/// over a given set of axes sees them.
class ExprBridge {
public:
  /// `results` are the result symbols of the reductions over `over`, by the
  /// ids that the caller gives them.
  ExprBridge(algebra::ExprContext &exprs, const AxisAnalysis &axes,
             AxisSet over, const llvm::DenseMap<mlir::Value, unsigned> &results)
      : exprs(exprs), axes(axes), over(std::move(over)), results(results) {}

  /// The expression of `value`; null where a type has no name in the algebra.
  algebra::Expr translate(mlir::Value value);

  /// Enters `value` as what `expr` stands for.
  void define(algebra::Expr expr, mlir::Value value) { known[expr] = value; }

  /// Whether a value is entered for `expr`.
  bool knows(algebra::Expr expr) const { return known.contains(expr); }

  /// Operations at `b` that compute `expr`. Symbols must be known from
  /// translate or define.
  mlir::Value materialise(mlir::OpBuilder &b, mlir::Location loc,
                          algebra::Expr expr);

private:
  algebra::Expr translateOp(mlir::Operation *op, mlir::Value value);
  mlir::Value build(mlir::OpBuilder &b, mlir::Location loc, algebra::Expr expr,
                    mlir::ValueRange operands);

  algebra::ExprContext &exprs;
  const AxisAnalysis &axes;
  AxisSet over;
  const llvm::DenseMap<mlir::Value, unsigned> &results;
  llvm::DenseMap<mlir::Value, algebra::Expr> expressions;
  llvm::DenseMap<algebra::Expr, mlir::Value> known;
  /// An operation of each opaque name, to be cloned with other operands.
  llvm::StringMap<mlir::Operation *> prototypes;
  unsigned numElements = 0, numParameters = 0;
};

} // namespace cascade

#endif // CASCADE_ANALYSIS_EXPRBRIDGE_H
