//===- Monotone.cpp - Maps that keep the order ----------------------------===//
//
// F = phi(k(X); D), where phi is a chain of operations with one operand that
// varies over X each, all monotone in it. If phi rises,
//
//   max F = phi(max k),   argmax F = argmax k,   topk F = phi(topk k)
//
// and if it falls, the same with -k for k and phi(-v) for phi(v).
//
// Rounding: a correctly rounded operation is monotone, as rounding is, so phi
// with all of its roundings is, and the extremum of the rounded values is the
// rounded value of the extremum, bit for bit. Exponentials are not correctly
// rounded and may exchange neighbours.
//
// Special values: with addends that are finite and multipliers that are neither
// 0 nor infinite, every step takes NaN to NaN and nothing else to NaN, and
// infinities are the ends of the order. A root or a logarithm makes a NaN of a
// number, so neither is a step.
//
// Keys: the index found is that of the largest k; as written, it is the lowest
// one of those that phi makes equal. So phi has to keep keys apart: multipliers
// are watched to be moderate, and the exponentials and tanh of the keys found
// to be neither 0 nor infinite nor 1. Neighbours that rounding makes equal stay
// open, as the order of any keys that carry rounding does.
//
//===----------------------------------------------------------------------===//

#include "SplitDetail.h"

#include <algorithm>
#include <cmath>

namespace cascade::algebra::detail {

namespace {

/// Positive values of a type between which a map into it is taken to keep keys
/// apart, and the same below 1.
struct FloatRange {
  double low, high, belowOne;
};

class OrderMap {
public:
  explicit OrderMap(SplitTester &tester) : t(tester) {}

  /// Walks down to k. False: there is a fault.
  bool find(Expr value);
  const Refusal &fault() const { return *refusal; }
  bool isExact() const { return exact; }
  void emit(SplitResult &result);

private:
  struct Step {
    Expr node;
    unsigned operand; ///< the one with X
    bool falls;
  };
  std::optional<Step> stepAt(Expr node);
  std::optional<bool> fallsIn(Expr node, unsigned operand);
  bool fails(std::string rule, Expr at, std::string reason,
             std::string suggestion = "");
  void watch(SplitResult &result, const Step &step) const;
  Expr apply(SplitResult &result, Expr value);
  Term describe(const SplitResult &result) const;

  SplitTester &t;
  Expr key = nullptr;
  std::vector<Step> steps; ///< the outermost first
  bool falls = false, exact = true;
  std::optional<Refusal> refusal;
};

} // namespace

static FloatRange rangeOf(Type type) {
  auto range = [](int lowest, double high, int precision) {
    return FloatRange{std::ldexp(1, lowest), high,
                      1 - std::ldexp(1, -precision)};
  };
  switch (type) {
  case Type::F8E4M3:
    return range(-6, 448, 4);
  case Type::F8E5M2:
    return range(-14, 57344, 3);
  case Type::F16:
    return range(-14, 65504, 11);
  case Type::BF16:
    return range(-126, 0x1.FEp127, 8);
  case Type::F32:
    return range(-126, 0x1.FFFFFEp127, 24);
  default:
    return range(-1022, 0x1.FFFFFFFFFFFFFp1023, 53);
  }
}

static bool isTranscendental(Expr e) {
  return e->is(Kind::Exp) || e->is(Kind::Exp2) || e->is(Kind::Tanh);
}

//===----------------------------------------------------------------------===//
// From F to k
//===----------------------------------------------------------------------===//

bool OrderMap::fails(std::string rule, Expr at, std::string reason,
                     std::string suggestion) {
  refusal =
      t.refuse(std::move(rule), at, std::move(reason), std::move(suggestion));
  return false;
}

/// Whether `node` falls where that operand rises; none: there is a fault.
std::optional<bool> OrderMap::fallsIn(Expr node, unsigned operand) {
  switch (node->kind) {
  case Kind::Add:
  case Kind::Exp:
  case Kind::Exp2:
  case Kind::Tanh:
  case Kind::Widen:
    return false;
  case Kind::Neg:
    return true;
  case Kind::Max: // max over min(k, d) = min(max over k, d), and its dual
  case Kind::Min:
    if (!info(t.problem.kind).payload)
      return false;
    fails("not-separable", node, "it makes distinct keys equal");
    return std::nullopt;
  case Kind::Sub:
    return operand == 1;
  case Kind::Mul:
  case Kind::Div: {
    Expr other = node->operand(1 - operand);
    bool divides = node->is(Kind::Div) && operand == 1;
    Sign sign = t.signs.of(other);
    // n / v falls on either side of 0, but jumps there.
    Expr open = divides && !t.signs.of(node->operand(1)).positive()
                    ? node->operand(1)
                : sign.nonNegative || sign.nonPositive ? nullptr
                                                       : other;
    if (!open)
      return sign.nonNegative == divides;
    fails("sign-not-proved", open,
          open == other ? "a factor moves out of a maximum or minimum only if "
                          "it is proved not negative, or not positive"
                        : "a division by elements and earlier results moves "
                          "out of a maximum or minimum only if the divisor is "
                          "proved positive",
          "take its absolute value or square if that is what is meant");
    return std::nullopt;
  }
  default:
    refusal = t.refuseNode(node);
    return std::nullopt;
  }
}

std::optional<OrderMap::Step> OrderMap::stepAt(Expr node) {
  unsigned withX = 0, operand = 0;
  for (unsigned i = 0; i < node->operands.size(); ++i)
    if (t.dependence.onX(node->operand(i))) {
      ++withX;
      operand = i;
    }
  if (withX == 1)
    if (std::optional<bool> nodeFalls = fallsIn(node, operand))
      return Step{node, operand, *nodeFalls};
  if (withX != 1) {
    refusal = t.refuseNode(node);
    if (refusal->at == node && refusal->rule == "not-separable")
      refusal->reason = "elements enter it in more than one operand, so it is "
                        "no map of one value of elements";
  }
  return std::nullopt;
}

bool OrderMap::find(Expr value) {
  if (!t.dependence.onX(value))
    return fails("not-separable", value, "no element enters it");
  for (key = value; t.dependence.onD(key);) {
    std::optional<Step> step = stepAt(key);
    if (!step)
      return false;
    steps.push_back(*step);
    falls ^= step->falls;
    exact &= !isTranscendental(key);
    key = key->operand(step->operand);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// From the extremum of k to that of F
//===----------------------------------------------------------------------===//

/// Notes what the other operand of a step has to be.
void OrderMap::watch(SplitResult &result, const Step &step) const {
  if (step.node->operands.size() < 2)
    return;
  Expr other = step.node->operand(1 - step.operand);
  bool multiplies = step.node->is(Kind::Mul) || step.node->is(Kind::Div);
  double value;
  if (isConstant(other, value)) {
    double size = std::fabs(value);
    if (multiplies ? size >= 0x1p-64 && size <= 0x1p64 : std::isfinite(value))
      return;
  }
  (multiplies ? result.multipliers : result.addends).push_back(other);
}

/// phi(value), or phi(-value) if phi falls. A sign is carried outwards to where
/// it meets another one; moving it is exact.
Expr OrderMap::apply(SplitResult &result, Expr value) {
  ExprContext &c = t.context;
  bool negative = falls, isKeyed = info(t.problem.kind).payload;
  for (auto it = steps.rbegin(); it != steps.rend(); ++it) {
    auto [node, operand, stepFalls] = *it;
    Expr other = node->operands.size() > 1 ? node->operand(1 - operand) : node;
    auto rebuilt = [&](Expr with) {
      std::vector<Expr> operands = node->operands;
      operands[operand] = with;
      return c.withOperands(node, std::move(operands));
    };
    switch (node->kind) {
    case Kind::Neg:
      negative = !negative;
      break;
    case Kind::Add: // -v + d = d - v
      value = negative ? c.sub(other, value) : rebuilt(value);
      negative = false;
      break;
    case Kind::Sub: // -v - d = -(v + d) and d - (-v) = v + d
      if (negative)
        value = c.add(value, other);
      else
        value = rebuilt(value);
      negative &= operand == 0;
      break;
    case Kind::Mul:
    case Kind::Div:
    case Kind::Widen:
      value = rebuilt(value);
      break;
    default:
      value = rebuilt(negative ? c.neg(value) : value);
      negative = false;
    }
    if (isKeyed && isTranscendental(node)) {
      FloatRange range = rangeOf(node->type);
      if (node->is(Kind::Tanh))
        result.keyChecks.push_back({value, -range.belowOne, range.belowOne});
      else
        result.keyChecks.push_back({value, range.low, range.high});
    }
  }
  return negative ? c.neg(value) : value;
}

/// One addend or one factor where that is all there is to phi.
Term OrderMap::describe(const SplitResult &result) const {
  bool adds = true, multiplies = !falls;
  Expr factor = nullptr;
  for (const Step &step : steps) {
    Kind kind = step.node->kind;
    if (kind == Kind::Neg || kind == Kind::Widen)
      continue;
    adds &= kind == Kind::Add || kind == Kind::Sub;
    multiplies &= kind == Kind::Mul || (kind == Kind::Div && step.operand == 0);
    if (multiplies)
      factor =
          multiplyInto(t.context, factor, step.node->operand(1 - step.operand),
                       kind == Kind::Div ? -1 : 1, t.problem.value->type);
  }
  Expr H = result.finish;
  std::string combine = "map";
  if (adds) {
    H = splitSum(t, t.problem.value).h;
    combine = spelling(Action::Add);
  } else if (multiplies) {
    H = factor;
    combine = spelling(Action::Mul);
  }
  return {result.core(), H, std::move(combine), Form::Deferred,
          "it keeps the order and is applied once, after the reduction"};
}

void OrderMap::emit(SplitResult &result) {
  ExprContext &c = t.context;
  for (const Step &step : steps)
    watch(result, step);
  Type type = accumulatorType(t.problem.value->type);
  Expr core = !falls ? key : key->is(Kind::Neg) ? key->operand(0) : c.neg(key);
  result.cores = {c.castFloat(core, type)};
  // The extremum is one of the values of k, so this is exact.
  Expr extremum = c.castFloat(c.accumulator(0, type), key->type);
  result.finish = c.castFloat(apply(result, extremum), type);
  result.cls = Class::Separable;
  result.rank = 1;
  result.terms = {describe(result)};
}

/// False, and nothing is changed, where another form may be found.
bool SplitTester::splitMonotone(SplitResult &result) {
  OrderMap map(*this);
  bool isKeyed = info(problem.kind).payload;
  std::optional<Type> moved = movedRounding;
  if (map.find(problem.value)) {
    map.emit(result);
    result.legality = map.isExact() && !isKeyed ? Legality::BitExact
                                                : Legality::Reassociating;
    return true;
  }
  movedRounding = moved;
  if (isKeyed)
    result.refusal = map.fault();
  return isKeyed;
}

} // namespace cascade::algebra::detail
