//===- Sum.cpp - g(X) + h(D), and what depends on what --------------------===//

#include "SplitDetail.h"

namespace cascade::algebra::detail {

bool Dependence::onD(Expr e) {
  if (!e->contains(Kind::Result))
    return false;
  if (auto it = known.find(e); it != known.end())
    return it->second;
  std::vector<Expr> pending{e};
  while (!pending.empty()) {
    Expr node = pending.back();
    bool depends = node->is(Kind::Result) && samePass(node);
    bool ready = true;
    for (Expr operand : node->operands) {
      auto it = known.find(operand);
      if (it == known.end())
        pending.push_back(operand);
      ready &= it != known.end();
      depends |= it != known.end() && it->second;
    }
    if (!ready)
      continue;
    pending.pop_back();
    known[node] = depends;
  }
  return known[e];
}

bool Dependence::onlyOrdered(Expr e) const {
  for (Expr node : postOrder(e))
    if (node->is(Kind::Result) && samePass(node) &&
        (node->id >= results.size() || !info(results[node->id].kind).ordered))
      return false;
  return true;
}

Expr scaled(ExprContext &context, Expr value, Expr scale, Type type) {
  value = context.castFloat(value, type);
  return scale ? context.mul(value, context.castFloat(scale, type)) : value;
}

namespace {

/// Walks the addends of a sum. Terminates: every path ends at an addend with D,
/// of which kMaxTerms are allowed.
class SumSplitter {
public:
  SumSplitter(SplitTester &tester) : t(tester) {}
  MixedSum run(Expr root);

private:
  struct Item {
    Expr node;
    Expr scale;
    bool negative;
  };
  std::optional<Refusal> visit(Item item);
  std::optional<Refusal> visitProduct(Item item);

  SplitTester &t;
  MixedSum sum;
  std::vector<Item> pending;
};

} // namespace

/// c * mixed, mixed * c, mixed / c with c constant during the pass.
std::optional<Refusal> SumSplitter::visitProduct(Item item) {
  Expr a = item.node->operand(0), b = item.node->operand(1);
  bool isDiv = item.node->is(Kind::Div);
  if (!isDiv && t.dependence.neutral(a))
    std::swap(a, b);
  if (!t.dependence.neutral(b))
    return t.refuse("not-separable", item.node,
                    "an earlier result multiplies or divides an element inside "
                    "a sum, so the element part cannot be separated",
                    "finish the earlier reduction in its own pass");
  Expr scale = item.scale;
  if (scale)
    b = t.context.castFloat(b, scale->type);
  if (isDiv)
    scale = t.context.div(scale ? scale : t.context.constant(1, b->type), b);
  else
    scale = t.context.mulNonUnit(scale, b);
  pending.push_back({a, scale, item.negative});
  return std::nullopt;
}

std::optional<Refusal> SumSplitter::visit(Item item) {
  Expr node = item.node;
  if (!t.dependence.onD(node))
    return std::nullopt;
  if (!t.dependence.onX(node)) {
    // The reference of x + (-m) is m, as that of x - m.
    for (; node->is(Kind::Neg) || node->is(Kind::Widen);
         node = node->operand(0))
      item.negative ^= node->is(Kind::Neg);
    sum.addends.push_back({node, item.scale, item.negative});
    if (sum.addends.size() > kMaxTerms)
      return t.refuse("too-many-terms", node,
                      "a sum has more than " + std::to_string(kMaxTerms) +
                          " addends of earlier results");
    return std::nullopt;
  }
  switch (node->kind) {
  case Kind::Add:
  case Kind::Sub:
    pending.push_back(
        {node->operand(1), item.scale, item.negative != node->is(Kind::Sub)});
    pending.push_back({node->operand(0), item.scale, item.negative});
    return std::nullopt;
  case Kind::Neg:
    pending.push_back({node->operand(0), item.scale, !item.negative});
    return std::nullopt;
  case Kind::Widen:
    pending.push_back({node->operand(0), item.scale, item.negative});
    return std::nullopt;
  case Kind::Narrow:
    pending.push_back({node->operand(0), item.scale, item.negative});
    return t.lookThroughNarrow(node);
  case Kind::Mul:
  case Kind::Div:
    return visitProduct(item);
  default:
    return t.refuseNode(node);
  }
}

MixedSum SumSplitter::run(Expr root) {
  pending.push_back({root, nullptr, false});
  while (!pending.empty()) {
    Item item = pending.back();
    pending.pop_back();
    if ((sum.refusal = visit(item)))
      return std::move(sum);
  }
  Dependence &d = t.dependence;
  sum.g = dropAddends(t.context, root, [&](Expr e) {
    return d.mixed(e) ? Visit::Descend : d.onD(e) ? Visit::Drop : Visit::Keep;
  });
  for (const Addend &addend : sum.addends) {
    Expr v = scaled(t.context, addend.value, addend.scale, root->type);
    if (!sum.h)
      sum.h = addend.negative ? t.context.neg(v) : v;
    else
      sum.h =
          addend.negative ? t.context.sub(sum.h, v) : t.context.add(sum.h, v);
  }
  return std::move(sum);
}

MixedSum splitSum(SplitTester &tester, Expr e) {
  return SumSplitter(tester).run(e);
}

} // namespace cascade::algebra::detail
