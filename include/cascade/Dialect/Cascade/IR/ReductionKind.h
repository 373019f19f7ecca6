//===- ReductionKind.h - The reduction kinds in IR ------------*- C++ -*-===//
//
// One table of what each kind is in IR: which types it takes, its identity and
// how two values combine. Adding a kind is one entry here, one in
// CascadeAttributes.td and one in Algebra/Monoid.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_DIALECT_CASCADE_IR_REDUCTIONKIND_H
#define CASCADE_DIALECT_CASCADE_IR_REDUCTIONKIND_H

#include "cascade/Dialect/Cascade/IR/Cascade.h"

namespace cascade {

/// What a kind asks of the types of its values.
enum class KindTypes { FloatOrInteger, Float, Integer, Any };

KindTypes typesOf(ReductionKind kind);
/// Whether the kind combines each value on its own (add, max, ...), and not
/// tuples (argmax, topk, combine).
bool isElementwise(ReductionKind kind);
/// The identity of an elementwise kind on `type`: -inf for max, 0 for add, the
/// least integer for maxsi.
mlir::TypedAttr identityOf(ReductionKind kind, mlir::Type type);
/// `lhs` (kind) `rhs` for an elementwise kind.
mlir::Value createCombine(mlir::OpBuilder &b, mlir::Location loc,
                          ReductionKind kind, mlir::Value lhs, mlir::Value rhs);

} // namespace cascade

#endif // CASCADE_DIALECT_CASCADE_IR_REDUCTIONKIND_H
