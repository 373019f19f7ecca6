//===- EmitCentres.cpp - Centred values about running centres -------------===//
//
// Any centre would be right; a good one is near the final value all the time. A
// sum so far is a poor estimate of the whole: it is taken times N / n.
//
//===----------------------------------------------------------------------===//

#include "TermEmitter.h"

#include <algorithm>

namespace cascade::algebra::detail {

/// `h`, a sum over a constant, with the sum so far as its share of the whole.
Expr TermEmitter::extrapolated(Expr h) {
  std::unordered_map<Expr, Expr> replaced;
  for (Expr node : postOrder(h)) {
    if (!node->is(Kind::Result) || node->id >= t.problem.results.size())
      continue;
    const ResultInfo &info = t.problem.results[node->id];
    std::optional<double> degree = degreeOf(node, t.problem.results);
    if (!info.samePass || !info.count || !t.problem.extent || !degree ||
        *degree == 0)
      continue;
    Expr share = ctx.div(ctx.castFloat(t.problem.extent, node->type),
                         ctx.castFloat(info.count, node->type));
    replaced[node] = ctx.mul(node, powerOf(ctx, share, *degree));
  }
  return substitute(ctx, h, replaced);
}

Factors TermEmitter::weightsOf(const Monomial &monomial) {
  Factors weights;
  for (auto [atom, power] : monomial.atoms)
    weights.multiplyBy(factorsOf(atom), power);
  t.takeConstant(weights);
  return weights;
}

/// Requires that squares and higher powers about a mean are weighted as the
/// mean is: an element with a weight in the mean alone may drive it far off,
/// and what is summed up there loses its digits.
bool TermEmitter::checkWeights() {
  auto isMean = [](const Centre &c) { return c.kind == Centre::Mean; };
  for (const Row &row : rows)
    for (const auto &[monomial, coefficient] : row.polynomial) {
      unsigned degree = 0;
      for (auto [u, power] : monomial.powers)
        if (std::any_of(chosen[u].begin(), chosen[u].end(), isMean))
          degree += power;
      if (degree < 2)
        continue;
      Factors weights = weightsOf(monomial);
      for (auto [u, power] : monomial.powers)
        for (const Centre &centre : chosen[u])
          if (isMean(centre) && centre.weights.powers != weights.powers)
            return refuse("not-separable", expansion.centred[u].node,
                          "a power of it is summed up with other weights than "
                          "those of the mean that it subtracts, so that digits "
                          "could get lost");
    }
  return true;
}

bool TermEmitter::chooseCentres() {
  for (const auto &sum : expansion.exponents)
    t.addExponentReferences(result, *sum);
  for (const CentredValue &value : expansion.centred) {
    const Addend *other = nullptr;
    auto kinds = t.centresOf(*value.sum, other);
    if (!kinds)
      return refuse("not-separable", other->value,
                    "it stands in a sum with elements of which it is neither "
                    "an extremum nor a mean, so that digits could get lost on "
                    "the way");
    chosen.push_back(std::move(*kinds));
  }
  if (!checkWeights())
    return false;
  for (size_t u = 0; u < chosen.size(); ++u)
    if (!centre(expansion.centred[u], chosen[u]))
      return false;
  return true;
}

bool TermEmitter::centre(const CentredValue &value,
                         const std::vector<Centre> &kinds) {
  const MixedSum &sum = *value.sum;
  std::vector<Expr> &own = centres.emplace_back();
  std::unordered_set<Expr> left;
  std::unordered_map<Expr, Expr> replaced;
  for (size_t k = 0; k < kinds.size(); ++k) {
    Expr h = sum.addends[k].value;
    if (kinds[k].kind == Centre::None) {
      own.push_back(nullptr);
      left.insert(h);
      continue;
    }
    bool isShare = kinds[k].kind == Centre::Mean && !kinds[k].isQuotient;
    own.push_back(isShare ? extrapolated(h) : h);
    if (isShare && own.back() == h)
      return refuse("not-separable", h,
                    "the sum so far stands in it, and it is not known which "
                    "share of the whole that is, so that digits could get "
                    "lost");
    addReference(result.references, own.back(), ReferenceGuard::Centre);
    replaced[h] = own.back(); // unchanged ones, too: one may contain another
    if (kinds[k].nonNegative)
      result.nonNegative.push_back(kinds[k].nonNegative);
  }
  // As written but for these, so that x - m is subtracted before it meets y.
  Expr u = dropAddends(ctx, value.node, [&](Expr e) {
    if (t.dependence.mixed(e))
      return Visit::Descend;
    while (e->is(Kind::Neg) || e->is(Kind::Widen))
      e = e->operand(0);
    return left.count(e) ? Visit::Drop : Visit::Keep;
  });
  centredValues.push_back(substitute(ctx, u, replaced));
  return true;
}

} // namespace cascade::algebra::detail
