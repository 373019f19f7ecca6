//===- Degree.cpp - How values grow with the data seen --------------------===//
//
// A sum over part of the data is in proportion to that part, a maximum is not.
// As the reference of a running pass, an estimate of the final value serves
// best: a sum is worth its value so far times what is left to come.
//
//===----------------------------------------------------------------------===//

#include "SplitDetail.h"

namespace cascade::algebra::detail {

using Degree = std::optional<double>;

static Degree sum(Degree a, Degree b, double sign = 1) {
  return a && b ? Degree(*a + sign * *b) : std::nullopt;
}

static Degree equal(Degree a, Degree b) {
  return a && b && *a == *b ? a : std::nullopt;
}

static Degree zeroIfZero(Degree a) { return a && *a == 0 ? a : std::nullopt; }

namespace {
class DegreeAnalysis {
public:
  explicit DegreeAnalysis(const std::vector<ResultInfo> &results)
      : results(results) {}
  Degree of(Expr root);

private:
  Degree transfer(Expr node);
  Degree ofResult(Expr node);
  const std::vector<ResultInfo> &results;
  std::unordered_map<Expr, Degree> known;
};
} // namespace

/// The value of an earlier reduction is analysed with it, so its degree is
/// known here if it is a node of the same problem.
Degree DegreeAnalysis::ofResult(Expr node) {
  if (node->id >= results.size())
    return std::nullopt;
  const ResultInfo &result = results[node->id];
  if (!result.samePass)
    return 0;
  if (!result.value)
    return std::nullopt;
  Degree value = known[result.value];
  if (info(result.kind).ordered)
    return value;
  return result.kind == MonoidKind::Add ? sum(value, 1) : std::nullopt;
}

Degree DegreeAnalysis::transfer(Expr node) {
  if (!node->contains(Kind::Result))
    return 0;
  auto operand = [&](unsigned k) { return known[node->operand(k)]; };
  double exponent;
  switch (node->kind) {
  case Kind::Result:
    return ofResult(node);
  case Kind::Add:
  case Kind::Sub:
  case Kind::Max:
  case Kind::Min:
  case Kind::MaxNum:
  case Kind::MinNum:
    return equal(operand(0), operand(1));
  case Kind::Mul:
    return sum(operand(0), operand(1));
  case Kind::Div:
    return sum(operand(0), operand(1), -1);
  case Kind::Neg:
  case Kind::Abs:
  case Kind::Widen:
  case Kind::Narrow:
    return operand(0);
  case Kind::Sqrt:
  case Kind::Rsqrt:
    if (Degree d = operand(0))
      return *d * (node->is(Kind::Sqrt) ? 0.5 : -0.5);
    return std::nullopt;
  case Kind::Pow:
    if (Degree d = operand(0); d && isConstant(node->operand(1), exponent))
      return *d * exponent;
    return std::nullopt;
  case Kind::Log:
  case Kind::Log2: // within a few units of its final value all the time
    return operand(0) ? Degree(0) : std::nullopt;
  case Kind::Exp:
  case Kind::Exp2:
  case Kind::Tanh:
    return zeroIfZero(operand(0));
  case Kind::Select:
    return equal(operand(1), operand(2));
  default:
    return std::nullopt;
  }
}

Degree DegreeAnalysis::of(Expr root) {
  std::vector<Expr> pending{root};
  while (!pending.empty()) {
    Expr node = pending.back();
    if (known.count(node)) {
      pending.pop_back();
      continue;
    }
    size_t before = pending.size();
    for (Expr operand : node->operands)
      if (!known.count(operand))
        pending.push_back(operand);
    if (node->is(Kind::Result) && node->id < results.size() &&
        results[node->id].samePass)
      if (Expr value = results[node->id].value; value && !known.count(value))
        pending.push_back(value);
    if (pending.size() != before)
      continue;
    pending.pop_back();
    Degree degree = transfer(node);
    known[node] = degree;
  }
  return known[root];
}

std::optional<double> degreeOf(Expr e, const std::vector<ResultInfo> &results) {
  return DegreeAnalysis(results).of(e);
}

} // namespace cascade::algebra::detail
