//===- Factor.cpp - A value as a product G(X) H(D) ------------------------===//
//
// Bottom-up over the nodes that a factor can pass through. The part in X is an
// expression, so its size does not matter; the factors in D are a list of at
// most kMaxTerms.
//
//===----------------------------------------------------------------------===//

#include "SplitDetail.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace cascade::algebra::detail {

Expr powerOf(ExprContext &context, Expr base, double power) {
  double whole = std::floor(power), rest = power - whole;
  if ((rest != 0 && rest != 0.5) || power < 0 || power > 8)
    return context.pow(base, context.constant(power, base->type));
  Expr result = nullptr;
  for (int i = 0; i < whole; ++i)
    result = context.mulNonUnit(result, base);
  if (rest != 0)
    result = context.mulNonUnit(result, context.sqrt(base));
  return result ? result : context.constant(1, base->type);
}

std::vector<std::pair<Expr, double>> leafFactors(Dependence &dependence,
                                                 Expr root) {
  std::vector<std::pair<Expr, double>> leaves;
  for (auto [factor, power] : factorsOf(root, true).powers)
    if (!dependence.neutral(factor))
      leaves.emplace_back(factor, power);
  return leaves;
}

class Factoriser {
public:
  Factoriser(SplitTester &tester) : t(tester), ctx(tester.context) {}
  Factorisation run(Expr value);

private:
  std::vector<Expr> collect(Expr value) const;
  Product productOf(Expr e);
  std::optional<Refusal> visit(Expr e, Product &out);
  std::optional<Refusal> visitMul(Expr e, Product &out);
  std::optional<Refusal> visitDiv(Expr e, Product &out);
  std::optional<Refusal> visitExp(Expr e, Product &out);
  std::optional<Refusal> visitPower(Expr e, double power, Product &out);
  std::optional<Refusal> visitAbs(Expr e, Product &out);
  std::optional<Refusal> visitSum(Expr e, Expr a, Expr b, Product &out);
  std::optional<Refusal> visitSelect(Expr e, Product &out);
  std::optional<Refusal> multiply(Expr e, Product &into, const Product &by,
                                  double sign);
  static bool sameFactors(const Product &a, const Product &b);
  Expr orOne(Expr g, Type type) { return g ? g : ctx.constant(1, type); }

  SplitTester &t;
  ExprContext &ctx;
  std::unordered_map<Expr, Product> done;
  std::vector<std::shared_ptr<const MixedSum>> exponents;
};

/// Whether factors of the operands can become factors of the node.
static bool isTransparent(Expr e) {
  switch (e->kind) {
  case Kind::Mul:
  case Kind::Div:
  case Kind::Neg:
  case Kind::Abs:
  case Kind::Sqrt:
  case Kind::Rsqrt:
  case Kind::Pow:
  case Kind::Widen:
  case Kind::Narrow:
  case Kind::Add:
  case Kind::Sub:
  case Kind::Select:
    return true;
  default:
    return false;
  }
}

std::vector<Expr> Factoriser::collect(Expr value) const {
  std::vector<Expr> nodes{value};
  std::unordered_set<Expr> seen{value};
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!isTransparent(nodes[i]))
      continue;
    for (Expr operand : nodes[i]->operands)
      if (t.dependence.mixed(operand) && isFloat(operand->type) &&
          seen.insert(operand).second)
        nodes.push_back(operand);
  }
  std::sort(nodes.begin(), nodes.end(),
            [](Expr a, Expr b) { return a->serial < b->serial; });
  return nodes;
}

/// The product of an operand: done before if mixed, else one atom.
Product Factoriser::productOf(Expr e) {
  if (auto it = done.find(e); it != done.end())
    return it->second;
  Product p;
  if (t.dependence.onD(e)) {
    Expr atom = skipWidening(e);
    p.factors.push_back({atom, e, 1, false, nullptr});
    return p;
  }
  p.g = e;
  if (isConstantEqual(e, 0))
    p.state = Product::Zero;
  return p;
}

std::optional<Refusal> Factoriser::multiply(Expr e, Product &into,
                                            const Product &by, double sign) {
  for (const DFactor &factor : by.factors) {
    auto same = std::find_if(
        into.factors.begin(), into.factors.end(), [&](const DFactor &f) {
          return f.base == factor.base && f.source == factor.source;
        });
    if (same != into.factors.end()) {
      same->power += sign * factor.power;
      same->rooted |= factor.rooted;
      continue;
    }
    into.factors.push_back(factor);
    into.factors.back().power *= sign;
  }
  into.deferAll |= by.deferAll;
  if (by.state == Product::SumOfProducts && into.state != by.state) {
    into.state = by.state;
    into.at = by.at;
  }
  if (into.factors.size() > kMaxTerms)
    return t.refuse("too-many-terms", e,
                    "more than " + std::to_string(kMaxTerms) +
                        " factors of earlier results");
  return std::nullopt;
}

std::optional<Refusal> Factoriser::visitMul(Expr e, Product &out) {
  out = productOf(e->operand(0));
  Product b = productOf(e->operand(1));
  out.g = ctx.mulNonUnit(out.g, b.g);
  if (out.state == Product::Zero)
    out.state = Product::Ok; // 0 * inf is not 0: only literal zeros are
  return multiply(e, out, b, 1);
}

std::optional<Refusal> Factoriser::visitDiv(Expr e, Product &out) {
  out = productOf(e->operand(0));
  Product b = productOf(e->operand(1));
  if (b.state == Product::SumOfProducts)
    return t.refuse("not-separable", e,
                    "it divides by a sum in which elements and earlier results "
                    "cannot be separated");
  if (out.state == Product::Zero)
    out.state = Product::Ok;
  if (b.g)
    out.g = ctx.div(orOne(out.g, e->type), b.g);
  return multiply(e, out, b, -1);
}

/// exp(g + h) = exp(g) exp(h): one joint factor.
std::optional<Refusal> Factoriser::visitExp(Expr e, Product &out) {
  MixedSum sum = splitSum(t, e->operand(0));
  if (sum.refusal)
    return sum.refusal;
  out.g = ctx.unary(e->kind, sum.g);
  Expr base = ctx.unary(e->kind, sum.h);
  exponents.push_back(std::make_shared<const MixedSum>(std::move(sum)));
  out.factors.push_back({base, e, 1, true, exponents.back()});
  return std::nullopt;
}

/// (G H)^p = G^p H^p: for fractional p where all factors of H are >= 0. Then G
/// is, too, wherever the root is defined.
std::optional<Refusal> Factoriser::visitPower(Expr e, double power,
                                              Product &out) {
  out = productOf(e->operand(0));
  bool whole = power == std::floor(power);
  if (out.state == Product::SumOfProducts) {
    if (whole && power > 0)
      return std::nullopt; // a longer sum of products
    return t.refuseNode(e);
  }
  if (!whole) {
    Expr culprit = nullptr;
    for (const DFactor &factor : out.factors)
      if (!t.signs.of(factor.base).nonNegative)
        culprit = factor.base;
    if (culprit)
      return t.refuse("sign-not-proved", e,
                      "a root of a product splits only if earlier results in "
                      "it are proved not negative; " +
                          print(culprit, 80) + " is not",
                      "take the absolute value or the square of that factor");
  }
  if (out.g)
    out.g = e->is(Kind::Pow) ? ctx.pow(out.g, e->operand(1))
                             : ctx.unary(e->kind, out.g);
  for (DFactor &factor : out.factors) {
    factor.power *= power;
    factor.rooted |= !whole;
  }
  return std::nullopt;
}

std::optional<Refusal> Factoriser::visitAbs(Expr e, Product &out) {
  out = productOf(e->operand(0));
  if (out.state == Product::SumOfProducts)
    return t.refuseNode(e);
  if (out.g && !t.signs.of(out.g).nonNegative)
    out.g = ctx.abs(out.g);
  for (DFactor &factor : out.factors) {
    if (!factor.joint && !t.signs.of(factor.base).nonNegative)
      factor.base = ctx.abs(factor.base);
    factor.rooted = true;
  }
  return std::nullopt;
}

/// Whether both have the same H. A joint exp(-m) and one as written differ:
/// the first stays in the core.
bool Factoriser::sameFactors(const Product &a, const Product &b) {
  using Key = std::map<std::pair<Expr, bool>, double>;
  auto key = [](const Product &p) {
    Key powers;
    for (const DFactor &factor : p.factors)
      powers[{factor.base, factor.joint}] += factor.power;
    return powers;
  };
  return key(a) == key(b);
}

/// G1 H + G2 H = (G1 + G2) H; a zero has any factor.
std::optional<Refusal> Factoriser::visitSum(Expr e, Expr a, Expr b,
                                            Product &out) {
  Product pa = productOf(a), pb = productOf(b);
  bool zero = pa.state == Product::Zero || pb.state == Product::Zero;
  bool summed =
      pa.state == Product::SumOfProducts || pb.state == Product::SumOfProducts;
  bool same = zero || sameFactors(pa, pb);
  if (!summed && !same)
    same = takeApart(t, pa) && takeApart(t, pb) && sameFactors(pa, pb);
  if (summed || !same) {
    Expr at = pa.state == Product::SumOfProducts   ? pa.at
              : pb.state == Product::SumOfProducts ? pb.at
                                                   : e;
    out = Product();
    out.state = Product::SumOfProducts;
    out.at = at;
    return std::nullopt;
  }
  out = pa.state == Product::Zero ? pb : pa;
  out.deferAll = pa.deferAll || pb.deferAll;
  // A product of zero has no factor of its own, hence no 1 in its place.
  std::vector<Expr> operands = e->operands;
  size_t first = operands.size() - 2;
  operands[first] = orOne(pa.g, e->type);
  operands[first + 1] = orOne(pb.g, e->type);
  out.g = ctx.withOperands(e, operands);
  return std::nullopt;
}

std::optional<Refusal> Factoriser::visitSelect(Expr e, Product &out) {
  Expr condition = e->operand(0);
  if (t.dependence.mixed(condition))
    return t.refuseNode(condition);
  if (t.dependence.onD(condition))
    return t.refuse("mixed-comparison", condition,
                    "an earlier result selects between values of the elements");
  return visitSum(e, e->operand(1), e->operand(2), out);
}

std::optional<Refusal> Factoriser::visit(Expr e, Product &out) {
  double exponent;
  switch (e->kind) {
  case Kind::Mul:
    return visitMul(e, out);
  case Kind::Div:
    return visitDiv(e, out);
  case Kind::Neg:
    out = productOf(e->operand(0));
    out.g = ctx.neg(orOne(out.g, e->type));
    return std::nullopt;
  case Kind::Abs:
    return visitAbs(e, out);
  case Kind::Sqrt:
    return visitPower(e, 0.5, out);
  case Kind::Rsqrt:
    return visitPower(e, -0.5, out);
  case Kind::Pow:
    if (t.dependence.mixed(e->operand(0)) &&
        isConstant(e->operand(1), exponent))
      return visitPower(e, exponent, out);
    return t.refuseNode(e);
  case Kind::Widen:
    out = productOf(e->operand(0));
    if (out.g)
      out.g = ctx.castFloat(out.g, e->type);
    return std::nullopt;
  case Kind::Narrow:
    out = productOf(e->operand(0));
    if (out.g)
      out.g = ctx.castFloat(out.g, e->type);
    return t.lookThroughNarrow(e);
  case Kind::Exp:
  case Kind::Exp2:
    return visitExp(e, out);
  case Kind::Add:
  case Kind::Sub:
    return visitSum(e, e->operand(0), e->operand(1), out);
  case Kind::Select:
    return visitSelect(e, out);
  default:
    return t.refuseNode(e);
  }
}

Factorisation Factoriser::run(Expr value) {
  Factorisation result;
  if (!t.dependence.mixed(value)) {
    result.product = productOf(value);
    return result;
  }
  for (Expr node : collect(value)) {
    Product product;
    if ((result.refusal = visit(node, product)))
      return result;
    done[node] = std::move(product);
  }
  result.product = std::move(done[value]);
  // Factors that came in after the sum are taken apart like those within.
  if (result.product.deferAll && !takeApart(t, result.product)) {
    result.product.state = Product::SumOfProducts;
    result.product.at = value;
  }
  result.exponents = std::move(exponents);
  return result;
}

Factorisation factorise(SplitTester &tester, Expr value) {
  return Factoriser(tester).run(value);
}

} // namespace cascade::algebra::detail
