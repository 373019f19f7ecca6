//===- Logarithms.cpp - log(a b) as log a + log b -------------------------===//
//
// The logarithm of a softmax, log(exp(x - m) / t), is x - m - log t. Where a or
// b is negative the sum is a NaN even if the product is not, and the row is
// replayed as for any NaN. Where the product over- or underflows in double
// precision and the sum does not, a range check sees to it.
//
//===----------------------------------------------------------------------===//

#include "SplitDetail.h"

#include <cmath>
#include <limits>

namespace cascade::algebra::detail {

/// exp of it is a normal number in double precision.
static constexpr double kExponentLimit = 700;
static const double kLn2 = std::log(2.0);

namespace {
struct Piece {
  Expr value;
  double factor;
};

class LogExpander {
public:
  LogExpander(SplitTester &tester, Expr log)
      : t(tester), log(log), base2(log->is(Kind::Log2)) {}
  /// Null: an operation is in the way.
  Expr run();
  bool needsCheck() const { return hasExponential || log->type == Type::F64; }
  bool isBounded() const { return onlyBounded; }
  bool isBase2() const { return base2; }

private:
  bool visit(Piece piece);
  Expr sumOfPieces();

  SplitTester &t;
  Expr log;
  bool base2, hasExponential = false, onlyBounded = true;
  std::vector<Piece> pending, pieces;
};
} // namespace

bool LogExpander::visit(Piece piece) {
  auto [node, factor] = piece;
  double exponent;
  if (!t.dependence.mixed(node)) {
    onlyBounded &= !t.dependence.onX(node);
    pieces.push_back({t.context.unary(log->kind, node), factor});
    return pieces.size() <= kMaxTerms;
  }
  switch (node->kind) {
  case Kind::Mul:
  case Kind::Div:
    pending.push_back(
        {node->operand(1), node->is(Kind::Div) ? -factor : factor});
    pending.push_back({node->operand(0), factor});
    return pending.size() <= kMaxTerms;
  case Kind::Widen:
    pending.push_back({node->operand(0), factor});
    return true;
  case Kind::Sqrt:
  case Kind::Rsqrt:
    pending.push_back(
        {node->operand(0), factor * (node->is(Kind::Sqrt) ? 0.5 : -0.5)});
    return true;
  case Kind::Pow:
    if (!isConstant(node->operand(1), exponent))
      return false;
    pending.push_back({node->operand(0), factor * exponent});
    return true;
  case Kind::Exp:
  case Kind::Exp2: {
    MixedSum sum = splitSum(t, node->operand(0));
    if (sum.refusal)
      return false;
    hasExponential = true;
    onlyBounded &= factor > 0 && t.isBounded(sum);
    if (node->is(Kind::Exp2) != base2)
      factor *= base2 ? 1 / kLn2 : kLn2;
    pieces.push_back({node->operand(0), factor});
    return pieces.size() <= kMaxTerms;
  }
  default:
    return false;
  }
}

Expr LogExpander::sumOfPieces() {
  Expr result = nullptr;
  for (auto [value, factor] : pieces) {
    Expr v = t.context.castFloat(value, log->type);
    if (std::fabs(factor) != 1)
      v = t.context.mul(v, t.context.constant(std::fabs(factor), log->type));
    if (!result)
      result = factor < 0 ? t.context.neg(v) : v;
    else
      result = factor < 0 ? t.context.sub(result, v) : t.context.add(result, v);
  }
  return result;
}

Expr LogExpander::run() {
  pending.push_back({log->operand(0), 1});
  while (!pending.empty()) {
    Piece next = pending.back();
    pending.pop_back();
    if (!visit(next))
      return nullptr;
  }
  return sumOfPieces();
}

Expr expandLogarithms(SplitTester &t, Expr value,
                      std::vector<RangeCheck> &checks) {
  std::unordered_map<Expr, Expr> replaced;
  for (Expr node : postOrder(value)) {
    if ((!node->is(Kind::Log) && !node->is(Kind::Log2)) ||
        !t.dependence.mixed(node))
      continue;
    LogExpander expander(t, node);
    Expr sum = expander.run();
    if (!sum)
      continue;
    MixedSum parts = splitSum(t, sum);
    if (parts.refusal || !parts.g)
      continue;
    replaced[node] = sum;
    if (!expander.needsCheck())
      continue;
    double limit = kExponentLimit / (expander.isBase2() ? kLn2 : 1);
    double high =
        expander.isBounded() ? std::numeric_limits<double>::infinity() : limit;
    checks.push_back({parts.g, parts.h, -limit, high});
  }
  return replaced.empty() ? value : substitute(t.context, value, replaced);
}

} // namespace cascade::algebra::detail
