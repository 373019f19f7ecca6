//===- IndexInterval.cpp - The interval of a predicate, evaluated ---------===//

#include "IndexInterval.h"

using namespace mlir;
using namespace cascade;

namespace {

/// Emits what an IndexRange says for one position of the other axes. Arithmetic
/// is that of 64 bits, in which nothing here wraps.
class IntervalBuilder {
public:
  IntervalBuilder(OpBuilder &b, Location loc, Value extent,
                  llvm::function_ref<Value(Value)> valueOf)
      : b(b), loc(loc), extent(extent), valueOf(valueOf) {}

  Interval emit(const IndexRange &range);

private:
  Value constant(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  }
  Value min(Value x, Value y) { return arith::MinSIOp::create(b, loc, x, y); }
  Value max(Value x, Value y) { return arith::MaxSIOp::create(b, loc, x, y); }
  Value addTo(Value x, int64_t y) {
    return arith::AddIOp::create(b, loc, x, constant(y));
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  /// Both conditions, where null is true.
  Value both(Value x, Value y) {
    return x && y ? Value(arith::AndIOp::create(b, loc, x, y)) : x ? x : y;
  }
  Value restOf(const AffineOfIndex &side, bool isSigned);
  Value fits(const AffineOfIndex &side, Value rest, bool isSigned);
  Value quotient(Value dividend, int64_t divisor);
  Interval emitCompare(const IndexRange &range);

  OpBuilder &b;
  Location loc;
  Value extent; ///< i64
  llvm::function_ref<Value(Value)> valueOf;
};

} // namespace

/// `side` without its multiple of the index, as i64. Of 64 bits, what does not
/// add to the index is held within 2^62 of 0: no index is so large.
Value IntervalBuilder::restOf(const AffineOfIndex &side, bool isSigned) {
  unsigned width = side.getWidth();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(side.type, APInt(64, value).trunc(width)));
  };
  Value sum;
  if (side.constant != 0 || side.terms.empty())
    sum = number(side.constant);
  for (auto [value, factor] : side.terms) {
    Value term = valueOf(value);
    if (factor == -1 && sum) {
      sum = arith::SubIOp::create(b, loc, sum, term);
      continue;
    }
    if (factor != 1)
      term = arith::MulIOp::create(b, loc, term, number(factor));
    sum = sum ? Value(arith::AddIOp::create(b, loc, sum, term)) : term;
  }
  Type i64 = b.getI64Type();
  if (side.type.isIndex())
    sum = arith::IndexCastOp::create(b, loc, i64, sum);
  if (width < 64)
    return isSigned ? Value(arith::ExtSIOp::create(b, loc, i64, sum))
                    : Value(arith::ExtUIOp::create(b, loc, i64, sum));
  if (side.ofIndex != 0)
    return sum;
  Value most = constant(int64_t(1) << 62);
  return isSigned ? max(min(sum, most), constant(-(int64_t(1) << 62)))
                  : Value(arith::MinUIOp::create(b, loc, sum, most));
}

/// Whether `side`, which is `rest` at index 0, does not wrap at any index; null
/// where it cannot.
Value IntervalBuilder::fits(const AffineOfIndex &side, Value rest,
                            bool isSigned) {
  if (side.ofIndex == 0 || side.isIndex())
    return {};
  unsigned width = side.getWidth();
  // Of 64 bits, so that the sums below do not wrap either: multiples of an
  // index are at most 2^61.
  int64_t most = width == 64 ? int64_t(1) << 61
                 : isSigned  ? llvm::maxIntN(width)
                             : int64_t(llvm::maxUIntN(width));
  int64_t least = !isSigned     ? 0
                  : width == 64 ? -(int64_t(1) << 61)
                                : llvm::minIntN(width);
  // It is between what it is at the first and the last index.
  Value atLast = arith::AddIOp::create(
      b, loc, rest,
      arith::MulIOp::create(b, loc, addTo(extent, -1), constant(side.ofIndex)));
  Value result;
  for (Value end : {rest, atLast})
    result = both(
        result, both(compare(arith::CmpIPredicate::sge, end, constant(least)),
                     compare(arith::CmpIPredicate::sle, end, constant(most))));
  return result;
}

/// The least index that `divisor` times is at least `dividend`, or the extent.
Value IntervalBuilder::quotient(Value dividend, int64_t divisor) {
  Value zero = constant(0);
  if (divisor == 1)
    return min(max(dividend, zero), extent);
  Value most = arith::MulIOp::create(b, loc, extent, constant(divisor));
  dividend = min(max(dividend, zero), most);
  return arith::DivUIOp::create(b, loc, addTo(dividend, divisor - 1),
                                constant(divisor));
}

Interval IntervalBuilder::emitCompare(const IndexRange &range) {
  using Predicate = arith::CmpIPredicate;
  bool isSigned = !llvm::is_contained(
      {Predicate::ult, Predicate::ule, Predicate::ugt, Predicate::uge},
      range.predicate);
  Value left = restOf(range.lhs, isSigned), right = restOf(range.rhs, isSigned);
  Value isExact =
      both(fits(range.lhs, left, isSigned), fits(range.rhs, right, isSigned));
  int64_t factor = range.lhs.ofIndex - range.rhs.ofIndex;
  // factor index + left compares with right: index with their difference.
  Value difference = arith::SubIOp::create(b, loc, right, left);
  Interval interval;
  interval.isExact = isExact;
  // Keeps those with factor index < difference + more, or else >=.
  auto bound = [&](bool isBelow, int64_t more) {
    Value dividend =
        factor > 0
            ? addTo(difference, more)
            : arith::SubIOp::create(b, loc, constant(1 - more), difference);
    bool isUpper = isBelow == (factor > 0);
    (isUpper ? interval.hi : interval.lo) =
        quotient(dividend, std::abs(factor));
  };
  switch (range.predicate) {
  case Predicate::slt:
  case Predicate::ult:
    bound(/*isBelow=*/true, 0);
    break;
  case Predicate::sle:
  case Predicate::ule:
    bound(/*isBelow=*/true, 1);
    break;
  case Predicate::sgt:
  case Predicate::ugt:
    bound(/*isBelow=*/false, 1);
    break;
  case Predicate::sge:
  case Predicate::uge:
    bound(/*isBelow=*/false, 0);
    break;
  default: // Equality.
    bound(/*isBelow=*/true, 1);
    bound(/*isBelow=*/false, 0);
    break;
  }
  if (!isExact)
    return interval;
  // A side that wraps tells nothing.
  if (interval.lo)
    interval.lo =
        arith::SelectOp::create(b, loc, isExact, interval.lo, constant(0));
  if (interval.hi)
    interval.hi = arith::SelectOp::create(b, loc, isExact, interval.hi, extent);
  return interval;
}

Interval IntervalBuilder::emit(const IndexRange &range) {
  using Kind = IndexRange::Kind;
  switch (range.kind) {
  case Kind::All:
    return {};
  case Kind::None:
    return {{}, constant(0), {}};
  case Kind::Where: {
    Value some = range.isTrue ? extent : constant(0);
    Value other = range.isTrue ? constant(0) : extent;
    Value hi =
        arith::SelectOp::create(b, loc, valueOf(range.condition), some, other);
    return {{}, hi, {}};
  }
  case Kind::Compare:
    return emitCompare(range);
  case Kind::Both:
  case Kind::Either:
    break;
  }
  bool isBoth = range.kind == Kind::Both;
  Interval result = emit(range.parts.front());
  for (const IndexRange &part : ArrayRef(range.parts).drop_front()) {
    Interval next = emit(part);
    // Null is the outermost of bounds.
    auto join = [&](Value x, Value y, bool takesMost) -> Value {
      if (!x || !y)
        return isBoth ? (x ? x : y) : Value();
      return takesMost ? max(x, y) : min(x, y);
    };
    result = {join(result.lo, next.lo, isBoth),
              join(result.hi, next.hi, !isBoth),
              both(result.isExact, next.isExact)};
  }
  return result;
}

Interval cascade::emitInterval(OpBuilder &b, Location loc,
                               const IndexRange &range, Value extent,
                               llvm::function_ref<Value(Value)> valueOf) {
  return IntervalBuilder(b, loc, extent, valueOf).emit(range);
}
