//===- Rounding.cpp - Roundings after an earlier result has entered -------===//
//
// Exactly, they end the split. `move_rounding` carries a factor past a cast to
// a narrower float: the element is rounded all the same, at another scale.
// `approximate` leaves roundings out, casts to 8-bit floats and to integers
// too, whose saturation and absolute steps know no other scale.
//
//===----------------------------------------------------------------------===//

#include "SplitDetail.h"

#include <cmath>

namespace cascade::algebra::detail {

/// Bits of a significand, the leading one included.
static int precisionOf(Type type) {
  switch (type) {
  case Type::F64:
    return 53;
  case Type::F32:
    return 24;
  case Type::F16:
    return 11;
  case Type::BF16:
    return 8;
  case Type::F8E4M3:
    return 4;
  default:
    return 3;
  }
}

static bool isFp8(Type type) {
  return type == Type::F8E4M3 || type == Type::F8E5M2;
}

/// Whether `e` rounds a float to a whole number, and if so whether to nearest.
static std::optional<bool> roundsToInteger(Expr e) {
  if (e->is(Kind::Convert) && !isFloat(e->type) && isFloat(e->operand(0)->type))
    return false;
  if (!e->is(Kind::Opaque) || e->operands.size() != 1 || !isFloat(e->type))
    return std::nullopt;
  std::string_view name = baseName(e->name);
  if (name == "round" || name == "roundeven")
    return true;
  if (name == "floor" || name == "ceil" || name == "trunc")
    return false;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Exactly, or with another scale
//===----------------------------------------------------------------------===//

std::optional<Refusal> SplitTester::lookThroughNarrow(Expr node) {
  if (!isFp8(node->type) &&
      (problem.options.allowMoveRounding || problem.options.allowApproximate)) {
    if (!movedRounding || precisionOf(node->type) < precisionOf(*movedRounding))
      movedRounding = node->type;
    return std::nullopt;
  }
  return refuse("mixed-narrowing-cast", node,
                std::string("rounding to ") + spelling(node->type) +
                    " comes after an earlier result has entered the value, so "
                    "splitting would move the rounding",
                isFp8(node->type)
                    ? "allow = [approximate], or keep the row on chip and run "
                      "two passes"
                    : "allow = [move_rounding], or round before the earlier "
                      "result is applied");
}

std::optional<Refusal> SplitTester::refuseRounding(Expr node) {
  if (node->is(Kind::Narrow))
    return lookThroughNarrow(node);
  if (roundsToInteger(node))
    return refuse("mixed-narrowing-cast", node,
                  "rounding to an integer comes after an earlier result has "
                  "entered the value",
                  "allow = [approximate], or keep the row on chip and run two "
                  "passes");
  return std::nullopt;
}

void SplitTester::describeRounding(SplitResult &result) const {
  if (!movedRounding)
    return;
  result.legality = Legality::RoundingMoving;
  result.cost = std::string("elements are rounded to ") +
                spelling(*movedRounding) +
                " at another scale: each by up to 2^-" +
                std::to_string(precisionOf(*movedRounding)) +
                " of its size, as before, but not the same way";
}

//===----------------------------------------------------------------------===//
// Approximately
//===----------------------------------------------------------------------===//

/// `value` without the roundings in it that come after an earlier result; a
/// whole number that is not used as a float again keeps its rounding. What that
/// costs goes to `cost`.
Expr withoutRounding(ExprContext &context, const SplitProblem &problem,
                     std::string &cost) {
  Dependence dependence(problem.results);
  std::unordered_map<Expr, Expr> done, exact; // exact: the value not rounded
  int precision = 64;
  double step = 0;
  for (Expr node : postOrder(problem.value)) {
    std::vector<Expr> operands;
    for (Expr operand : node->operands)
      operands.push_back(done[operand]);
    Expr unrounded = node->operands.empty() ? nullptr : exact[node->operand(0)];
    bool isMixed = dependence.mixed(node);
    std::optional<bool> toNearest = roundsToInteger(node);
    if (isMixed && node->is(Kind::Narrow)) {
      exact[node] = unrounded ? unrounded : operands[0];
      precision = std::min(precision, precisionOf(node->type));
    } else if (isMixed && toNearest) {
      exact[node] = unrounded ? unrounded : operands[0];
      step = std::max(step, *toNearest ? 0.5 : 1.0);
    } else if (unrounded && node->is(Kind::Convert) && !isFloat(node->type)) {
      exact[node] = unrounded; // from integer to integer
    }
    bool becomesFloat =
        isFloat(node->type) && node->operands.size() == 1 &&
        (exact[node] ||
         (unrounded && (node->is(Kind::Widen) || node->is(Kind::Convert))));
    if (becomesFloat) {
      Expr value = exact[node] ? exact[node] : unrounded;
      // A narrow float is what the users expect, but not what is computed.
      done[node] = node->is(Kind::Narrow) || isFp8(node->type)
                       ? context.withOperands(node, std::move(operands))
                       : context.castFloat(value, node->type);
    } else {
      done[node] = context.withOperands(node, std::move(operands));
    }
  }
  Expr result = done[problem.value];
  if (result == problem.value)
    return result;
  if (precision < 64)
    cost = "a rounding by up to 2^-" + std::to_string(precision) +
           " of an element's size is left out";
  if (step > 0)
    cost += std::string(cost.empty() ? "" : "; ") +
            "a rounding to a whole number, by up to " +
            (step == 1 ? "1" : "1/2") + ", is left out";
  return result;
}

} // namespace cascade::algebra::detail
