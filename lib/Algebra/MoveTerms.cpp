//===- MoveTerms.cpp - Accumulators from one centre to another ------------===//
//
// A correction moves them from the old centre to the new one, the finish from
// the last centre to h.
//
//===----------------------------------------------------------------------===//

#include "TermEmitter.h"

#include <cmath>

namespace cascade::algebra::detail {

/// `member` after its centred values changed by `delta` (null: not at all) is
/// the sum over b of delta^b times a combination of accumulators: visits each
/// delta^b (null: 1) with the coefficients of the accumulators of `space`.
void TermEmitter::forEachPart(
    const Space &space, const Polynomial &member,
    const std::vector<Expr> &delta,
    const std::function<void(Expr, const std::vector<double> &)> &visit) {
  for (const MultiIndex &index : derivativesOf(member)) {
    Expr change = nullptr;
    bool vanishes = false;
    for (auto [u, power] : index) {
      vanishes |= !delta[u];
      if (delta[u])
        change = ctx.mulNonUnit(change, powerOf(ctx, delta[u], power));
    }
    if (!vanishes)
      visit(change, space.basis.coordinates(taylorCoefficient(member, index)));
  }
}

std::vector<Expr> TermEmitter::partsOf(const Space &space,
                                       const Polynomial &member,
                                       const std::vector<Expr> &delta,
                                       const std::vector<Expr> &values) {
  std::vector<Expr> parts;
  forEachPart(space, member, delta, [&](Expr change, const auto &coordinates) {
    Expr part = nullptr;
    for (size_t k = 0; k < coordinates.size(); ++k) {
      double c = coordinates[k];
      if (c != 0)
        part = plus(part, times(std::fabs(c), values[space.first + k]), c < 0);
    }
    if (part)
      parts.push_back(ctx.mulNonUnit(part, change));
  });
  return parts;
}

Expr TermEmitter::moved(const Space &space, const Polynomial &member,
                        const std::vector<Expr> &delta,
                        const std::vector<Expr> &values) {
  Expr result = nullptr;
  for (Expr part : partsOf(space, member, delta, values))
    result = plus(result, part);
  return result;
}

/// The sum of the addends' changes, each as `changeOf(u, k)` says; null: none.
std::vector<Expr>
TermEmitter::changesOf(const std::function<Expr(size_t, size_t)> &changeOf) {
  std::vector<Expr> changes;
  for (size_t u = 0; u < centres.size(); ++u) {
    const std::vector<Addend> &addends = expansion.centred[u].sum->addends;
    Expr change = nullptr;
    for (size_t k = 0; k < addends.size(); ++k)
      if (Expr difference = changeOf(u, k))
        change = plus(change, scaled(ctx, difference, addends[k].scale, type),
                      addends[k].negative);
    changes.push_back(change);
  }
  return changes;
}

//===----------------------------------------------------------------------===//
// Corrections
//===----------------------------------------------------------------------===//

void TermEmitter::emitCorrections() {
  std::vector<Expr> delta = changesOf([&](size_t u, size_t k) -> Expr {
    Expr centre = centres[u][k];
    if (!centre)
      return nullptr;
    return ctx.sub(t.referenceSymbol(result, Kind::NewRef, centre),
                   t.referenceSymbol(result, Kind::OldRef, centre));
  });
  std::vector<Expr> old;
  unsigned next = 0;
  for (const Accumulator &accumulator : accumulators)
    old.push_back(
        accumulator.reference
            ? ctx.castFloat(
                  ctx.oldRef(
                      *accumulator.reference,
                      result.references[*accumulator.reference].value->type),
                  type)
            : ctx.accumulator(next++, type));
  Expr same = t.unchanged(result);
  if (!same)
    return; // nothing moves
  for (const Space &space : spaces) {
    std::vector<Expr> factors = t.multipliers(result, space.exponentials);
    // An empty state stays one, whatever the factor.
    Expr empty = nullptr;
    for (size_t k = 0; k < space.basis.members().size(); ++k) {
      Expr zero =
          ctx.cmp(Predicate::OEQ, old[space.first + k], ctx.constant(0, type));
      empty = empty ? ctx.binary(Kind::And, empty, zero) : zero;
    }
    for (size_t k = 0; k < space.basis.members().size(); ++k) {
      Expr acc = old[space.first + k];
      if (accumulators[space.first + k].reference)
        continue;
      Expr now = moved(space, space.basis.members()[k], delta, old);
      for (Expr factor : factors)
        now = ctx.mul(now, factor);
      if (now != acc)
        now = ctx.select(same, acc, now);
      if (!factors.empty())
        now = ctx.select(empty, acc, now);
      result.corrections.push_back(now);
    }
  }
}

//===----------------------------------------------------------------------===//
// Finish
//===----------------------------------------------------------------------===//

/// How far centred value `u` is from the deviation from its mean: its weighted
/// sum about the centre over the sum of the weights, both of them accumulators.
/// It has no part in the rounding of a long sum. Null: they are not there.
Expr TermEmitter::deviation(unsigned u, const std::vector<Expr> &values) {
  const Centre &centre = chosen[u].front();
  double ratio;
  if (centre.kind != Centre::Mean || centre.wholeRatio == 0 ||
      (isConstant(centre.ratio, ratio) && ratio != centre.wholeRatio))
    return nullptr;
  auto find = [&](const Space &space, unsigned power) -> Expr {
    const std::vector<Polynomial> &members = space.basis.members();
    for (size_t k = 0; k < members.size(); ++k) {
      const auto &[monomial, coefficient] = *members[k].begin();
      bool fits = monomial.powers.size() == power;
      for (auto [v, p] : monomial.powers)
        fits &= v == u && p == power;
      if (fits && members[k].size() == 1 && coefficient == 1 &&
          weightsOf(monomial).powers == centre.weights.powers)
        return values[space.first + k];
    }
    return nullptr;
  };
  for (const Space &space : spaces)
    if (Expr weight = find(space, 0))
      if (Expr moment = find(space, 1))
        return ctx.neg(ctx.div(moment, weight));
  return nullptr;
}

void TermEmitter::emitFinish() {
  std::vector<Expr> values;
  unsigned next = 0;
  for (const Accumulator &accumulator : accumulators)
    values.push_back(
        accumulator.reference
            ? ctx.castFloat(result.references[*accumulator.reference].value,
                            type)
            : ctx.accumulator(next++, type));
  // From the centre to h.
  std::vector<Expr> epsilon = changesOf([&](size_t u, size_t k) -> Expr {
    Expr centre = centres[u][k], h = expansion.centred[u].sum->addends[k].value;
    if (centre == h)
      return nullptr;
    if (!centre) { // not watched as a reference
      result.scales.push_back(h);
      return ctx.castFloat(h, type);
    }
    return ctx.sub(ctx.castFloat(h, type), ctx.castFloat(centre, type));
  });
  for (unsigned u = 0; u < centres.size(); ++u) {
    Expr exact = deviation(u, values);
    if (!exact)
      continue;
    const Centre &centre = chosen[u].front();
    double known;
    if (!isConstant(centre.ratio, known)) {
      Type ratioType = centre.ratio->type;
      Expr isMean = ctx.cmp(Predicate::OEQ, centre.ratio,
                            ctx.constant(centre.wholeRatio, ratioType));
      Expr other = epsilon[u] ? epsilon[u] : ctx.constant(0, type);
      exact = ctx.select(isMean, exact, other);
    }
    epsilon[u] = exact;
  }
  for (const Row &row : rows) {
    auto withFactors = [&](Expr e) {
      for (const DFactor &factor : row.factors)
        e = multiplyInto(ctx, e, factor.base, factor.power, type);
      return e;
    };
    const Space &space = spaces[row.space];
    Expr whole = moved(space, row.polynomial, epsilon, values);
    if (!whole)
      continue;
    result.finish = plus(result.finish, withFactors(whole));
    for (const DFactor &factor : row.factors)
      result.scales.push_back(
          multiplyInto(ctx, nullptr, factor.base, factor.power, type));
    for (Expr part : partsOf(space, row.polynomial, epsilon, values))
      result.parts.push_back(withFactors(part));
  }
  if (result.parts.size() == 1)
    result.parts.clear();
  if (!result.finish)
    result.finish = ctx.constant(0, type);
  describe(epsilon);
}

/// One term an accumulator: its core, and what the finish multiplies it by.
void TermEmitter::describe(const std::vector<Expr> &epsilon) {
  std::vector<Expr> H(accumulators.size(), nullptr);
  for (const Row &row : rows) {
    Expr factor = nullptr;
    for (const DFactor &f : row.factors)
      factor = multiplyInto(ctx, factor, f.base, f.power, type);
    const Space &space = spaces[row.space];
    for (const DFactor &f : space.exponentials)
      factor = multiplyInto(ctx, factor, f.base, f.power, type);
    forEachPart(space, row.polynomial, epsilon,
                [&](Expr change, const auto &coordinates) {
                  Expr whole = ctx.mulNonUnit(factor, change);
                  for (size_t k = 0; k < coordinates.size(); ++k) {
                    double c = coordinates[k];
                    if (c == 0)
                      continue;
                    Expr &sum = H[space.first + k];
                    sum = plus(sum,
                               whole ? times(c, whole) : ctx.constant(c, type));
                  }
                });
  }
  for (size_t k = 0; k < accumulators.size(); ++k) {
    bool rescaled = false;
    for (const Space &space : spaces)
      rescaled |= !space.exponentials.empty() && k >= space.first &&
                  k < space.first + space.basis.members().size();
    std::string why =
        accumulators[k].reference ? "an earlier sum serves as this accumulator"
        : rescaled ? "held against a running reference, which keeps the terms "
                     "in range"
                   : "held about a running centre and moved with it, so that "
                     "nothing cancels";
    if (result.corrections.empty())
      why = "applied once, after the reduction, and never inverted";
    result.terms.push_back(
        {accumulators[k].core, H[k] ? H[k] : ctx.constant(0, type), "mul",
         result.corrections.empty() ? Form::Deferred : Form::Rescaled, why});
  }
}

} // namespace cascade::algebra::detail
