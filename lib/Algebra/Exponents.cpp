//===- Exponents.cpp - Which references exponentials may be held against --===//
//
// exp(g(X) + h(D)) is summed against a running h. Terms that vanish against an
// early reference must not count against a late one.
//
//===----------------------------------------------------------------------===//

#include "SplitDetail.h"

namespace cascade::algebra::detail {

Trend SplitTester::trendOf(Expr root) {
  std::unordered_map<Expr, Trend> known;
  for (Expr node : postOrder(root)) {
    Trend &trend = known[node];
    if (!dependence.onD(node)) {
      trend = {true, true};
      continue;
    }
    auto operand = [&](unsigned k) { return known[node->operand(k)]; };
    switch (node->kind) {
    case Kind::Result: {
      if (node->id >= problem.results.size())
        break;
      const ResultInfo &result = problem.results[node->id];
      if (!result.accumulatesPlainly)
        break;
      const MonoidInfo &monoid = info(result.kind);
      trend.rises = monoid.ordered ? monoid.direction > 0
                                   : result.kind == MonoidKind::Add &&
                                         result.sign.nonNegative;
      trend.falls = monoid.ordered && monoid.direction < 0;
      break;
    }
    case Kind::Add:
    case Kind::Max:
    case Kind::Min:
    case Kind::MaxNum:
    case Kind::MinNum:
      trend.rises = operand(0).rises && operand(1).rises;
      trend.falls = operand(0).falls && operand(1).falls;
      break;
    case Kind::Sub:
      trend.rises = operand(0).rises && operand(1).falls;
      trend.falls = operand(0).falls && operand(1).rises;
      break;
    case Kind::Neg:
      trend = {operand(0).falls, operand(0).rises};
      break;
    case Kind::Widen:
      trend = operand(0);
      break;
    case Kind::Abs:
      if (signs.of(node->operand(0)).nonNegative)
        trend = operand(0);
      break;
    case Kind::Log:
    case Kind::Log2:
      // The logarithm of a sum of weights is small wherever the sum is neither
      // 0 nor infinite; it cannot carry an accumulator out of range.
      trend.rises = trend.falls = signs.of(node->operand(0)).nonNegative;
      break;
    default:
      break;
    }
  }
  return known[root];
}

/// Requires that every correction of an exponential is at most 1. Where a
/// reference may move either way, terms vanish against one reference that count
/// against the next, and an accumulator of 0 meets an infinite correction.
bool SplitTester::checkExponents(SplitResult &result, const Product &product) {
  for (const DFactor &factor : product.factors) {
    if (!factor.joint || factor.power == 0)
      continue;
    for (const Addend &addend : factor.sum->addends) {
      bool negative = addend.negative != (factor.power < 0);
      // The sign of a factor that is constant during the pass is known late.
      Expr value = addend.value, scale = addend.scale;
      while (value->is(Kind::Mul) || value->is(Kind::Div)) {
        Expr rest = value->operand(0), constant = value->operand(1);
        if (value->is(Kind::Mul) && dependence.neutral(rest))
          std::swap(rest, constant);
        if (!dependence.neutral(constant))
          break;
        scale = context.mulNonUnit(scale, constant); // 1 / c has c's sign
        value = rest;
      }
      Trend trend = trendOf(value);
      if (negative)
        std::swap(trend.rises, trend.falls);
      Sign sign = scale ? signs.of(scale) : Sign::aboveZero();
      if (sign.nonNegative ? trend.falls : sign.nonPositive && trend.rises)
        continue;
      if (scale && !sign.nonNegative && !sign.nonPositive &&
          (trend.falls || trend.rises)) {
        result.nonNegative.push_back(trend.falls ? scale : context.neg(scale));
        continue;
      }
      result.refusal = refuse(
          "not-separable", addend.value,
          "an earlier result that may move either way while the pass runs, or "
          "that moves the wrong way, stands in an exponent, so that terms "
          "could get lost");
      return false;
    }
  }
  return true;
}

/// Requires of a maximum of exponentials that they are not negative, of a
/// minimum that they are not positive: an exponential that overflows against an
/// early reference then is the extremum so far, and its row is replayed. On the
/// other side it would be lost.
bool SplitTester::checkExtremum(SplitResult &result, Expr value,
                                const Product &product) {
  bool moves = false;
  for (const DFactor &factor : product.factors)
    moves |= factor.joint && factor.power != 0;
  const MonoidInfo &monoid = info(problem.kind);
  Sign sign = signs.of(value);
  if (!moves || !monoid.ordered ||
      (monoid.direction > 0 ? sign.nonNegative : sign.nonPositive))
    return true;
  result.refusal = refuse(
      "sign-not-proved", value,
      "an exponential that refers to an earlier result moves out of a maximum "
      "only if the value is proved not negative, and out of a minimum only if "
      "it is proved not positive");
  return false;
}

/// Whether the maxima in `leaf` are known from the first value on: over no less
/// than the reduction's domain, and of a kind that ignores no value. Before,
/// elements would be divided by a stand-in, and may vanish.
bool SplitTester::isKnownEarly(Expr leaf) const {
  for (Expr node : postOrder(leaf)) {
    if (!node->is(Kind::Result) || node->id >= problem.results.size())
      continue;
    const ResultInfo &result = problem.results[node->id];
    if (!result.coversDomain || result.kind == MonoidKind::MaxNum ||
        result.kind == MonoidKind::MinNum)
      return false;
  }
  return true;
}

} // namespace cascade::algebra::detail
