//===- KeyedReductions.h - argmax, argmin and topk ------------*- C++ -*-===//
//
// Reductions of tuples (key, index, payload...) that are ordered by their keys:
// argmax and argmin keep the best one, topk a list of the best, sorted. A list
// is the values of its entries one after the other; argmax and argmin are lists
// of one entry. Private to the transforms.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_LIB_TRANSFORMS_KEYEDREDUCTIONS_H
#define CASCADE_LIB_TRANSFORMS_KEYEDREDUCTIONS_H

#include "cascade/Dialect/Cascade/IR/Cascade.h"

namespace cascade {

/// Whether reductions of `kind` order tuples by their keys.
bool isKeyed(ReductionKind kind);

/// The key that loses to every other: the least (the greatest for argmin).
mlir::TypedAttr keyIdentity(ReductionKind kind, mlir::Type type);

/// Whether the entry with this index took no part: fewer iterations than
/// entries.
mlir::Value isMissing(mlir::OpBuilder &b, mlir::Location loc,
                      mlir::Value index);

/// Entries that lose to every other: the identity of the key, index -1 and a
/// payload of zeros.
llvm::SmallVector<mlir::Value>
keyedIdentity(mlir::OpBuilder &b, mlir::Location loc, ReduceOp reduce);

/// The best entries of two sorted lists, sorted.
llvm::SmallVector<mlir::Value> mergeLists(mlir::OpBuilder &b,
                                          mlir::Location loc, ReduceOp reduce,
                                          mlir::ValueRange lhs,
                                          mlir::ValueRange rhs);

/// The sorted `list` with `entry` put in its place, and the last one dropped;
/// `list` where `entry` loses to all of it, or `domain` is false (null: true).
llvm::SmallVector<mlir::Value>
insertIntoList(mlir::OpBuilder &b, mlir::Location loc, ReduceOp reduce,
               mlir::ValueRange list, mlir::ValueRange entry,
               mlir::Value domain);

} // namespace cascade

#endif // CASCADE_LIB_TRANSFORMS_KEYEDREDUCTIONS_H
