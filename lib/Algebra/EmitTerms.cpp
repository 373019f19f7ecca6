//===- EmitTerms.cpp - What is emitted for a sum of products --------------===//
//
// F = sum of P_k(u) E_k H_k with polynomials P_k in centred values u = g - h,
// exponentials E_k and factors H_k without X. The accumulators are sums over a
// basis of the P_k and their derivatives, about running centres c; the finish
// moves them from c to h, which are the same up to rounding wherever c can be
// chosen so, and multiplies by the H_k.
//
//===----------------------------------------------------------------------===//

#include "SplitDetail.h"

#include <algorithm>
#include <cmath>

namespace cascade::algebra::detail {

/// The terms with the same factors in D.
namespace {
struct Row {
  std::vector<DFactor> factors; ///< deferred
  size_t space;                 ///< of the same exponentials
  Polynomial polynomial;
};

/// Polynomials that are multiplied by the same exponentials.
struct Space {
  std::vector<DFactor> exponentials;
  TransportBasis basis;
  size_t first = 0; ///< number of its first accumulator
};

using Signature = std::map<std::pair<uint32_t, bool>, double>;
} // namespace

class TermEmitter {
public:
  TermEmitter(SplitTester &tester, SplitResult &result,
              const Expansion &expansion)
      : t(tester), ctx(tester.context), result(result), expansion(expansion),
        type(accumulatorType(tester.problem.value->type)) {}
  void run();

private:
  bool gather();
  void chooseCentres();
  Expr centreOf(Expr h);
  Expr extrapolated(Expr h);
  void emitCores();
  Expr emitCore(const Polynomial &polynomial);
  std::optional<unsigned> existingSum(Expr core);
  void emitCorrections();
  Expr moved(const Space &space, const Polynomial &member,
             const std::vector<Expr> &delta,
             const std::vector<Expr> &accumulators);
  void emitFinish();
  void describe(const std::vector<Expr> &epsilon);
  bool coversElements();

  Expr plus(Expr a, Expr b, bool negative = false) {
    return !a ? (negative ? ctx.neg(b) : b)
              : (negative ? ctx.sub(a, b) : ctx.add(a, b));
  }
  Expr times(double coefficient, Expr e);

  SplitTester &t;
  ExprContext &ctx;
  SplitResult &result;
  const Expansion &expansion;
  Type type;
  std::vector<Row> rows;
  std::vector<Space> spaces;
  /// Of every centred value, one an addend of h; null: left to the finish.
  std::vector<std::vector<Expr>> centres;
  std::vector<Expr> centredValues; ///< u about its centre, in F's type
  /// An accumulator is a core of its own or an earlier sum.
  struct Accumulator {
    Expr core;
    std::optional<unsigned> reference;
  };
  std::vector<Accumulator> accumulators;
};

Expr TermEmitter::times(double coefficient, Expr e) {
  return coefficient == 1 ? e : ctx.mul(e, ctx.constant(coefficient, e->type));
}

//===----------------------------------------------------------------------===//
// Rows and spaces
//===----------------------------------------------------------------------===//

static Signature signatureOf(const std::vector<DFactor> &factors) {
  Signature signature;
  for (const DFactor &factor : factors)
    signature[{factor.base->serial, factor.joint}] += factor.power;
  return signature;
}

bool TermEmitter::gather() {
  std::map<Signature, size_t> spaceOf;
  std::map<std::pair<Signature, size_t>, size_t> rowOf;
  for (const SeparableTerm &term : expansion.terms) {
    std::vector<DFactor> joint, deferred;
    for (const DFactor &factor : term.factors)
      (factor.joint ? joint : deferred).push_back(factor);
    auto [space, isNew] =
        spaceOf.try_emplace(signatureOf(joint), spaces.size());
    if (isNew)
      spaces.push_back({joint, {}, 0});
    auto [row, isNewRow] =
        rowOf.try_emplace({signatureOf(deferred), space->second}, rows.size());
    if (isNewRow)
      rows.push_back({deferred, space->second, {}});
    rows[row->second].polynomial[term.monomial] += term.coefficient;
  }
  for (Row &row : rows) {
    for (auto it = row.polynomial.begin(); it != row.polynomial.end();)
      it = it->second == 0 ? row.polynomial.erase(it) : std::next(it);
    if (!spaces[row.space].basis.span(row.polynomial)) {
      result.refusal = t.refuse(
          "too-many-terms", t.problem.value,
          "it takes more accumulators than a pass can keep in registers");
      return false;
    }
  }
  size_t count = 0;
  for (Space &space : spaces) {
    space.first = count;
    count += space.basis.members().size();
  }
  result.rank = count;
  return true;
}

//===----------------------------------------------------------------------===//
// Centres
//===----------------------------------------------------------------------===//

/// `h` with every sum so far taken as its share of the whole.
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

/// The running value that an addend is held against. Any would be right; a good
/// one is near the final value all the time. Logarithms are left to the finish:
/// they are small, and dear to follow; exponentials, too: on their way they may
/// be so large that nothing is left of the elements.
Expr TermEmitter::centreOf(Expr h) {
  Expr inner = skipWidening(h);
  if (inner->is(Kind::Log) || inner->is(Kind::Log2))
    return nullptr;
  for (Expr node : postOrder(h))
    if ((node->is(Kind::Exp) || node->is(Kind::Exp2)) && t.dependence.onD(node))
      return nullptr;
  std::optional<double> degree = degreeOf(h, t.problem.results);
  return degree && *degree == 0 ? h : extrapolated(h);
}

void TermEmitter::chooseCentres() {
  for (const auto &sum : expansion.exponents)
    t.addExponentReferences(result, *sum);
  for (const CentredValue &value : expansion.centred) {
    const MixedSum &sum = *value.sum;
    std::vector<Expr> &own = centres.emplace_back();
    std::unordered_set<Expr> left;
    std::unordered_map<Expr, Expr> replaced;
    for (const Addend &addend : sum.addends) {
      Expr centre = centreOf(addend.value);
      own.push_back(centre);
      if (centre)
        addReference(result.references, centre, ReferenceGuard::Centre);
      else
        left.insert(addend.value);
      if (centre) // unchanged ones, too: an addend may contain another
        replaced[addend.value] = centre;
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
  }
}

//===----------------------------------------------------------------------===//
// Cores
//===----------------------------------------------------------------------===//

/// sum over the products of atoms of atoms * (sum of powers of u).
Expr TermEmitter::emitCore(const Polynomial &polynomial) {
  Type valueType = t.problem.value->type;
  std::vector<std::pair<std::map<Expr, double, ByCreation>, Expr>> groups;
  for (const auto &[monomial, coefficient] : polynomial) {
    Expr product = nullptr;
    for (auto [u, power] : monomial.powers)
      product = ctx.mulNonUnit(
          product,
          powerOf(ctx, ctx.castFloat(centredValues[u], valueType), power));
    double size = std::fabs(coefficient);
    bool negative = coefficient < 0;
    if (!product)
      product = ctx.constant(size, valueType);
    else
      product = times(size, product);
    auto group = std::find_if(
        groups.begin(), groups.end(),
        [&atoms = monomial.atoms](auto &g) { return g.first == atoms; });
    if (group == groups.end())
      groups.emplace_back(monomial.atoms, plus(nullptr, product, negative));
    else
      group->second = plus(group->second, product, negative);
  }
  Expr core = nullptr;
  for (auto &[atoms, inner] : groups) {
    Expr product = isConstantEqual(inner, 1) ? nullptr : inner;
    for (auto [atom, power] : atoms)
      product = multiplyInto(ctx, product, ctx.castFloat(atom, valueType),
                             power, valueType);
    core = plus(core, product ? product : ctx.constant(1, valueType));
  }
  return core;
}

/// An earlier sum in the same pass over the same domain of just these values.
std::optional<unsigned> TermEmitter::existingSum(Expr core) {
  for (unsigned id = 0; id < t.problem.results.size(); ++id) {
    const ResultInfo &result = t.problem.results[id];
    if (result.kind != MonoidKind::Add || !result.samePass ||
        !result.sameDomain || !result.accumulatesPlainly || !result.value)
      continue;
    double a, b;
    if (skipWidening(result.value) == skipWidening(core) ||
        (isConstant(result.value, a) && isConstant(core, b) && a == b))
      return id;
  }
  return std::nullopt;
}

void TermEmitter::emitCores() {
  for (Space &space : spaces)
    for (const Polynomial &member : space.basis.members()) {
      Expr core = emitCore(member);
      if (std::optional<unsigned> id = existingSum(core)) {
        Type sumType = accumulatorType(t.problem.results[*id].value->type);
        Expr symbol = ctx.result(*id, sumType);
        accumulators.push_back({core, result.references.size()});
        result.references.push_back({symbol, ReferenceGuard::None, true});
        continue;
      }
      accumulators.push_back({core, std::nullopt});
      result.cores.push_back(core);
    }
}

/// Whether every element that F looks at is seen by an accumulator: a NaN among
/// what cancels would be lost otherwise.
bool TermEmitter::coversElements() {
  std::unordered_set<unsigned> seen;
  auto look = [&](Expr e) {
    for (unsigned id : symbolsOf(e, Kind::Element))
      seen.insert(id);
  };
  for (const Accumulator &accumulator : accumulators)
    look(accumulator.core);
  for (const RangeCheck &check : result.rangeChecks)
    look(check.g);
  for (unsigned id : symbolsOf(t.problem.value, Kind::Element))
    if (!seen.count(id))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Corrections
//===----------------------------------------------------------------------===//

/// sum over b of delta^b times the accumulators of the b-th derivative.
Expr TermEmitter::moved(const Space &space, const Polynomial &member,
                        const std::vector<Expr> &delta,
                        const std::vector<Expr> &values) {
  Expr result = nullptr;
  for (const MultiIndex &index : derivativesOf(member)) {
    Expr change = nullptr;
    bool vanishes = false;
    for (auto [u, power] : index) {
      vanishes |= !delta[u];
      if (delta[u])
        change = ctx.mulNonUnit(change, powerOf(ctx, delta[u], power));
    }
    if (vanishes)
      continue;
    std::vector<double> coordinates =
        space.basis.coordinates(taylorCoefficient(member, index));
    Expr part = nullptr;
    for (size_t k = 0; k < coordinates.size(); ++k) {
      double c = coordinates[k];
      if (c != 0)
        part = plus(part, times(std::fabs(c), values[space.first + k]), c < 0);
    }
    if (part)
      result = plus(result, ctx.mulNonUnit(part, change));
  }
  return result;
}

void TermEmitter::emitCorrections() {
  // The change of every centred value.
  std::vector<Expr> delta;
  for (size_t u = 0; u < centres.size(); ++u) {
    const MixedSum &sum = *expansion.centred[u].sum;
    Expr change = nullptr;
    for (size_t k = 0; k < centres[u].size(); ++k) {
      if (!centres[u][k])
        continue;
      const Addend &addend = sum.addends[k];
      Expr difference =
          ctx.sub(t.referenceSymbol(result, Kind::NewRef, centres[u][k]),
                  t.referenceSymbol(result, Kind::OldRef, centres[u][k]));
      change = plus(change, scaled(ctx, difference, addend.scale, type),
                    addend.negative);
    }
    delta.push_back(change);
  }

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

void TermEmitter::emitFinish() {
  // From the centre to h.
  std::vector<Expr> epsilon;
  for (size_t u = 0; u < centres.size(); ++u) {
    const MixedSum &sum = *expansion.centred[u].sum;
    Expr change = nullptr;
    for (size_t k = 0; k < centres[u].size(); ++k) {
      const Addend &addend = sum.addends[k];
      Expr centre = centres[u][k];
      if (centre == addend.value)
        continue;
      Expr difference = ctx.castFloat(addend.value, type);
      if (!centre) // not watched as a reference
        result.scales.push_back(addend.value);
      else
        difference = ctx.sub(difference, ctx.castFloat(centre, type));
      change = plus(change, scaled(ctx, difference, addend.scale, type),
                    addend.negative);
    }
    epsilon.push_back(change);
  }
  std::vector<Expr> values;
  unsigned next = 0;
  for (const Accumulator &accumulator : accumulators)
    values.push_back(
        accumulator.reference
            ? ctx.castFloat(result.references[*accumulator.reference].value,
                            type)
            : ctx.accumulator(next++, type));
  for (const Row &row : rows) {
    Expr part = moved(spaces[row.space], row.polynomial, epsilon, values);
    if (!part)
      continue;
    for (const DFactor &factor : row.factors) {
      part = multiplyInto(ctx, part, factor.base, factor.power, type);
      result.scales.push_back(
          multiplyInto(ctx, nullptr, factor.base, factor.power, type));
    }
    result.finish = plus(result.finish, part);
  }
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
    for (const MultiIndex &index : derivativesOf(row.polynomial)) {
      Expr change = nullptr;
      bool vanishes = false;
      for (auto [u, power] : index) {
        vanishes |= !epsilon[u];
        if (epsilon[u])
          change = ctx.mulNonUnit(change, powerOf(ctx, epsilon[u], power));
      }
      if (vanishes)
        continue;
      std::vector<double> coordinates =
          space.basis.coordinates(taylorCoefficient(row.polynomial, index));
      for (size_t k = 0; k < coordinates.size(); ++k) {
        if (coordinates[k] == 0)
          continue;
        Expr part = ctx.mulNonUnit(factor, change);
        part = part ? times(coordinates[k], part)
                    : ctx.constant(coordinates[k], type);
        Expr &sum = H[space.first + k];
        sum = plus(sum, part);
      }
    }
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

void TermEmitter::run() {
  if (!gather())
    return;
  for (const Space &space : spaces) {
    Product product;
    product.factors = space.exponentials;
    if (!t.checkExponents(result, product))
      return;
  }
  chooseCentres();
  if (result.references.size() > kMaxTerms) {
    result.refusal =
        t.refuse("too-many-terms", t.problem.value, "too many references");
    return;
  }
  emitCores();
  if (!coversElements()) {
    result.refusal =
        t.refuse("not-separable", t.problem.value,
                 "an element cancels out of it, and a NaN there would be lost",
                 "leave out what cancels");
    return;
  }
  result.cls = Class::Separable;
  emitCorrections();
  emitFinish();
  if (result.corrections.empty())
    result.references.clear();
}

void SplitTester::emitTerms(SplitResult &result, const Expansion &expansion) {
  TermEmitter(*this, result, expansion).run();
}

} // namespace cascade::algebra::detail
