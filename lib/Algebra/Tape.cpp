//===- Tape.cpp - What operations compute, and straight lines of them -----===//

#include "cascade/Algebra/Tape.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cascade::algebra {

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

template <typename T>
static constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();

template <typename T>
static bool compare(Predicate predicate, T a, T b) {
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case Predicate::OEQ:
  case Predicate::IntEQ:
    return a == b;
  case Predicate::OGT:
  case Predicate::IntSGT:
  case Predicate::IntUGT:
    return a > b;
  case Predicate::OGE:
  case Predicate::IntSGE:
  case Predicate::IntUGE:
    return a >= b;
  case Predicate::OLT:
  case Predicate::IntSLT:
  case Predicate::IntULT:
    return a < b;
  case Predicate::OLE:
  case Predicate::IntSLE:
  case Predicate::IntULE:
    return a <= b;
  case Predicate::ONE:
    return !unordered && a != b;
  case Predicate::ORD:
    return !unordered;
  case Predicate::UEQ:
    return unordered || a == b;
  case Predicate::UGT:
    return !(a <= b);
  case Predicate::UGE:
    return !(a < b);
  case Predicate::ULT:
    return !(a >= b);
  case Predicate::ULE:
    return !(a > b);
  case Predicate::UNE:
  case Predicate::IntNE:
    return a != b;
  case Predicate::UNO:
    return unordered;
  }
  return false;
}

template <typename T>
static T applyOpaque(Expr e, const T *v) {
  std::string_view n = baseName(e->name);
  if (e->operands.size() == 2) {
    if (n == "addi")
      return v[0] + v[1];
    if (n == "subi")
      return v[0] - v[1];
    if (n == "muli")
      return v[0] * v[1];
  }
  if (e->operands.size() == 1) {
    if (n == "sin")
      return std::sin(v[0]);
    if (n == "cos")
      return std::cos(v[0]);
    if (n == "erf")
      return std::erf(v[0]);
    if (n == "floor")
      return std::floor(v[0]);
    if (n == "ceil")
      return std::ceil(v[0]);
  }
  return kNaN<T>;
}

/// The larger (sign = 1) or smaller (sign = -1), NaN if either is.
template <typename T>
static T extremum(T a, T b, int sign) {
  if (std::isnan(a) || std::isnan(b))
    return kNaN<T>;
  return sign * a < sign * b ? b : a;
}

template <typename T>
static T applyArithmetic(Expr e, const T *v) {
  switch (e->kind) {
  case Kind::Add:
    return v[0] + v[1];
  case Kind::Sub:
    return v[0] - v[1];
  case Kind::Mul:
    return v[0] * v[1];
  case Kind::Div:
    return v[0] / v[1];
  case Kind::Max:
    return extremum(v[0], v[1], 1);
  case Kind::Min:
    return extremum(v[0], v[1], -1);
  case Kind::MaxNum:
    return std::fmax(v[0], v[1]);
  case Kind::MinNum:
    return std::fmin(v[0], v[1]);
  case Kind::Pow:
    return std::pow(v[0], v[1]);
  case Kind::Neg:
    return -v[0];
  case Kind::Abs:
    return std::fabs(v[0]);
  case Kind::Sqrt:
    return std::sqrt(v[0]);
  case Kind::Rsqrt:
    return 1 / std::sqrt(v[0]);
  case Kind::Exp:
    return std::exp(v[0]);
  case Kind::Exp2:
    return std::exp2(v[0]);
  case Kind::Log:
    return std::log(v[0]);
  case Kind::Log2:
    return std::log2(v[0]);
  case Kind::Tanh:
    return std::tanh(v[0]);
  default:
    return kNaN<T>;
  }
}

template <typename T>
T applyOperation(Expr e, const T *v) {
  switch (e->kind) {
  case Kind::FloatConstant:
    return static_cast<T>(e->number);
  case Kind::IntConstant:
    return static_cast<T>(e->integer);
  case Kind::And:
    return v[0] != 0 && v[1] != 0;
  case Kind::Or:
    return v[0] != 0 || v[1] != 0;
  case Kind::Xor:
    return (v[0] != 0) != (v[1] != 0);
  case Kind::Not:
    return v[0] == 0;
  case Kind::Cmp:
    return compare(e->predicate, v[0], v[1]);
  case Kind::Select:
    return v[0] != 0 ? v[1] : v[2];
  case Kind::Widen:
  case Kind::Narrow:
    return v[0];
  case Kind::Convert:
    return !isFloat(e->type) && isFloat(e->operand(0)->type) ? std::trunc(v[0])
                                                             : v[0];
  case Kind::Opaque:
    return applyOpaque(e, v);
  default:
    return applyArithmetic(e, v);
  }
}

template double applyOperation(Expr, const double *);
template long double applyOperation(Expr, const long double *);

//===----------------------------------------------------------------------===//
// Tapes
//===----------------------------------------------------------------------===//

Tape::Tape(const std::vector<Expr> &roots) {
  // Slots by serial number, to be hashed no more than once.
  uint32_t highest = 0;
  for (Expr root : roots)
    highest = std::max(highest, root->serial);
  std::vector<unsigned> slotOf(highest + 1, ~0u);
  std::vector<Expr> order;
  auto enter = [&](Expr node) {
    if (slotOf[node->serial] != ~0u)
      return;
    slotOf[node->serial] = 0;
    order.push_back(node);
  };
  for (Expr root : roots)
    enter(root);
  for (size_t i = 0; i < order.size(); ++i)
    for (Expr operand : order[i]->operands)
      enter(operand);
  std::sort(order.begin(), order.end(),
            [](Expr a, Expr b) { return a->serial < b->serial; });
  for (Expr node : order) {
    unsigned slot = numSlots++;
    slotOf[node->serial] = slot;
    if (node->kind <= Kind::Accumulator) {
      symbols.push_back({node, slot});
      continue;
    }
    if (node->kind <= Kind::IntConstant) {
      constants.push_back({node, slot});
      continue;
    }
    steps.push_back({node, slot, static_cast<unsigned>(node->operands.size())});
    for (Expr operand : node->operands)
      operandSlots.push_back(slotOf[operand->serial]);
  }
  for (Expr root : roots)
    outputs.push_back(slotOf[root->serial]);
}

} // namespace cascade::algebra
