//===- FloatWidening.h - The same operations in a wider float -*- C++ -*-===//

#ifndef CASCADE_LIB_TRANSFORMS_REFERENCES_FLOATWIDENING_H
#define CASCADE_LIB_TRANSFORMS_REFERENCES_FLOATWIDENING_H

#include "cascade/Dialect/Cascade/IR/Cascade.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace cascade {

/// Clones operations such that every float value narrower than `wide` becomes a
/// `wide` one. Widening casts vanish; a narrowing cast rounds to its type and
/// comes back.
class FloatWidening {
public:
  explicit FloatWidening(mlir::FloatType wide) : wide(wide) {}

  /// `wide` for narrower floats, every other type itself.
  mlir::Type typeOf(mlir::Type type) const;
  /// `value` in the type `typeOf` of its own.
  mlir::Value extend(mlir::OpBuilder &b, mlir::Value value) const;
  /// A widened `value` rounded to `type`.
  mlir::Value round(mlir::OpBuilder &b, mlir::Value value,
                    mlir::Type type) const;

  /// Clones `op`, whose operands `mapping` knows in their wide types, and maps
  /// its results.
  void cloneOperation(mlir::OpBuilder &b, mlir::Operation *op,
                      mlir::IRMapping &mapping) const;
  /// Fills `to` with the widened form of the single block of `from`, a combiner
  /// or a correction. Its first `numStates` arguments and its yielded values
  /// take the wide types; the other arguments keep theirs. `outside` maps what
  /// the region reads from outside.
  void cloneStateRegion(mlir::Region &from, mlir::Region &to,
                        unsigned numStates,
                        const mlir::IRMapping &outside) const;

private:
  void cloneReduce(mlir::OpBuilder &b, ReduceOp reduce,
                   mlir::IRMapping &mapping) const;

  mlir::FloatType wide;
};

} // namespace cascade

#endif // CASCADE_LIB_TRANSFORMS_REFERENCES_FLOATWIDENING_H
