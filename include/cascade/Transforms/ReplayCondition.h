//===- ReplayCondition.h - When a fused row does not stand ----*- C++ -*-===//
//
// A fused chain computes with accumulators, references and deferred factors
// that the chain as written does not have. Where one of them leaves the range
// in which both agree, the row is replayed from the source. This class collects
// what has to be watched and builds the condition.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_TRANSFORMS_REPLAYCONDITION_H
#define CASCADE_TRANSFORMS_REPLAYCONDITION_H

#include "cascade/Dialect/Cascade/IR/Cascade.h"

namespace cascade {

class ReplayCondition {
public:
  explicit ReplayCondition(ChainOp chain) : chain(chain) {}

  /// Replay where `value` is infinite or NaN.
  void requireFinite(mlir::Value value) { finite.push_back(value); }
  /// Replay where |value| is outside 2^-64 .. 2^64: an accumulator may have
  /// lost what the factor restores.
  void requireModerate(mlir::Value value) { moderate.push_back(value); }
  /// Replay where |value| is above 2^64.
  void requireNotLarge(mlir::Value value) { notLarge.push_back(value); }
  /// Replay where `value` is outside low .. high; infinite bounds are none.
  void requireBetween(mlir::Value value, double low, double high) {
    between.push_back({value, low, high});
  }

  /// Replay where |sum| is below `share` of |part|, an addend of it: digits
  /// have cancelled.
  void requireComparable(mlir::Value sum, mlir::Value part, double share) {
    comparable.push_back({sum, part, share});
  }

  bool empty() const {
    return finite.empty() && moderate.empty() && notLarge.empty() &&
           between.empty() && comparable.empty();
  }
  /// The condition to replay as operations at `b`, which also holds where a
  /// reference that is divided by is 0. Null where nothing is watched.
  mlir::Value build(mlir::OpBuilder &b);

private:
  struct Range {
    mlir::Value value;
    double low, high;
  };
  struct Cancellation {
    mlir::Value sum, part;
    double share;
  };
  ChainOp chain;
  llvm::SmallVector<Cancellation> comparable;
  llvm::SmallVector<mlir::Value> finite, moderate, notLarge;
  llvm::SmallVector<Range> between;
};

} // namespace cascade

#endif // CASCADE_TRANSFORMS_REPLAYCONDITION_H
