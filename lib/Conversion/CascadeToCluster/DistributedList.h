//===- DistributedList.h - A sorted list over lanes -----------*- C++ -*-===//
//
// A sorted list of entries that the lanes of one row hold together: of L lanes
// lane i holds entries i, L + i, 2L + i... All lanes of the warp execute every
// operation. Private to the conversion.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_CONVERSION_CASCADETOCLUSTER_DISTRIBUTEDLIST_H
#define CASCADE_CONVERSION_CASCADETOCLUSTER_DISTRIBUTEDLIST_H

#include "EntryFormat.h"

namespace cascade {

class DistributedList {
public:
  using Entry = EntryFormat::Entry;

  /// A list of at least `count` entries over groups of `lanes` lanes, emitted
  /// at `b`, which comes before everything that uses the list.
  DistributedList(mlir::OpBuilder &b, mlir::Location loc,
                  const EntryFormat &format, unsigned width, int64_t lanes,
                  int64_t count);

  /// Entries that a lane holds.
  unsigned getDepth() const { return depth; }
  unsigned getNumValues() const { return depth * width; }

  /// The list with the candidate of every lane in its place, and the last ones
  /// dropped. `list` and the result are the entries of this lane.
  llvm::SmallVector<mlir::Value> insert(mlir::OpBuilder &b,
                                        mlir::ValueRange list,
                                        mlir::ValueRange candidate) const;
  /// The same with the candidates of the lanes where `enters`, one after the
  /// other: faster where they are few.
  llvm::SmallVector<mlir::Value> insertFew(mlir::OpBuilder &b,
                                           mlir::ValueRange list,
                                           mlir::ValueRange candidate,
                                           mlir::Value enters) const;
  /// Entry `number` of the list, in every lane.
  Entry get(mlir::OpBuilder &b, mlir::ValueRange list, unsigned number) const;
  /// What lane `lane` of the group has for `value`.
  mlir::Value fromLane(mlir::OpBuilder &b, mlir::Value value,
                       unsigned lane) const;
  /// The lane's number in its group (i32).
  mlir::Value getLane() const { return lane; }
  int64_t getNumLanes() const { return lanes; }

private:
  Entry fromPartner(mlir::OpBuilder &b, mlir::ValueRange mine,
                    int64_t mask) const;
  Entry exchange(mlir::OpBuilder &b, mlir::ValueRange mine, int64_t mask,
                 int64_t bit) const;
  llvm::SmallVector<mlir::Value> merge(mlir::OpBuilder &b,
                                       mlir::ValueRange list,
                                       mlir::ValueRange sorted) const;
  llvm::SmallVector<mlir::Value> place(mlir::OpBuilder &b,
                                       mlir::ValueRange list,
                                       mlir::ValueRange entry) const;
  Entry better(mlir::OpBuilder &b, mlir::ValueRange x,
               mlir::ValueRange y) const;
  Entry worse(mlir::OpBuilder &b, mlir::ValueRange x, mlir::ValueRange y) const;
  mlir::Value shuffle(mlir::OpBuilder &b, mlir::Value value,
                      mlir::Value source) const;
  mlir::Value constant(mlir::OpBuilder &b, int64_t value) const;

  mlir::Location loc;
  const EntryFormat &format;
  unsigned width; ///< integers of an entry, the first ones of the format
  int64_t lanes;
  unsigned depth;
  mlir::Value lane, groupStart;
  /// The lane before this one in the group, of the first one the last, and
  /// whether this one is the first.
  mlir::Value previous, isFirst;
  /// Whether bit i of the lane's number is set.
  llvm::SmallVector<mlir::Value> bits;
};

} // namespace cascade

#endif // CASCADE_CONVERSION_CASCADETOCLUSTER_DISTRIBUTEDLIST_H
