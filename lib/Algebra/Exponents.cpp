//===- Exponents.cpp - Which references exponentials may be held against --===//
//
// exp(g(X) + h(D)) is summed against a running h. Terms that vanish against an
// early reference must not count against a late one.
//
//===----------------------------------------------------------------------===//

#include "SplitDetail.h"

#include <algorithm>

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

//===----------------------------------------------------------------------===//
// Exponents that stay at or below 0
//===----------------------------------------------------------------------===//

namespace {
struct SignedLeaf {
  Expr value;
  bool negative;
};
} // namespace

static std::vector<SignedLeaf> leavesOfSum(Expr root) {
  std::vector<SignedLeaf> leaves, pending{{root, false}};
  while (!pending.empty() && leaves.size() <= kMaxTerms) {
    auto [node, negative] = pending.back();
    pending.pop_back();
    switch (node->kind) {
    case Kind::Add:
    case Kind::Sub:
      pending.push_back({node->operand(1), negative != node->is(Kind::Sub)});
      pending.push_back({node->operand(0), negative});
      break;
    case Kind::Neg:
      pending.push_back({node->operand(0), !negative});
      break;
    case Kind::Widen:
      pending.push_back({node->operand(0), negative});
      break;
    default:
      leaves.push_back({node, negative});
    }
  }
  return leaves;
}

/// Whether `leaf` is `value` times `scale` (null: 1).
static bool isScaled(Expr leaf, Expr value, Expr scale) {
  value = skipWidening(value);
  if (!scale)
    return skipWidening(leaf) == value;
  if (!leaf->is(Kind::Mul) && !leaf->is(Kind::Div))
    return false;
  Expr a = skipWidening(leaf->operand(0)), b = skipWidening(leaf->operand(1));
  scale = skipWidening(scale);
  if (leaf->is(Kind::Mul))
    return (a == value && b == scale) || (b == value && a == scale);
  return a == value && scale->is(Kind::Div) &&
         isConstantEqual(scale->operand(0), 1) &&
         skipWidening(scale->operand(1)) == b;
}

/// The results of which `e` is the maximum (or, `wantMax` false, the minimum).
static std::vector<Expr> extremaIn(Expr e, bool wantMax) {
  std::vector<Expr> found, pending{e};
  while (!pending.empty()) {
    Expr node = skipWidening(pending.back());
    pending.pop_back();
    if (node->is(Kind::Result))
      found.push_back(node);
    else if (node->is(wantMax ? Kind::Max : Kind::Min))
      pending.insert(pending.end(), node->operands.begin(),
                     node->operands.end());
  }
  return found;
}

bool SplitTester::isBounded(const MixedSum &sum) {
  if (!sum.g)
    return false;
  std::vector<SignedLeaf> leaves = leavesOfSum(sum.g);
  for (const Addend &addend : sum.addends) {
    int direction = addend.negative ? 1 : -1;
    auto covers = [&](const SignedLeaf &leaf) {
      if (leaf.negative == addend.negative)
        return false;
      for (Expr symbol : extremaIn(addend.value, direction > 0)) {
        if (symbol->id >= problem.results.size())
          continue;
        const ResultInfo &result = problem.results[symbol->id];
        if (result.value && result.coversDomain && result.accumulatesPlainly &&
            info(result.kind).direction == direction &&
            isScaled(leaf.value, result.value, addend.scale))
          return true;
      }
      return false;
    };
    auto match = std::find_if(leaves.begin(), leaves.end(), covers);
    if (match == leaves.end())
      return false;
    leaves.erase(match);
  }
  return std::all_of(leaves.begin(), leaves.end(), [&](const SignedLeaf &leaf) {
    return dependence.neutral(leaf.value);
  });
}

} // namespace cascade::algebra::detail
