//===- Terms.cpp - A value as a sum of separable terms --------------------===//
//
// Bottom-up over the operations that a sum passes through. A sum g(X) + h(D)
// stays one centred value, so that its powers can be moved from one centre to
// another. Everything else that is mixed has to be one product. Terminates: one
// visit a node of a finite DAG, and at most kMaxTerms terms a node.
//
//===----------------------------------------------------------------------===//

#include "SplitDetail.h"

#include <algorithm>
#include <cmath>

namespace cascade::algebra::detail {

namespace {

using Terms = std::vector<SeparableTerm>;

class TermExpander {
public:
  TermExpander(SplitTester &tester) : t(tester), ctx(tester.context) {}
  Expansion run(Expr value);

private:
  std::vector<Expr> collect(Expr value);
  bool isCentred(Expr node);
  bool isOpen(Expr node);

  std::optional<Refusal> visit(Expr node, Terms &out);
  std::optional<Refusal> visitDiv(Expr node, Terms &out);
  std::optional<Refusal> visitSelect(Expr node, Terms &out);
  std::optional<Refusal> visitProduct(Expr node, Terms &out);
  std::optional<Refusal> visitExp(Expr node, Terms &out);

  Terms termsOf(Expr node);
  SeparableTerm times(const SeparableTerm &a, const SeparableTerm &b);
  std::optional<Refusal> multiply(Expr at, const Terms &a, const Terms &b,
                                  Terms &out);
  std::optional<Refusal> append(Expr at, const Terms &from, double factor,
                                Terms &out);
  Refusal tooMany(Expr at);
  Expr atomsOf(const SeparableTerm &term, Type type);

  SplitTester &t;
  ExprContext &ctx;
  Expansion result;
  std::unordered_map<Expr, Terms> done; ///< until their last use
  std::unordered_map<Expr, unsigned> uses;
  std::unordered_map<Expr, unsigned> centred;
  std::unordered_map<Expr, std::shared_ptr<const MixedSum>> exponents;
  unsigned attempts = 0;
};

} // namespace

Refusal TermExpander::tooMany(Expr at) {
  return t.refuse(
      "too-many-terms", at,
      "written out, it is a sum of more than " + std::to_string(kMaxTerms) +
          " terms, or of a power above " + std::to_string(kMaxDegree));
}

//===----------------------------------------------------------------------===//
// Which nodes are looked into
//===----------------------------------------------------------------------===//

/// Whether the sum `node` is g(X) + h(D).
bool TermExpander::isCentred(Expr node) {
  if (!node->is(Kind::Add) && !node->is(Kind::Sub))
    return false;
  if (centred.count(node))
    return true;
  // A long sum that is none is not asked at every addend.
  if (++attempts > kMaxTerms)
    return false;
  MixedSum sum = splitSum(t, node);
  if (sum.refusal || !sum.g)
    return false;
  centred[node] = result.centred.size();
  result.centred.push_back(
      {node, std::make_shared<const MixedSum>(std::move(sum))});
  return true;
}

static bool isPositiveInteger(Expr e, double &value) {
  return isConstant(e, value) && value == std::floor(value) && value > 0 &&
         value <= kMaxDegree;
}

/// Whether the operands of `node` are expanded first.
bool TermExpander::isOpen(Expr node) {
  double exponent;
  switch (node->kind) {
  case Kind::Add:
  case Kind::Sub:
    return !isCentred(node);
  case Kind::Mul:
  case Kind::Div:
  case Kind::Neg:
  case Kind::Widen:
  case Kind::Narrow:
  case Kind::Select:
    return true;
  case Kind::Pow:
    return isPositiveInteger(node->operand(1), exponent);
  default:
    return false;
  }
}

std::vector<Expr> TermExpander::collect(Expr value) {
  std::vector<Expr> nodes{value};
  std::unordered_set<Expr> seen{value};
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!isOpen(nodes[i]))
      continue;
    for (Expr operand : nodes[i]->operands)
      if (t.dependence.mixed(operand) && isFloat(operand->type) &&
          seen.insert(operand).second)
        nodes.push_back(operand);
  }
  std::sort(nodes.begin(), nodes.end(), ByCreation());
  for (Expr node : nodes)
    if (isOpen(node))
      for (Expr operand : node->operands)
        ++uses[operand];
  return nodes;
}

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

/// The terms of an operand: found before if mixed, else one.
Terms TermExpander::termsOf(Expr node) {
  if (auto it = done.find(node); it != done.end()) {
    if (--uses[node] > 0)
      return it->second;
    Terms terms = std::move(it->second);
    done.erase(it);
    return terms;
  }
  SeparableTerm term;
  double constant;
  if (isConstant(node, constant))
    term.coefficient = constant;
  else if (!t.dependence.onX(node)) // constant during the pass, or D
    term.factors.push_back({skipWidening(node), node, 1, false, nullptr});
  else
    term.monomial.atoms[skipWidening(node)] = 1;
  return {term};
}

/// Multiplies base^power into base^total. a^2 / a is not a: where a factor met
/// its inverse and something is left, a / a is kept besides, which is 1 or NaN.
static bool cancels(double &total, double power) {
  bool meets = total * power <= 0;
  total += power;
  return meets && total != 0;
}

static void addFactor(ExprContext &ctx, std::vector<DFactor> &factors,
                      DFactor factor) {
  for (DFactor &f : factors)
    if (f.base == factor.base && f.joint == factor.joint) {
      if (cancels(f.power, factor.power) && !f.joint) {
        Expr one = ctx.div(f.base, f.base);
        factors.push_back({one, one, 1, false, nullptr});
      }
      return;
    }
  factors.push_back(std::move(factor));
}

SeparableTerm TermExpander::times(const SeparableTerm &a,
                                  const SeparableTerm &b) {
  SeparableTerm product = a;
  product.coefficient *= b.coefficient;
  auto &atoms = product.monomial.atoms;
  for (auto [atom, power] : b.monomial.atoms)
    if (auto [it, isNew] = atoms.try_emplace(atom, power);
        !isNew && cancels(it->second, power))
      atoms[ctx.div(atom, atom)] = 1;
  for (auto [u, power] : b.monomial.powers)
    product.monomial.powers[u] += power;
  for (const DFactor &factor : b.factors)
    addFactor(ctx, product.factors, factor);
  return product;
}

std::optional<Refusal> TermExpander::multiply(Expr at, const Terms &a,
                                              const Terms &b, Terms &out) {
  if (a.size() * b.size() > kMaxTerms)
    return tooMany(at);
  for (const SeparableTerm &x : a)
    for (const SeparableTerm &y : b) {
      out.push_back(times(x, y));
      if (out.back().monomial.atoms.size() > kMaxTerms ||
          out.back().factors.size() > kMaxTerms)
        return tooMany(at);
      for (auto [u, power] : out.back().monomial.powers)
        if (power > kMaxDegree)
          return tooMany(at);
    }
  return std::nullopt;
}

std::optional<Refusal> TermExpander::append(Expr at, const Terms &from,
                                            double factor, Terms &out) {
  for (SeparableTerm term : from) {
    term.coefficient *= factor;
    out.push_back(std::move(term));
  }
  if (out.size() > kMaxTerms)
    return tooMany(at);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Only a single product is divided by.
std::optional<Refusal> TermExpander::visitDiv(Expr node, Terms &out) {
  Terms divisor = termsOf(node->operand(1));
  if (divisor.size() != 1 || !divisor[0].monomial.powers.empty() ||
      divisor[0].coefficient == 0)
    return t.refuse("not-separable", node,
                    "it divides by a sum in which elements and earlier results "
                    "cannot be separated");
  SeparableTerm inverse = divisor[0];
  inverse.coefficient = 1 / inverse.coefficient;
  for (auto &[atom, power] : inverse.monomial.atoms)
    power = -power;
  for (DFactor &factor : inverse.factors)
    factor.power = -factor.power;
  return multiply(node, termsOf(node->operand(0)), {inverse}, out);
}

Expr TermExpander::atomsOf(const SeparableTerm &term, Type type) {
  Expr product = nullptr;
  if (term.coefficient != 1)
    product = ctx.constant(term.coefficient, type);
  for (auto [atom, power] : term.monomial.atoms)
    product =
        multiplyInto(ctx, product, ctx.castFloat(atom, type), power, type);
  return product ? product : ctx.constant(1, type);
}

/// Terms with the same powers and factors in both arms become one.
std::optional<Refusal> TermExpander::visitSelect(Expr node, Terms &out) {
  Expr condition = node->operand(0);
  if (t.dependence.mixed(condition))
    return t.refuseNode(condition);
  Terms arms[2] = {termsOf(node->operand(1)), termsOf(node->operand(2))};
  Type type = node->type;
  Expr one = ctx.constant(1, type), zero = ctx.constant(0, type);
  if (t.dependence.onD(condition)) {
    for (int arm : {0, 1}) {
      Expr chosen = arm == 0 ? ctx.select(condition, one, zero)
                             : ctx.select(condition, zero, one);
      for (SeparableTerm &term : arms[arm])
        addFactor(ctx, term.factors, {chosen, chosen, 1, false, nullptr});
      if (auto refusal = append(node, arms[arm], 1, out))
        return refusal;
    }
    return std::nullopt;
  }
  auto signature = [](const SeparableTerm &term) {
    std::map<std::pair<Expr, bool>, double> powers;
    for (const DFactor &factor : term.factors)
      powers[{factor.base, factor.joint}] += factor.power;
    return std::make_pair(term.monomial.powers, powers);
  };
  for (int arm : {0, 1})
    for (SeparableTerm &term : arms[arm]) {
      if (term.coefficient == 0)
        continue;
      Expr values[2] = {zero, zero};
      values[arm] = atomsOf(term, type);
      for (SeparableTerm &other : arms[1 - arm])
        if (other.coefficient != 0 && signature(other) == signature(term)) {
          values[1 - arm] = atomsOf(other, type);
          other.coefficient = 0; // taken
          break;
        }
      SeparableTerm chosen = term;
      term.coefficient = 0; // taken
      chosen.coefficient = 1;
      chosen.monomial.atoms.clear();
      Expr atom = ctx.select(condition, values[0], values[1]);
      chosen.monomial.atoms[atom] = 1;
      out.push_back(std::move(chosen));
    }
  if (out.size() > kMaxTerms)
    return tooMany(node);
  return std::nullopt;
}

/// exp(g + h), kept as written against a running h.
std::optional<Refusal> TermExpander::visitExp(Expr node, Terms &out) {
  MixedSum sum = splitSum(t, node->operand(0));
  if (sum.refusal)
    return sum.refusal;
  if (!sum.g)
    return t.refuseNode(node);
  SeparableTerm term;
  term.monomial.atoms[node] = 1;
  Expr base = ctx.unary(node->kind, sum.h);
  result.exponents.push_back(std::make_shared<const MixedSum>(std::move(sum)));
  term.factors.push_back({base, node, 1, true, result.exponents.back()});
  out.push_back(std::move(term));
  return std::nullopt;
}

/// Any other operation: one product.
std::optional<Refusal> TermExpander::visitProduct(Expr node, Terms &out) {
  Factorisation f = factorise(t, node);
  if (!f.refusal && f.product.state == Product::SumOfProducts)
    return t.refuseNode(node);
  if (f.refusal)
    return f.refusal;
  if (f.product.deferAll)
    return t.refuseNode(node);
  SeparableTerm term;
  Expr rest = dropFactors(ctx, node, [&](Expr e) {
    if (t.dependence.mixed(e))
      return e->is(Kind::Exp) || e->is(Kind::Exp2) ? Visit::Keep
                                                   : Visit::Descend;
    return t.dependence.onD(e) ? Visit::Drop : Visit::Keep;
  });
  if (rest)
    term.monomial.atoms[rest] = 1;
  term.factors = f.product.factors;
  for (auto &sum : f.exponents)
    result.exponents.push_back(sum);
  out.push_back(std::move(term));
  return std::nullopt;
}

std::optional<Refusal> TermExpander::visit(Expr node, Terms &out) {
  double exponent;
  switch (node->kind) {
  case Kind::Add:
  case Kind::Sub: {
    if (auto it = centred.find(node); it != centred.end()) {
      SeparableTerm term;
      term.monomial.powers[it->second] = 1;
      out.push_back(std::move(term));
      return std::nullopt;
    }
    if (auto refusal = append(node, termsOf(node->operand(0)), 1, out))
      return refusal;
    return append(node, termsOf(node->operand(1)), node->is(Kind::Sub) ? -1 : 1,
                  out);
  }
  case Kind::Mul:
    return multiply(node, termsOf(node->operand(0)), termsOf(node->operand(1)),
                    out);
  case Kind::Div:
    return visitDiv(node, out);
  case Kind::Neg:
    return append(node, termsOf(node->operand(0)), -1, out);
  case Kind::Widen:
    return append(node, termsOf(node->operand(0)), 1, out);
  case Kind::Narrow:
    if (auto refusal = t.lookThroughNarrow(node))
      return refusal;
    return append(node, termsOf(node->operand(0)), 1, out);
  case Kind::Select:
    return visitSelect(node, out);
  case Kind::Exp:
  case Kind::Exp2:
    return visitExp(node, out);
  case Kind::Pow: {
    if (!isPositiveInteger(node->operand(1), exponent))
      return visitProduct(node, out);
    Terms base = termsOf(node->operand(0));
    out = base;
    for (int i = 1; i < exponent; ++i) {
      Terms next;
      if (auto refusal = multiply(node, out, base, next))
        return refusal;
      out = std::move(next);
    }
    return std::nullopt;
  }
  default:
    return visitProduct(node, out);
  }
}

Expansion TermExpander::run(Expr value) {
  for (Expr node : collect(value)) {
    Terms terms;
    if ((result.refusal = visit(node, terms)))
      return std::move(result);
    done[node] = std::move(terms);
  }
  uses[value] = 1;
  result.terms = termsOf(value);
  return std::move(result);
}

Expansion expand(SplitTester &tester, Expr value) {
  return TermExpander(tester).run(value);
}

} // namespace cascade::algebra::detail
