//===- SplitOrder.cpp - (max, add), (max, mul >= 0) and Boolean pairs -----===//
//
// For maxima and minima of what is no chain of monotone operations on one value
// of elements (Monotone.cpp): addends or factors of earlier results between
// those of elements.
//
//===----------------------------------------------------------------------===//

#include "SplitDetail.h"

#include <cmath>

namespace cascade::algebra::detail {

/// F = g(X) + h(D): max F = max g + h.
static void emitSum(SplitTester &t, SplitResult &result, const MixedSum &sum) {
  ExprContext &context = t.context;
  Expr value = t.problem.value;
  Type type = accumulatorType(value->type);
  result.cls = Class::Separable;
  result.rank = 1;
  result.cores = {sum.g ? sum.g : context.constant(0, value->type)};
  result.finish = context.accumulator(0, type);
  for (const Addend &addend : sum.addends) {
    Expr v = scaled(context, addend.value, addend.scale, type);
    result.finish = addend.negative ? context.sub(result.finish, v)
                                    : context.add(result.finish, v);
  }
  result.deferred = sum.h;
  result.deferredCombine = spelling(Action::Add);
  result.terms.push_back({result.core(), sum.h,
                          std::string(spelling(Action::Add)), Form::Deferred,
                          "added once, after the reduction"});
}

/// Every factor of H has to be proved >= 0; the others are named.
static std::optional<Refusal> checkSigns(SplitTester &t,
                                         const Product &product) {
  const Distribution *entry = findDistribution(t.problem.kind, Action::Mul);
  if (!entry || entry->condition != SideCondition::NonNegative)
    return std::nullopt;
  for (const DFactor &factor : product.factors) {
    bool even = std::fmod(factor.power, 2) == 0;
    if (even || t.signs.of(factor.base).nonNegative)
      continue;
    return t.refuse("sign-not-proved", factor.base,
                    "a factor moves out of a maximum or minimum only if it is "
                    "proved not negative",
                    "take its absolute value or square if that is what is "
                    "meant");
  }
  return std::nullopt;
}

SplitResult SplitTester::splitOrder() {
  SplitResult result;
  if (splitMonotone(result))
    return result;
  MixedSum sum = splitSum(*this, problem.value);
  if (!sum.refusal) {
    emitSum(*this, result, sum);
    result.legality = Legality::Reassociating;
    return result;
  }
  Expr value = recombineExponentials(*this, problem.value, result.joined);
  Factorisation f = factorise(*this, value);
  if (!f.refusal && f.product.state == Product::SumOfProducts)
    f.refusal = sum.refusal;
  if (!f.refusal)
    f.refusal = checkSigns(*this, f.product);
  if (f.refusal) {
    result.refusal = f.refusal;
    return result;
  }
  emitProduct(result, value, f);
  result.legality = Legality::Reassociating;
  return result;
}

//===----------------------------------------------------------------------===//
// Boolean: or over (g and h) = (or over g) and h, its dual, and xor
//===----------------------------------------------------------------------===//

SplitResult SplitTester::splitBoolean() {
  SplitResult result;
  bool isAnd = findDistribution(problem.kind, Action::And) != nullptr;
  Kind joint = isAnd ? Kind::And : Kind::Or;
  Expr neutral = context.integer(isAnd, Type::I1);
  Expr G = nullptr, H = nullptr;
  std::vector<Expr> pending{problem.value};
  std::unordered_set<Expr> seen{problem.value}; // idempotent: each once
  while (!pending.empty()) {
    Expr node = pending.back();
    pending.pop_back();
    if (dependence.mixed(node)) {
      if (!node->is(joint)) {
        result.refusal = refuseNode(node);
        return result;
      }
      for (unsigned i : {1u, 0u})
        if (seen.insert(node->operand(i)).second)
          pending.push_back(node->operand(i));
      continue;
    }
    Expr &side = dependence.onD(node) ? H : G;
    side = side ? context.binary(joint, side, node) : node;
  }
  result.cls = Class::Separable;
  result.rank = 1;
  result.cores = {G ? G : neutral};
  result.deferred = H;
  result.deferredCombine = spelling(isAnd ? Action::And : Action::Or);
  result.finish = context.binary(joint, context.accumulator(0, Type::I1), H);
  result.terms.push_back({result.core(), H, result.deferredCombine,
                          Form::Deferred, "applied once, after the reduction"});
  return result;
}

} // namespace cascade::algebra::detail
