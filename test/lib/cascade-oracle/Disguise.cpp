//===- Disguise.cpp - Equal values that look different --------------------===//

#include "Generator.h"

namespace cascade::algebra {

static bool isSum(Expr e) { return e->is(Kind::Add) || e->is(Kind::Sub); }

/// `node` by rule number `rule`; null where it does not apply.
static Expr rewrite(ExprContext &c, Expr node, unsigned rule) {
  auto is = [&](Kind kind) { return node->is(kind); };
  Expr a = node->operands.empty() ? nullptr : node->operand(0);
  Expr b = node->operands.size() < 2 ? nullptr : node->operand(1);
  Expr one = c.constant(1, node->type);
  switch (rule) {
  case 0: // commutes
    return is(Kind::Add) || is(Kind::Mul) ? c.binary(node->kind, b, a)
                                          : nullptr;
  case 1: // associates
    if ((is(Kind::Add) || is(Kind::Mul)) && a->kind == node->kind)
      return c.binary(node->kind, a->operand(0),
                      c.binary(node->kind, a->operand(1), b));
    if ((is(Kind::Add) || is(Kind::Mul)) && b->kind == node->kind)
      return c.binary(node->kind, c.binary(node->kind, a, b->operand(0)),
                      b->operand(1));
    return nullptr;
  case 2: // distributes
    if (is(Kind::Mul) && isSum(b))
      return c.binary(b->kind, c.mul(a, b->operand(0)),
                      c.mul(a, b->operand(1)));
    if ((is(Kind::Mul) || is(Kind::Div)) && isSum(a))
      return c.binary(a->kind, c.binary(node->kind, a->operand(0), b),
                      c.binary(node->kind, a->operand(1), b));
    return nullptr;
  case 3:
    return is(Kind::Sub) ? c.add(a, c.neg(b)) : nullptr;
  case 4:
    return is(Kind::Div) ? c.mul(a, c.div(one, b)) : nullptr;
  case 5:
    if (is(Kind::Mul) && a == b)
      return c.pow(a, c.constant(2, node->type));
    return is(Kind::Pow) && isConstantEqual(b, 2) ? c.mul(a, a) : nullptr;
  case 6:
    if (is(Kind::Exp) && a->is(Kind::Sub))
      return c.div(c.exp(a->operand(0)), c.exp(a->operand(1)));
    return is(Kind::Exp) && a->is(Kind::Add)
               ? c.mul(c.exp(a->operand(0)), c.exp(a->operand(1)))
               : nullptr;
  case 7:
    return is(Kind::Neg) ? c.mul(c.constant(-1, node->type), a)
                         : c.neg(c.neg(node));
  case 8:
    if (is(Kind::Sqrt))
      return c.pow(a, c.constant(0.5, node->type));
    return is(Kind::Rsqrt) ? c.div(one, c.sqrt(a)) : nullptr;
  case 9:
    return c.mul(c.mul(node, c.constant(4, node->type)),
                 c.constant(0.25, node->type));
  case 10:
    return is(Kind::Log) && a->is(Kind::Div)
               ? c.sub(c.log(a->operand(0)), c.log(a->operand(1)))
               : nullptr;
  case 11: // (s - t)^2 written out
    if (is(Kind::Mul) && a == b && a->is(Kind::Sub)) {
      Expr s = a->operand(0), t = a->operand(1);
      Expr cross = c.mul(c.constant(2, node->type), c.mul(s, t));
      return c.add(c.sub(c.mul(s, s), cross), c.mul(t, t));
    }
    return nullptr;
  default: // factors out
    if (isSum(node) && a->is(Kind::Mul) && b->is(Kind::Mul))
      for (int i : {0, 1})
        for (int j : {0, 1})
          if (a->operand(i) == b->operand(j))
            return c.mul(a->operand(i), c.binary(node->kind, a->operand(1 - i),
                                                 b->operand(1 - j)));
    return nullptr;
  }
}

Expr disguise(ExprContext &context, Expr value, Random &random,
              unsigned times) {
  for (unsigned tries = 0; times > 0 && tries < 40; ++tries) {
    std::vector<Expr> nodes = postOrder(value);
    Expr node = nodes[random.below(nodes.size())];
    if (node->type != Type::F32 || node->is(Kind::FloatConstant))
      continue;
    Expr next = rewrite(context, node, random.below(13));
    if (!next)
      continue;
    value = substitute(context, value, {{node, next}});
    --times;
  }
  return value;
}

} // namespace cascade::algebra
