//===- EntryFormat.h - Entries of a topk as ordered integers --*- C++ -*-===//
//
// An entry of a list says which iteration it stands for and in which order it
// comes: integers that are compared as unsigned numbers, the first one first,
// and of which the greater comes first in the list. From the most significant
// bit on they hold
//   - the key, mapped to an unsigned integer that rises with it; a NaN is above
//     all numbers, and -0 is 0;
//   - the complement of the index, unless it is the position;
//   - the complement of the position on the row axis: of equal entries the
//     first wins.
// They share one integer of 32 or 64 bits where they fit, as their types and
// the extent of the axis say. All zeros is an entry that stands for nothing.
// Key, index and payload are computed again from the position. Private to the
// conversion.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_CONVERSION_CASCADETOCLUSTER_ENTRYFORMAT_H
#define CASCADE_CONVERSION_CASCADETOCLUSTER_ENTRYFORMAT_H

#include "KernelContext.h"

namespace cascade {

class EntryFormat {
public:
  using Entry = llvm::SmallVector<mlir::Value>;

  EntryFormat(const KernelContext &context, ReduceOp reduce);

  /// The integers of an entry.
  llvm::ArrayRef<mlir::Type> getTypes() const { return types; }
  /// The entry of no iteration.
  Entry none(mlir::OpBuilder &b) const;

  /// The type that keys are compared in: f32, f64, i32 or i64.
  mlir::Type getKeyType() const { return keyType; }
  /// A key in that type, of the same value.
  mlir::Value toComparable(mlir::OpBuilder &b, mlir::Value key) const;
  /// Such a key as an ordered integer, in the upper bits of the type of the
  /// first integer of an entry.
  mlir::Value toOrdered(mlir::OpBuilder &b, mlir::Value comparable) const;
  /// The key of which `ordered` has the upper bits; a NaN where they are zero,
  /// or the least integer.
  mlir::Value fromOrdered(mlir::OpBuilder &b, mlir::Value ordered) const;

  /// The entry of the iteration at `position` (i32), or none where `exists` is
  /// false. `index` is not read where it is the position.
  Entry encode(mlir::OpBuilder &b, mlir::Value comparable, mlir::Value index,
               mlir::Value position, mlir::Value exists) const;
  bool readsIndex() const { return hasIndex; }
  /// The position (i32) of an entry.
  mlir::Value positionOf(mlir::OpBuilder &b, mlir::ValueRange entry) const;
  /// Whether an entry stands for an iteration.
  mlir::Value exists(mlir::OpBuilder &b, mlir::ValueRange entry) const;

  /// Whether `first` comes before `second`.
  mlir::Value precedes(mlir::OpBuilder &b, mlir::ValueRange first,
                       mlir::ValueRange second) const;

private:
  mlir::Value constant(mlir::OpBuilder &b, mlir::Type type,
                       uint64_t value) const;
  unsigned widthOfFirst() const { return types[0].getIntOrFloatBitWidth(); }

  mlir::Location loc;
  mlir::Type keyType;
  /// The type of 16 bits that holds all keys, or null.
  mlir::Type narrowType;
  unsigned keyBits, positionBits;
  bool hasIndex;
  /// Whether key and position share the first integer.
  bool isPacked;
  llvm::SmallVector<mlir::Type> types;
};

} // namespace cascade

#endif // CASCADE_CONVERSION_CASCADETOCLUSTER_ENTRYFORMAT_H
