//===- EmitProduct.cpp - What is emitted for F = G(X) H(D) ----------------===//
//
// Every factor of H is rescaled, that is, kept in the core against a running
// reference, or deferred, that is, applied once after the reduction.
//
//===----------------------------------------------------------------------===//

#include "SplitDetail.h"

namespace cascade::algebra::detail {

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
    addExponentReferences(result, *sum);
  for (const DFactor &factor : product.factors)
    if (factor.joint)
      rescaled.push_back(factor);
  // A node that stands in the core once with its factor deferred is dropped
  // from it everywhere.
  std::unordered_set<Expr> kept, dropped;
  for (const DFactor &factor : product.factors)
    if (!factor.joint && !rescales(result, product, factor))
      dropped.insert(skipWidening(factor.source));
  for (const DFactor &factor : product.factors) {
    if (factor.joint)
      continue;
    if (dropped.count(skipWidening(factor.source)) ||
        !rescales(result, product, factor)) {
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
  Expr core = dropFactors(context, value, [&](Expr e) {
    if (dependence.mixed(e))
      return e->is(Kind::Exp) || e->is(Kind::Exp2) ? Visit::Keep
                                                   : Visit::Descend;
    if (!dependence.onD(e) || kept.count(skipWidening(e)))
      return Visit::Keep;
    return product.deferAll && isProductLike(e) ? Visit::Descend : Visit::Drop;
  });
  result.cores = {core ? core : context.constant(1, value->type)};
  emitCorrection(result, rescaled);
  emitFinish(result, deferred);
  describeProduct(result, product, rescaled, deferred);
}

//===----------------------------------------------------------------------===//
// Finish and report
//===----------------------------------------------------------------------===//

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

void SplitTester::describeProduct(SplitResult &result, const Product &product,
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
