//===- TuplePacking.h - Tuples as 32-bit words ----------------*- C++ -*-===//

#ifndef CASCADE_TRANSFORMS_CLUSTER_TUPLEPACKING_H
#define CASCADE_TRANSFORMS_CLUSTER_TUPLEPACKING_H

#include "mlir/IR/Builders.h"

namespace cascade::cluster {

/// How a tuple of scalars and vectors travels: as the fewest 32-bit words, and
/// in memory as chunks of 4, 8 or 16 bytes, each one message.
class TuplePacking {
public:
  explicit TuplePacking(mlir::TypeRange types);

  int64_t getNumWords() const { return numWords; }
  /// Chunks of a tuple; the last may have words of padding.
  int64_t getNumChunks() const { return numChunks; }
  /// i32, vector<2xi32> or vector<4xi32>.
  mlir::Type getChunkType() const { return chunkType; }
  int64_t getChunkBytes() const { return chunkWords * 4; }

  llvm::SmallVector<mlir::Value> toWords(mlir::OpBuilder &builder,
                                         mlir::Location loc,
                                         mlir::ValueRange values) const;
  llvm::SmallVector<mlir::Value> fromWords(mlir::OpBuilder &builder,
                                           mlir::Location loc,
                                           mlir::ValueRange words) const;

  llvm::SmallVector<mlir::Value> toChunks(mlir::OpBuilder &builder,
                                          mlir::Location loc,
                                          mlir::ValueRange values) const;
  llvm::SmallVector<mlir::Value> fromChunks(mlir::OpBuilder &builder,
                                            mlir::Location loc,
                                            mlir::ValueRange chunks) const;

private:
  /// Where scalar `index` lies: its first word and its bit within that.
  struct Place {
    int64_t word;
    int64_t bit;
  };

  llvm::SmallVector<mlir::Value>
  fromScalars(mlir::OpBuilder &builder, mlir::Location loc,
              llvm::ArrayRef<mlir::Value> scalars) const;

  llvm::SmallVector<mlir::Type> elements; // of the tuple
  llvm::SmallVector<mlir::Type> types;    // of its scalars
  llvm::SmallVector<Place> places;
  int64_t numWords = 0;
  int64_t chunkWords = 1;
  int64_t numChunks = 1;
  mlir::Type chunkType;
};

} // namespace cascade::cluster

#endif // CASCADE_TRANSFORMS_CLUSTER_TUPLEPACKING_H
