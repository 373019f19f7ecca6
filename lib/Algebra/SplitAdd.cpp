//===- SplitAdd.cpp - (add, mul): sums of products, and what is emitted ---===//

#include "SplitDetail.h"

#include <cmath>
#include <limits>

namespace cascade::algebra::detail {

SplitResult SplitTester::splitAdd() {
  SplitResult result;
  Expr value = recombineExponentials(*this, problem.value, result.joined);
  Factorisation f = factorise(*this, value);
  if (f.refusal) {
    result.refusal = f.refusal;
    return result;
  }
  if (f.product.state == Product::SumOfProducts) {
    result.refusal = refuse(
        "rank-above-one", f.product.at,
        "it is a sum of products G_k(X) H_k(D) with more than one term; rank "
        "above one is not available yet");
    return result;
  }
  emitProduct(result, value, f);
  result.legality = legalityOfRewrite(Legality::Reassociating);
  return result;
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

/// Leaves that are cheap enough to serve as a running reference.
static bool isPlain(Expr leaf) {
  for (Expr node : postOrder(leaf))
    switch (node->kind) {
    case Kind::Result:
    case Kind::Parameter:
    case Kind::FloatConstant:
    case Kind::Max:
    case Kind::Min:
    case Kind::MaxNum:
    case Kind::MinNum:
    case Kind::Abs:
    case Kind::Add:
    case Kind::Widen:
      break;
    default:
      return false;
    }
  return true;
}

/// Adds a reference once. False: it is there with another guard.
static bool addReference(std::vector<Reference> &references, Expr value,
                         ReferenceGuard guard) {
  for (const Reference &ref : references)
    if (ref.value == value)
      return ref.guard == guard;
  references.push_back({value, guard});
  return true;
}

static unsigned indexOf(const std::vector<Reference> &references, Expr value) {
  unsigned i = 0;
  while (references[i].value != value)
    ++i;
  return i;
}

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

/// Whether a D-only factor is kept in the core against a running reference:
/// negative powers of maxima that only rise, which scale the elements into
/// range.
bool SplitTester::rescales(const SplitResult &result, const Product &product,
                           const DFactor &factor) {
  if (info(problem.kind).ordered || product.deferAll)
    return false;
  auto leaves = leafFactors(dependence, factor.base);
  for (auto [leaf, power] : leaves) {
    double q = -power * factor.power;
    bool usable = q > 0 && isPlain(leaf) && dependence.onlyOrdered(leaf) &&
                  trendOf(leaf).rises && signs.of(leaf).nonNegative &&
                  isKnownEarly(leaf);
    for (const Reference &ref : result.references)
      usable &= ref.value != leaf || ref.guard == ReferenceGuard::Divisor;
    if (!usable)
      return false;
  }
  return !leaves.empty();
}

void SplitTester::emitProduct(SplitResult &result, Expr value,
                              const Factorisation &factorisation) {
  const Product &product = factorisation.product;
  if (!checkExponents(result, product) ||
      !checkExtremum(result, value, product))
    return;
  result.cls = Class::Separable;
  result.rank = 1;
  std::vector<DFactor> rescaled, deferred;
  for (const auto &sum : factorisation.exponents)
    for (const Addend &addend : sum->addends)
      addReference(result.references, addend.value, ReferenceGuard::Exponent);
  for (const DFactor &factor : product.factors)
    if (factor.joint)
      rescaled.push_back(factor);
  std::unordered_set<Expr> kept;
  for (const DFactor &factor : product.factors) {
    if (factor.joint)
      continue;
    if (!rescales(result, product, factor)) {
      deferred.push_back(factor);
      continue;
    }
    for (auto [leaf, power] : leafFactors(dependence, factor.base))
      addReference(result.references, leaf, ReferenceGuard::Divisor);
    kept.insert(skipWidening(factor.source));
    rescaled.push_back(factor);
  }
  if (result.references.size() > kMaxTerms) {
    result.refusal = refuse("too-many-terms", value, "too many references");
    return;
  }
  result.core = dropFactors(context, value, [&](Expr e) {
    if (dependence.mixed(e))
      return e->is(Kind::Exp) || e->is(Kind::Exp2) ? Visit::Keep
                                                   : Visit::Descend;
    if (!dependence.onD(e) || kept.count(skipWidening(e)))
      return Visit::Keep;
    return product.deferAll && isProductLike(e) ? Visit::Descend : Visit::Drop;
  });
  if (!result.core)
    result.core = context.constant(1, value->type);
  emitCorrection(result, rescaled);
  emitFinish(result, deferred);
  emitTerms(result, product, rescaled, deferred);
}

//===----------------------------------------------------------------------===//
// Correction
//===----------------------------------------------------------------------===//

static double identityOf(MonoidKind kind) {
  return -info(kind).direction * std::numeric_limits<double>::infinity();
}

/// For exp(g + h): exp(h(new) - h(old)), difference first so that it is exact
/// where the references are close. For r^-q: (old / new)^q.
void SplitTester::emitCorrection(SplitResult &result,
                                 const std::vector<DFactor> &rescaled) {
  if (result.references.empty())
    return;
  Type type = accumulatorType(problem.value->type);
  auto symbol = [&](Kind kind, Expr ref) {
    return context.castFloat(
        context.symbol(kind, indexOf(result.references, ref), ref->type), type);
  };
  Expr exponent[2] = {nullptr, nullptr}, factor = nullptr;
  auto addExponent = [&](const Addend &addend, bool base2, double power) {
    Expr from =
        symbol(addend.negative ? Kind::NewRef : Kind::OldRef, addend.value);
    Expr to =
        symbol(addend.negative ? Kind::OldRef : Kind::NewRef, addend.value);
    Expr delta = scaled(context, context.sub(to, from), addend.scale, type);
    if (power != 1)
      delta = context.mul(delta, context.constant(power, type));
    Expr &sum = exponent[base2];
    sum = sum ? context.add(sum, delta) : delta;
  };
  for (const DFactor &f : rescaled)
    if (f.joint && f.power != 0)
      for (const Addend &addend : f.sum->addends)
        addExponent(addend, f.base->is(Kind::Exp2), f.power);
  if (exponent[0])
    factor = context.exp(exponent[0]);
  if (exponent[1])
    factor = context.mulNonUnit(factor, context.exp2(exponent[1]));
  for (const Reference &ref : result.references) {
    double q = 0;
    for (const DFactor &f : rescaled)
      if (!f.joint && ref.guard == ReferenceGuard::Divisor)
        for (auto [leaf, power] : leafFactors(dependence, f.base))
          q -= leaf == ref.value ? power * f.power : 0;
    if (q == 0)
      continue;
    Expr ratio = context.div(symbol(Kind::OldRef, ref.value),
                             symbol(Kind::NewRef, ref.value));
    factor = context.mulNonUnit(factor, powerOf(context, ratio, q));
  }

  Expr acc = context.accumulator(0, type);
  result.correction = acc;
  if (!factor)
    return;
  Expr same = nullptr;
  for (const Reference &ref : result.references) {
    unsigned i = indexOf(result.references, ref.value);
    Expr equal = context.cmp(Predicate::OEQ, context.oldRef(i, ref.value->type),
                             context.newRef(i, ref.value->type));
    same = same ? context.binary(Kind::And, same, equal) : equal;
  }
  double identity = info(problem.kind).ordered ? identityOf(problem.kind) : 0;
  auto is = [&](double constant) {
    return context.cmp(Predicate::OEQ, acc, context.constant(constant, type));
  };
  Expr empty = is(identity);
  // 0 * inf is a NaN, which the kinds that ignore NaN would lose.
  if (info(problem.kind).ordered)
    for (double fixed : {0.0, -identity})
      empty = context.binary(Kind::Or, empty, is(fixed));
  result.correction = context.select(
      empty, acc, context.select(same, acc, context.mul(acc, factor)));
}

//===----------------------------------------------------------------------===//
// Finish and report
//===----------------------------------------------------------------------===//

/// Divides step by step where the power is a small integer, as x/t/t does: t*t
/// may overflow where x/t/t does not.
static Expr divideBy(ExprContext &context, Expr acc, Expr base, double power) {
  if (power == std::floor(power) && power <= 4) {
    for (int i = 0; i < power; ++i)
      acc = context.div(acc, base);
    return acc;
  }
  return context.div(acc, powerOf(context, base, power));
}

static Expr multiplyInto(ExprContext &context, Expr product, Expr base,
                         double power, Type type) {
  base = context.castFloat(base, type);
  if (power == 0) // not 1 where the factor is 0 or not finite
    return context.mulNonUnit(product, context.div(base, base));
  if (power > 0)
    return context.mulNonUnit(product, powerOf(context, base, power));
  return divideBy(context, product ? product : context.constant(1, type), base,
                  -power);
}

void SplitTester::emitFinish(SplitResult &result,
                             const std::vector<DFactor> &deferred) {
  Type type = accumulatorType(problem.value->type);
  result.finish = context.accumulator(0, type);
  for (const DFactor &f : deferred) {
    result.finish = multiplyInto(context, result.finish, f.base, f.power, type);
    result.deferred =
        multiplyInto(context, result.deferred, f.base, f.power, type);
    if (f.power < 0)
      result.deferredDivisors.push_back(f.base);
  }
  if (result.deferred)
    result.deferredCombine = spelling(Action::Mul);
}

void SplitTester::emitTerms(SplitResult &result, const Product &product,
                            const std::vector<DFactor> &rescaled,
                            const std::vector<DFactor> &deferred) {
  Type type = problem.value->type;
  Expr one = context.constant(1, type);
  Expr G = product.g ? context.castFloat(product.g, type) : one;
  auto add = [&](const std::vector<DFactor> &factors, Form form,
                 std::string why) {
    Expr H = nullptr;
    for (const DFactor &f : factors)
      H = multiplyInto(context, H, f.base, f.power, type);
    if (!H)
      return;
    result.terms.push_back(
        {result.terms.empty() ? G : one, H, "mul", form, std::move(why)});
  };
  add(rescaled, Form::Rescaled,
      "held against a running reference, which keeps the terms in range");
  add(deferred, Form::Deferred,
      "applied once, after the reduction, and never inverted");
}

} // namespace cascade::algebra::detail
