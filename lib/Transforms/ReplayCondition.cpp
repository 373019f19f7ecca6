//===- ReplayCondition.cpp - When a fused row does not stand --------------===//

#include "cascade/Transforms/ReplayCondition.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/DenseSet.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace cascade;

static constexpr double infinity = std::numeric_limits<double>::infinity();

namespace {
/// Conjoins comparisons of floats with constants.
class Conjunction {
public:
  Conjunction(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  void require(Value value, arith::CmpFPredicate predicate, double bound) {
    auto type = cast<FloatType>(value.getType());
    APFloat number(bound);
    bool lossy;
    number.convert(type.getFloatSemantics(), APFloat::rmTowardZero, &lossy);
    // A bound that is not 0 keeps 0 out.
    if (number.isZero() && bound > 0)
      number = APFloat::getSmallest(type.getFloatSemantics());
    // A bound that the type has no number for is no bound.
    if (number.isInfinity() && std::isfinite(bound))
      return;
    Value constant =
        arith::ConstantOp::create(b, loc, FloatAttr::get(type, number));
    add(arith::CmpFOp::create(b, loc, predicate, value, constant));
  }
  /// |sum| >= share |part|
  void requireComparable(Value sum, Value part, double share) {
    Value factor = arith::ConstantOp::create(
        b, loc, b.getFloatAttr(part.getType(), share));
    Value least = arith::MulFOp::create(
        b, loc, math::AbsFOp::create(b, loc, part), factor);
    add(arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE,
                              math::AbsFOp::create(b, loc, sum), least));
  }
  void requireMagnitude(Value value, double low, double high) {
    Value magnitude = math::AbsFOp::create(b, loc, value);
    if (low > 0)
      require(magnitude, arith::CmpFPredicate::OGE, low);
    require(magnitude,
            std::isinf(high) ? arith::CmpFPredicate::OLT
                             : arith::CmpFPredicate::OLE,
            high);
  }
  Value negation() {
    if (!all)
      return {};
    Value one = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
    return arith::XOrIOp::create(b, loc, all, one);
  }

private:
  void add(Value holds) {
    all = all ? Value(arith::AndIOp::create(b, loc, all, holds)) : holds;
  }

  OpBuilder &b;
  Location loc;
  Value all;
};
} // namespace

Value ReplayCondition::build(OpBuilder &b) {
  Conjunction fine(b, chain.getLoc());
  llvm::DenseSet<Value> seen;
  auto isNew = [&](Value value) {
    return isa<FloatType>(value.getType()) && seen.insert(value).second;
  };
  const double large = std::exp2(64);
  for (Value value : moderate)
    if (isNew(value))
      fine.requireMagnitude(value, 1 / large, large);
  for (Value value : notLarge)
    if (isNew(value))
      fine.requireMagnitude(value, 0, large);
  for (Value value : finite)
    if (isNew(value))
      fine.requireMagnitude(value, 0, infinity);
  for (const Range &range : between) {
    if (std::isfinite(range.low))
      fine.require(range.value, arith::CmpFPredicate::OGE, range.low);
    if (std::isfinite(range.high))
      fine.require(range.value, arith::CmpFPredicate::OLE, range.high);
  }
  for (const Cancellation &c : comparable)
    fine.requireComparable(c.sum, c.part, c.share);
  // A divisor of 0 was taken as 1 while the pass ran.
  llvm::DenseSet<Value> divisors;
  for (auto reduce : chain.getBodyBlock()->getOps<ReduceOp>())
    for (auto [index, ref] : llvm::enumerate(reduce.getRefs()))
      if (reduce.getGuard(index) == ReferenceGuard::Divisor &&
          isa<FloatType>(ref.getType()) && divisors.insert(ref).second)
        fine.require(ref, arith::CmpFPredicate::UNE, 0);
  return fine.negation();
}
