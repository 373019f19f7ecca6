//===- Centres.cpp - What a centred value is held against -----------------===//
//
// In g(X) - h(D), an addend of h may be an extremum or a mean of an addend of
// g. Then it lies among the elements all the time: a running extremum is never
// further from the elements so far than the final one, and a running mean is no
// further than they are apart. Any other result may be of any size on its way,
// and what is summed up there loses its digits.
//
//===----------------------------------------------------------------------===//

#include "SplitDetail.h"

#include <cmath>

namespace cascade::algebra::detail {

Factors factorsOf(Expr root, bool throughRoots) {
  Factors factors;
  // Users before operands, so that a node is met once, with its whole power.
  auto later = [](Expr a, Expr b) { return a->serial > b->serial; };
  std::map<Expr, double, decltype(later)> pending(later);
  pending[root] = 1;
  while (!pending.empty()) {
    auto [node, power] = *pending.begin();
    pending.erase(pending.begin());
    double number, exponent = 1;
    bool isOdd = std::fmod(power, 2) != 0;
    switch (node->kind) {
    case Kind::Mul:
      pending[node->operand(1)] += power;
      break;
    case Kind::Div:
      pending[node->operand(1)] -= power;
      break;
    case Kind::Neg:
      factors.negative ^= isOdd;
      break;
    case Kind::Widen:
      break;
    case Kind::Abs:
      exponent = throughRoots ? 1 : 0;
      break;
    case Kind::Sqrt:
      exponent = throughRoots ? 0.5 : 0;
      break;
    case Kind::Rsqrt:
      exponent = throughRoots ? -0.5 : 0;
      break;
    case Kind::Pow:
      if (!throughRoots || !isConstant(node->operand(1), exponent))
        exponent = 0;
      break;
    default:
      exponent = 0;
      break;
    }
    if (exponent != 0) {
      pending[node->operand(0)] += power * exponent;
    } else if (isConstant(node, number)) {
      factors.number *= std::pow(std::fabs(number), power);
      factors.negative ^= number < 0 && isOdd;
    } else {
      factors.powers[node] += power;
    }
  }
  return factors;
}

void Factors::multiplyBy(const Factors &other, double power) {
  number *= std::pow(other.number, power);
  negative ^= other.negative && std::fmod(power, 2) != 0;
  for (auto [factor, p] : other.powers)
    if ((powers[factor] += p * power) == 0)
      powers.erase(factor);
}

/// What is constant during the pass, times `initial` (null: 1): taken out. The
/// operations are exact where the result is 1.
Expr SplitTester::takeConstant(Factors &factors, Expr initial) {
  Type type = accumulatorType(problem.value->type);
  Expr constant = initial ? context.castFloat(initial, type) : nullptr;
  for (auto it = factors.powers.begin(); it != factors.powers.end();) {
    if (!dependence.neutral(it->first)) {
      ++it;
      continue;
    }
    constant = multiplyInto(context, constant, it->first, it->second, type);
    it = factors.powers.erase(it);
  }
  double number = factors.number;
  if (!constant)
    constant = context.constant(number, type);
  else if (number > 1)
    constant = context.mul(constant, context.constant(number, type));
  else if (number < 1)
    constant = context.div(constant, context.constant(1 / number, type));
  if (factors.negative)
    constant = context.neg(constant);
  factors.number = 1;
  factors.negative = false;
  return constant;
}

/// addend / leaf
static Factors quotientOf(const Addend &addend, Expr leaf) {
  Factors quotient = factorsOf(addend.value);
  if (addend.scale)
    quotient.multiplyBy(factorsOf(addend.scale), 1);
  quotient.multiplyBy(factorsOf(leaf), -1);
  return quotient;
}

/// Whether `addend` is an extremum of `leaf` times a number of moderate size.
bool SplitTester::isScaledExtremum(const Addend &addend, Expr leaf,
                                   Expr &nonNegative) {
  if (isExtremum(addend, leaf, 1) || isExtremum(addend, leaf, -1))
    return true;
  Factors quotient = quotientOf(addend, leaf);
  for (auto [factor, power] : quotient.powers) {
    if (power != 1 || !factor->is(Kind::Result) ||
        factor->id >= problem.results.size())
      continue;
    const ResultInfo &result = problem.results[factor->id];
    if (!info(result.kind).ordered || !result.value || !result.coversDomain ||
        !result.accumulatesPlainly)
      continue;
    Factors rest = quotient;
    rest.powers.erase(factor);
    rest.multiplyBy(factorsOf(result.value), 1);
    Expr scale = takeConstant(rest);
    if (rest.powers.empty() && limitScale(scale, nonNegative))
      return true;
  }
  return false;
}

/// `addend` as a mean of `leaf` times a number of moderate size: a sum of
/// w leaf over a sum of w, or over a constant.
bool SplitTester::asMean(const Addend &addend, Expr leaf, Centre &mean) {
  auto isSum = [&](Expr node) {
    if (!node->is(Kind::Result) || node->id >= problem.results.size())
      return false;
    const ResultInfo &result = problem.results[node->id];
    return result.samePass && result.sameDomain && result.value &&
           result.kind == MonoidKind::Add;
  };
  auto valueOf = [&](Expr sum) { return problem.results[sum->id].value; };
  // Relative to the leaf, it is a number of weighted sums over one of weights.
  Factors quotient = quotientOf(addend, leaf);
  for (auto [numerator, power] : quotient.powers) {
    if (power != 1 || !isSum(numerator))
      continue;
    Factors rest = quotient;
    rest.powers.erase(numerator);
    rest.multiplyBy(factorsOf(valueOf(numerator)), 1);
    mean = Centre();
    for (auto [denominator, p] : rest.powers) {
      if (p != -1 || !isSum(denominator) ||
          !signs.of(valueOf(denominator)).nonNegative)
        continue;
      mean.weights = factorsOf(valueOf(denominator));
      mean.isQuotient = true;
      rest.powers.erase(denominator);
      rest.multiplyBy(mean.weights, -1);
      takeConstant(mean.weights);
      break;
    }
    // A sum that nothing divides is no mean.
    bool isDivided = mean.isQuotient || rest.number < 1 || rest.powers.size();
    if (!isDivided || (!mean.isQuotient && problem.predicate))
      continue;
    mean.ratio = takeConstant(rest, mean.isQuotient ? nullptr : problem.extent);
    if (rest.powers.empty() && (mean.isQuotient || problem.extent) &&
        limitScale(mean.ratio, mean.nonNegative))
      return true;
  }
  return false;
}

/// Requires that `scale` is of moderate size, by `nonNegative` if need be.
bool SplitTester::limitScale(Expr scale, Expr &nonNegative) {
  constexpr double kMaxScale = 4;
  double known;
  if (isConstant(scale, known))
    return std::fabs(known) <= kMaxScale;
  nonNegative =
      context.sub(context.constant(kMaxScale, scale->type), context.abs(scale));
  return true;
}

/// Whether `h` is a logarithm, up to what is constant during the pass.
bool SplitTester::isLogarithm(Expr h) {
  Factors factors = factorsOf(h);
  takeConstant(factors);
  if (factors.powers.size() != 1 || factors.powers.begin()->second != 1)
    return false;
  Expr factor = factors.powers.begin()->first;
  return factor->is(Kind::Log) || factor->is(Kind::Log2);
}

std::optional<std::vector<Centre>>
SplitTester::centresOf(const MixedSum &sum, const Addend *&other) {
  std::vector<SignedLeaf> leaves = leavesOfSum(sum.g, valuesOfResults());
  std::vector<Centre> centres;
  for (const Addend &addend : sum.addends) {
    Centre centre; // of kind None
    // Logarithms are small, and dear to follow: left to the finish.
    bool found = isLogarithm(addend.value);
    for (auto leaf = leaves.begin(); leaf != leaves.end() && !found; ++leaf) {
      Centre candidate;
      if (isScaledExtremum(addend, leaf->value, candidate.nonNegative))
        candidate.kind = Centre::Extremum;
      else if (asMean(addend, leaf->value, candidate))
        candidate.kind = Centre::Mean;
      else
        continue;
      found = true;
      centre = std::move(candidate);
      centre.wholeRatio = addend.negative == leaf->negative ? -1 : 1;
      leaves.erase(leaf);
      break;
    }
    if (!found) {
      other = &addend;
      return std::nullopt;
    }
    centres.push_back(std::move(centre));
  }
  if (centres.size() > 1 || !leaves.empty())
    for (Centre &centre : centres)
      centre.wholeRatio = 0;
  return centres;
}

} // namespace cascade::algebra::detail
