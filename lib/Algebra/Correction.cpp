//===- Correction.cpp - References, and factors that follow them ----------===//

#include "SplitDetail.h"

#include <cmath>
#include <limits>

namespace cascade::algebra::detail {

bool addReference(std::vector<Reference> &references, Expr value,
                  ReferenceGuard guard) {
  for (const Reference &ref : references)
    if (ref.value == value)
      return ref.guard == guard;
  references.push_back({value, guard});
  return true;
}

unsigned indexOf(const std::vector<Reference> &references, Expr value) {
  unsigned i = 0;
  while (references[i].value != value)
    ++i;
  return i;
}

/// While the maximum of the exponents' own data is -inf, all the exponents are,
/// and any finite number may stand for it. Against a reference to other data
/// the exponential overflows instead, and the row is replayed.
void SplitTester::addExponentReferences(SplitResult &result,
                                        const MixedSum &sum) {
  ReferenceGuard guard =
      isBounded(sum) ? ReferenceGuard::Exponent : ReferenceGuard::None;
  for (const Addend &addend : sum.addends) {
    addReference(result.references, addend.value, guard);
    // Any exponential that is not bounded decides.
    Reference &ref =
        result.references[indexOf(result.references, addend.value)];
    if (guard == ReferenceGuard::None)
      ref.guard = guard;
  }
}

Expr SplitTester::referenceSymbol(const SplitResult &result, Kind kind,
                                  Expr ref) {
  return context.castFloat(
      context.symbol(kind, indexOf(result.references, ref), ref->type),
      accumulatorType(problem.value->type));
}

//===----------------------------------------------------------------------===//
// Multipliers
//===----------------------------------------------------------------------===//

/// For exp(g + h): exp(h(new) - h(old)), difference first so that it is exact
/// where the references are close. For r^-q: (old / new)^q.
std::vector<Expr>
SplitTester::multipliers(const SplitResult &result,
                         const std::vector<DFactor> &rescaled) {
  Type type = accumulatorType(problem.value->type);
  Expr exponent[2] = {nullptr, nullptr};
  bool bounded = true;
  for (const DFactor &f : rescaled) {
    if (!f.joint || f.power == 0)
      continue;
    bounded &= isBounded(*f.sum);
    for (const Addend &addend : f.sum->addends) {
      Expr from = referenceSymbol(
          result, addend.negative ? Kind::NewRef : Kind::OldRef, addend.value);
      Expr to = referenceSymbol(
          result, addend.negative ? Kind::OldRef : Kind::NewRef, addend.value);
      Expr delta = scaled(context, context.sub(to, from), addend.scale, type);
      if (f.power != 1)
        delta = context.mul(delta, context.constant(f.power, type));
      Expr &sum = exponent[f.base->is(Kind::Exp2)];
      sum = sum ? context.add(sum, delta) : delta;
    }
  }
  std::vector<Expr> factors;
  for (bool base2 : {false, true}) {
    if (!exponent[base2])
      continue;
    // A large accumulator may survive a correction that is 0 as one number.
    Expr e = bounded
                 ? exponent[base2]
                 : context.mul(exponent[base2], context.constant(0.5, type));
    e = context.unary(base2 ? Kind::Exp2 : Kind::Exp, e);
    factors.insert(factors.end(), bounded ? 1 : 2, e);
  }
  Expr ratios = nullptr;
  for (const Reference &ref : result.references) {
    double q = 0;
    for (const DFactor &f : rescaled)
      if (!f.joint && ref.guard == ReferenceGuard::Divisor)
        for (auto [leaf, power] : leafFactors(dependence, f.base))
          q -= leaf == ref.value ? power * f.power : 0;
    if (q == 0)
      continue;
    Expr ratio = context.div(referenceSymbol(result, Kind::OldRef, ref.value),
                             referenceSymbol(result, Kind::NewRef, ref.value));
    ratios = context.mulNonUnit(ratios, powerOf(context, ratio, q));
  }
  if (ratios && factors.size() == 1) // one product, applied once
    factors[0] = context.mul(factors[0], ratios);
  else if (ratios)
    factors.push_back(ratios);
  return factors;
}

/// Equal references, those that serve as accumulators left out.
Expr SplitTester::unchanged(const SplitResult &result) {
  Expr same = nullptr;
  for (unsigned i = 0; i < result.references.size(); ++i) {
    const Reference &ref = result.references[i];
    if (ref.isAccumulator)
      continue;
    Expr equal = context.cmp(Predicate::OEQ, context.oldRef(i, ref.value->type),
                             context.newRef(i, ref.value->type));
    same = same ? context.binary(Kind::And, same, equal) : equal;
  }
  return same;
}

//===----------------------------------------------------------------------===//
// The correction at rank 1
//===----------------------------------------------------------------------===//

static double identityOf(MonoidKind kind) {
  return -info(kind).direction * std::numeric_limits<double>::infinity();
}

void SplitTester::emitCorrection(SplitResult &result,
                                 const std::vector<DFactor> &rescaled) {
  if (result.references.empty())
    return;
  Type type = accumulatorType(problem.value->type);
  Expr acc = context.accumulator(0, type);
  result.corrections = {acc};
  std::vector<Expr> factors = multipliers(result, rescaled);
  if (factors.empty())
    return;
  double identity = info(problem.kind).ordered ? identityOf(problem.kind) : 0;
  auto is = [&](double constant) {
    return context.cmp(Predicate::OEQ, acc, context.constant(constant, type));
  };
  Expr empty = is(identity);
  // 0 * inf is a NaN, which the kinds that ignore NaN would lose.
  if (info(problem.kind).ordered)
    for (double fixed : {0.0, -identity})
      empty = context.binary(Kind::Or, empty, is(fixed));
  Expr same = unchanged(result), moved = acc;
  for (Expr factor : factors)
    moved = context.mul(moved, factor);
  result.corrections = {
      context.select(empty, acc, context.select(same, acc, moved))};
}

//===----------------------------------------------------------------------===//
// Factors of a finish
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

Expr multiplyInto(ExprContext &context, Expr product, Expr base, double power,
                  Type type) {
  base = context.castFloat(base, type);
  if (power == 0) // not 1 where the factor is 0 or not finite
    return context.mulNonUnit(product, context.div(base, base));
  if (power > 0)
    return context.mulNonUnit(product, powerOf(context, base, power));
  return divideBy(context, product ? product : context.constant(1, type), base,
                  -power);
}

} // namespace cascade::algebra::detail
