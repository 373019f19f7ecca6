//===- TakeApart.cpp - D-only factors down to their leaves ----------------===//
//
// Addends written apart have the same factor only after it has been taken
// apart: x * (2 * r) + y * r = (x * 2 + y) * r, x * rsqrt(b) = x / sqrt(b).
//
//===----------------------------------------------------------------------===//

#include "SplitDetail.h"

#include <algorithm>
#include <map>

namespace cascade::algebra::detail {

bool isProductLike(Expr e) {
  auto isProduct = [](Kind kind) {
    return kind == Kind::Mul || kind == Kind::Div || kind == Kind::Neg ||
           kind == Kind::Widen;
  };
  auto isRoot = [](Kind kind) {
    return kind == Kind::Sqrt || kind == Kind::Rsqrt;
  };
  // A root of a product would need the sign of every factor.
  if (isRoot(e->kind))
    return !isProduct(e->operand(0)->kind) && !isRoot(e->operand(0)->kind);
  return isProduct(e->kind);
}

/// The D-only leaves of a D-only product with their powers. Users come before
/// operands, so that a node is met once, with its whole power.
static std::vector<std::pair<Expr, double>> leavesOf(Dependence &dependence,
                                                     Expr root) {
  std::vector<std::pair<Expr, double>> leaves;
  auto later = [](Expr a, Expr b) { return a->serial > b->serial; };
  std::map<Expr, double, decltype(later)> pending(later);
  pending[root] = 1;
  while (!pending.empty()) {
    auto [node, power] = *pending.begin();
    pending.erase(pending.begin());
    if (!isProductLike(node)) {
      if (dependence.onD(node))
        leaves.emplace_back(node, power);
      continue;
    }
    double exponent = node->is(Kind::Sqrt)    ? 0.5
                      : node->is(Kind::Rsqrt) ? -0.5
                                              : 1;
    pending[node->operand(0)] += power * exponent;
    if (node->operands.size() == 2)
      pending[node->operand(1)] += node->is(Kind::Div) ? -power : power;
  }
  return leaves;
}

bool takeApart(SplitTester &t, Product &product) {
  std::vector<DFactor> apart;
  auto add = [&](const DFactor &factor) {
    for (DFactor &f : apart)
      if (f.base == factor.base && f.joint == factor.joint) {
        f.power += factor.power;
        f.rooted |= factor.rooted;
        return;
      }
    apart.push_back(factor);
  };
  for (const DFactor &factor : product.factors) {
    if (factor.joint || !isProductLike(factor.base)) {
      // The core loses the factor as it is written there.
      if (!factor.joint && factor.base != skipWidening(factor.source))
        return false;
      add(factor);
      continue;
    }
    for (auto [leaf, power] : leavesOf(t.dependence, factor.base)) {
      // |r s| = |r| s and sqrt(r s) = sqrt(r) sqrt(s) for r, s >= 0 only.
      if (factor.rooted && !t.signs.of(leaf).nonNegative)
        return false;
      add({leaf, leaf, power * factor.power, false, nullptr, factor.rooted});
    }
    Expr rest = dropFactors(t.context, factor.base, [&](Expr e) {
      return !t.dependence.onD(e) ? Visit::Keep
             : isProductLike(e)   ? Visit::Descend
                                  : Visit::Drop;
    });
    if (!rest)
      continue;
    Expr power = powerOf(t.context, rest, factor.power);
    if (product.g && product.g->type != power->type)
      power = t.context.castFloat(power, product.g->type);
    product.g = t.context.mulNonUnit(product.g, power);
  }
  if (apart.size() > kMaxTerms)
    return false;
  product.factors = std::move(apart);
  product.deferAll = true;
  return true;
}

} // namespace cascade::algebra::detail
