//===- EmitTerms.cpp - The accumulators of a sum of products --------------===//

#include "TermEmitter.h"

#include <algorithm>
#include <cmath>

namespace cascade::algebra::detail {

Expr TermEmitter::times(double coefficient, Expr e) {
  return coefficient == 1 ? e : ctx.mul(e, ctx.constant(coefficient, e->type));
}

//===----------------------------------------------------------------------===//
// Rows and spaces
//===----------------------------------------------------------------------===//

using Signature = std::map<std::pair<uint32_t, bool>, double>;

static Signature signatureOf(const std::vector<DFactor> &factors) {
  Signature signature;
  for (const DFactor &factor : factors)
    signature[{factor.base->serial, factor.joint}] += factor.power;
  return signature;
}

bool TermEmitter::refuse(const char *rule, Expr at, const char *reason,
                         const char *suggestion) {
  result.refusal = t.refuse(rule, at, reason, suggestion);
  return false;
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
  if (!dropCancelled())
    return false;
  size_t count = 0;
  bool fits = true;
  for (const Row &row : rows)
    fits &= spaces[row.space].basis.span(row.polynomial);
  for (Space &space : spaces) {
    space.first = count;
    count += space.basis.members().size();
  }
  if (!fits || count > kMaxAccumulators)
    return refuse(
        "too-many-terms", t.problem.value,
        "it takes more accumulators than a pass can keep in registers");
  result.rank = count;
  return true;
}

/// Leaves out terms that cancel. A NaN in what cancels is lost unless another
/// term has it, too.
bool TermEmitter::dropCancelled() {
  std::unordered_set<Expr> kept, dropped;
  for (Row &row : rows)
    for (auto it = row.polynomial.begin(); it != row.polynomial.end();) {
      bool cancels = it->second == 0;
      for (auto [atom, power] : it->first.atoms)
        (cancels ? dropped : kept).insert(atom);
      for (auto [u, power] : it->first.powers)
        (cancels ? dropped : kept).insert(expansion.centred[u].node);
      it = cancels ? row.polynomial.erase(it) : std::next(it);
    }
  bool isLost = kept.empty();
  for (Expr atom : dropped)
    isLost |= !kept.count(atom);
  return !isLost || refuseCancelled();
}

bool TermEmitter::refuseCancelled() {
  return refuse("not-separable", t.problem.value,
                "an element cancels out of it, and a NaN there would be lost",
                "leave out what cancels");
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
// All of it
//===----------------------------------------------------------------------===//

void TermEmitter::run() {
  if (!gather())
    return;
  for (const Space &space : spaces) {
    Product product;
    product.factors = space.exponentials;
    if (!t.checkExponents(result, product))
      return;
  }
  if (!chooseCentres())
    return;
  if (result.references.size() > kMaxTerms) {
    refuse("too-many-terms", t.problem.value, "too many references");
    return;
  }
  emitCores();
  if (!coversElements()) {
    refuseCancelled();
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
