//===- KindTable.h - The reductions with a short form ---------*- C++ -*-===//
//
// Adding a reduction kind is one entry of this table (and of the enum).
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_DIALECT_CLUSTER_IR_KINDTABLE_H
#define CASCADE_DIALECT_CLUSTER_IR_KINDTABLE_H

#include "cascade/Dialect/Cluster/IR/Cluster.h"

namespace cascade::cluster {

/// Whether `kind` reduces values of `type`; `add` and `mul` take both floats
/// and integers, `max min maxnum minnum` floats, the others integers.
bool acceptsType(Kind kind, mlir::Type type);

/// "float" or "integer" or "float or integer".
llvm::StringRef describeAcceptedTypes(Kind kind);

/// Whether combining in either order gives the same bits: not where a zero's
/// sign or a NaN's payload is taken from one side.
bool commutesBitwise(Kind kind, mlir::Type type);

/// The combination of `lhs` and `rhs`, in their type; vectors by element.
mlir::Value buildCombine(mlir::OpBuilder &builder, mlir::Location loc,
                         Kind kind, mlir::Value lhs, mlir::Value rhs);

} // namespace cascade::cluster

#endif // CASCADE_DIALECT_CLUSTER_IR_KINDTABLE_H
