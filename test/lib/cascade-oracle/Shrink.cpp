//===- Shrink.cpp - The smallest chain that still fails -------------------===//

#include "Shrink.h"

namespace cascade::algebra {

namespace {
/// The stages as written.
struct Plain {
  MonoidKind kind;
  Expr value, predicate;
};
} // namespace

static std::vector<Plain> plain(const Chain &chain) {
  std::vector<Plain> list;
  for (const Chain::Stage &stage : chain.stages())
    list.push_back({stage.kind, stage.value, stage.predicate});
  return list;
}

/// A chain in the same context.
static Chain rebuilt(const Chain &chain, const std::vector<Plain> &stages) {
  Chain copy = chain.empty();
  for (const Plain &stage : stages)
    copy.reduce(stage.kind, stage.value, stage.predicate);
  return copy;
}

/// What may stand for `node`, the simplest first.
static std::vector<Expr> simpler(ExprContext &context, Expr node) {
  std::vector<Expr> list;
  if (node->kind <= Kind::IntConstant)
    return list;
  if (isFloat(node->type)) {
    list.push_back(context.constant(1, node->type));
    list.push_back(context.element(0, node->type));
  }
  for (Expr operand : node->operands)
    if (operand->type == node->type)
      list.push_back(operand);
  return list;
}

/// `stages` without number `gone`, which nothing uses.
static bool without(ExprContext &context, std::vector<Plain> &stages,
                    unsigned gone) {
  std::unordered_map<Expr, Expr> renamed;
  for (const Plain &stage : stages)
    for (Expr node : postOrder({stage.value, stage.predicate}))
      if (node->is(Kind::Result)) {
        if (node->id == gone)
          return false;
        if (node->id > gone)
          renamed[node] = context.result(node->id - 1, node->type);
      }
  stages.erase(stages.begin() + gone);
  for (Plain &stage : stages) {
    stage.value = substitute(context, stage.value, renamed);
    if (stage.predicate)
      stage.predicate = substitute(context, stage.predicate, renamed);
  }
  return true;
}

Chain shrink(const Chain &chain, const std::function<bool(Chain &)> &fails) {
  std::vector<Plain> best = plain(chain);
  ExprContext &context = chain.context;
  auto accept = [&](std::vector<Plain> candidate) {
    if (candidate.empty())
      return false;
    Chain copy = rebuilt(chain, candidate);
    if (!fails(copy))
      return false;
    best = std::move(candidate);
    return true;
  };
  auto pass = [&]() {
    std::vector<Plain> shorter(best.begin(), best.end() - 1);
    if (accept(shorter))
      return true;
    for (unsigned i = 0; i + 1 < best.size(); ++i) {
      std::vector<Plain> fewer = best;
      if (without(context, fewer, i) && accept(fewer))
        return true;
    }
    for (unsigned i = best.size(); i-- > 0;) {
      std::vector<Plain> open = best;
      if (open[i].predicate) {
        open[i].predicate = nullptr;
        if (accept(open))
          return true;
      }
      std::vector<Expr> nodes = postOrder(best[i].value);
      for (size_t k = nodes.size(); k-- > 0;)
        for (Expr other : simpler(context, nodes[k])) {
          std::vector<Plain> candidate = best;
          candidate[i].value =
              substitute(context, best[i].value, {{nodes[k], other}});
          if (candidate[i].value != best[i].value && accept(candidate))
            return true;
        }
    }
    return false;
  };
  for (unsigned budget = 400; budget-- > 0 && pass();)
    ;
  return rebuilt(chain, best);
}

std::string describe(Chain &chain) {
  chain.fuse();
  std::string text;
  for (size_t i = 0; i < chain.stages().size(); ++i) {
    const Chain::Stage &stage = chain.stages()[i];
    text += "  r" + std::to_string(i) + " = " +
            std::string(info(stage.kind).name) + " " + print(stage.value);
    if (stage.predicate)
      text += " where " + print(stage.predicate);
    text += "\n";
  }
  const SplitResult &v = chain.stages().back().verdict;
  text += "  last: " + std::string(spelling(v.cls)) + ", rank " +
          std::to_string(v.rank) + ", moving rounding " +
          (chain.options.allowMoveRounding ? "allowed" : "not allowed") + "\n";
  for (Expr core : v.cores)
    text += "    core " + print(core) + "\n";
  for (const Reference &ref : v.references)
    text += "    reference " + print(ref.value) + " " +
            std::string(spelling(ref.guard)) +
            (ref.isAccumulator ? " accumulator\n" : "\n");
  for (Expr correction : v.corrections)
    text += "    correction " + print(correction) + "\n";
  if (v.finish)
    text += "    finish " + print(v.finish) + "\n";
  return text;
}

} // namespace cascade::algebra
