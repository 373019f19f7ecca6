//===- Recombine.cpp - exp(g) exp(h) as the stable exp(g + h) -------------===//
//
// exp(x) / exp(m) overflows where exp(x - m) does not. Only factors of the
// whole value are looked at, and a pair is joined only if both stand in it
// equally often.
//
//===----------------------------------------------------------------------===//

#include "SplitDetail.h"

#include <algorithm>

namespace cascade::algebra::detail {

namespace {
/// A factor of the value and how often it multiplies and divides.
struct ExpFactor {
  Expr node;
  unsigned above = 0, below = 0;
};
} // namespace

static bool isProductNode(Expr e) {
  return e->is(Kind::Mul) || e->is(Kind::Div) || e->is(Kind::Neg) ||
         e->is(Kind::Widen);
}

/// The exponentials among the factors; none if there are too many factors.
static std::vector<ExpFactor> exponentials(Expr value) {
  std::vector<ExpFactor> found;
  std::vector<std::pair<Expr, bool>> pending{{value, false}};
  unsigned budget = 4 * kMaxTerms;
  while (!pending.empty()) {
    if (budget-- == 0)
      return {};
    auto [node, below] = pending.back();
    pending.pop_back();
    if (isProductNode(node)) {
      if (node->operands.size() == 2)
        pending.emplace_back(node->operand(1), below != node->is(Kind::Div));
      pending.emplace_back(node->operand(0), below);
      continue;
    }
    if (!node->is(Kind::Exp) && !node->is(Kind::Exp2))
      continue;
    auto it = std::find_if(found.begin(), found.end(),
                           [n = node](auto &f) { return f.node == n; });
    if (it == found.end())
      it = found.insert(found.end(), {node});
    ++(below ? it->below : it->above);
  }
  return found;
}

/// g + h or g - h as it would be written.
static Expr joinExponents(ExprContext &context, Expr g, Expr h, bool minus) {
  if (h->is(Kind::Neg)) {
    h = h->operand(0);
    minus = !minus;
  }
  return minus ? context.sub(g, h) : context.add(g, h);
}

/// Joins one pair; null if there is none.
static Expr joinOnePair(SplitTester &t, Expr value, std::vector<Expr> &joined) {
  std::vector<ExpFactor> factors = exponentials(value);
  for (const ExpFactor &d : factors) {
    if (!t.dependence.pureD(d.node))
      continue;
    for (const ExpFactor &x : factors) {
      if (!t.dependence.onX(x.node) || x.node->kind != d.node->kind ||
          x.node->type != d.node->type)
        continue;
      bool same = x.above == d.above && x.below == d.below;
      bool opposite = x.above == d.below && x.below == d.above;
      if (!same && !opposite)
        continue;
      Expr joint = t.context.unary(x.node->kind,
                                   joinExponents(t.context, x.node->operand(0),
                                                 d.node->operand(0), !same));
      joined.push_back(d.node);
      return dropFactors(t.context, value,
                         [&](Expr e) {
                           if (e == d.node)
                             return Visit::Drop;
                           return isProductNode(e) ? Visit::Descend
                                                   : Visit::Keep;
                         },
                         {{x.node, joint}});
    }
  }
  return nullptr;
}

Expr recombineExponentials(SplitTester &tester, Expr value,
                           std::vector<Expr> &joined) {
  while (Expr next = joinOnePair(tester, value, joined))
    value = next;
  return value;
}

} // namespace cascade::algebra::detail
