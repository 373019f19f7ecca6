//===- Drop.cpp - Expressions without some factors or addends -------------===//

#include "SplitDetail.h"

#include <algorithm>

namespace cascade::algebra::detail {

/// The nodes to rebuild, operands first, and those dropped. `entered` lists the
/// operands of a node that are looked at.
static std::vector<Expr>
collect(Expr root, const VisitFn &visit, std::unordered_set<Expr> &dropped,
        const std::unordered_map<Expr, Expr> &replaced) {
  std::vector<Expr> pending{root}, descended;
  std::unordered_set<Expr> seen{root};
  while (!pending.empty()) {
    Expr node = pending.back();
    pending.pop_back();
    if (replaced.count(node))
      continue;
    Visit what = visit(node);
    if (what == Visit::Drop)
      dropped.insert(node);
    if (what != Visit::Descend)
      continue;
    descended.push_back(node);
    // The condition of a select and a constant exponent are no factors.
    size_t first = node->is(Kind::Select) ? 1 : 0;
    size_t last = node->is(Kind::Pow) ? 1 : node->operands.size();
    for (size_t i = first; i < last; ++i)
      if (seen.insert(node->operand(i)).second)
        pending.push_back(node->operand(i));
  }
  std::sort(descended.begin(), descended.end(),
            [](Expr a, Expr b) { return a->serial < b->serial; });
  return descended;
}

static Expr rebuildProduct(ExprContext &context, Expr node,
                           std::vector<Expr> ops) {
  Expr one = context.constant(1, node->type);
  switch (node->kind) {
  case Kind::Mul:
    if (!ops[0] || !ops[1])
      return ops[0] ? ops[0] : ops[1];
    break;
  case Kind::Div:
    if (!ops[1])
      return ops[0];
    break;
  case Kind::Neg:
  case Kind::Add:
  case Kind::Sub:
  case Kind::Select:
    break;
  default: // 1 is mapped to 1
    if (!ops[0])
      return nullptr;
    break;
  }
  for (Expr &operand : ops)
    operand = operand ? operand : one;
  return context.withOperands(node, std::move(ops));
}

static Expr rebuildSum(ExprContext &context, Expr node, std::vector<Expr> ops) {
  switch (node->kind) {
  case Kind::Add:
    if (!ops[0] || !ops[1])
      return ops[0] ? ops[0] : ops[1];
    break;
  case Kind::Sub:
    if (!ops[1])
      return ops[0];
    if (!ops[0])
      return context.neg(ops[1]);
    break;
  default: // 0 is mapped to 0
    for (Expr operand : ops)
      if (!operand)
        return nullptr;
    break;
  }
  return context.withOperands(node, std::move(ops));
}

using RebuildFn = Expr (*)(ExprContext &, Expr, std::vector<Expr>);

static Expr drop(ExprContext &context, Expr root, const VisitFn &visit,
                 const std::unordered_map<Expr, Expr> &replaced,
                 RebuildFn rebuild) {
  std::unordered_set<Expr> dropped;
  std::vector<Expr> order = collect(root, visit, dropped, replaced);
  std::unordered_map<Expr, Expr> done(replaced);
  for (Expr node : dropped)
    done[node] = nullptr;
  auto now = [&](Expr node) {
    auto it = done.find(node);
    return it == done.end() ? node : it->second;
  };
  for (Expr node : order) {
    std::vector<Expr> operands;
    for (size_t i = 0; i < node->operands.size(); ++i) {
      bool fixed =
          (i == 0 && node->is(Kind::Select)) || (i == 1 && node->is(Kind::Pow));
      operands.push_back(fixed ? node->operand(i) : now(node->operand(i)));
    }
    done[node] = rebuild(context, node, std::move(operands));
  }
  return now(root);
}

Expr dropFactors(ExprContext &context, Expr root, const VisitFn &visit,
                 const std::unordered_map<Expr, Expr> &replaced) {
  return drop(context, root, visit, replaced, rebuildProduct);
}

Expr dropAddends(ExprContext &context, Expr root, const VisitFn &visit) {
  return drop(context, root, visit, {}, rebuildSum);
}

} // namespace cascade::algebra::detail
