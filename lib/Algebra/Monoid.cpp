//===- Monoid.cpp - The table of reduction kinds --------------------------===//

#include "cascade/Algebra/Monoid.h"

using namespace cascade::algebra;

const std::vector<MonoidInfo> &cascade::algebra::monoids() {
  using M = MonoidKind;
  using D = Domain;
  // kind, name, identity, domain, ordered, idempotent, payload, direction
  static const std::vector<MonoidInfo> table = {
      {M::Add, "add", "0", D::FloatOrInteger, false, false, false, 0},
      {M::Mul, "mul", "1", D::FloatOrInteger, false, false, false, 0},
      {M::Max, "max", "-inf", D::Float, true, true, false, +1},
      {M::Min, "min", "+inf", D::Float, true, true, false, -1},
      {M::MaxNum, "maxnum", "-inf", D::Float, true, true, false, +1},
      {M::MinNum, "minnum", "+inf", D::Float, true, true, false, -1},
      {M::MaxSI, "maxsi", "least signed", D::Integer, true, true, false, +1},
      {M::MaxUI, "maxui", "0", D::Integer, true, true, false, +1},
      {M::MinSI, "minsi", "greatest signed", D::Integer, true, true, false, -1},
      {M::MinUI, "minui", "all ones", D::Integer, true, true, false, -1},
      {M::And, "and", "all ones", D::Integer, false, true, false, 0},
      {M::Or, "or", "0", D::Integer, false, true, false, 0},
      {M::Xor, "xor", "0", D::Integer, false, false, false, 0},
      {M::ArgMax, "argmax", "no entry", D::Keyed, true, true, true, +1},
      {M::ArgMin, "argmin", "no entry", D::Keyed, true, true, true, -1},
      {M::TopK, "topk", "no entry", D::Keyed, true, false, true, +1},
      {M::Combiner, "combine", "stated", D::Any, false, false, true, 0},
  };
  return table;
}

const MonoidInfo &cascade::algebra::info(MonoidKind kind) {
  return monoids()[static_cast<unsigned>(kind)];
}

std::optional<MonoidKind> cascade::algebra::monoidNamed(std::string_view name) {
  for (const MonoidInfo &entry : monoids())
    if (entry.name == name)
      return entry.kind;
  return std::nullopt;
}

std::string_view cascade::algebra::spelling(Action action) {
  static constexpr std::string_view names[] = {"mul", "add", "and", "or"};
  return names[static_cast<unsigned>(action)];
}

const std::vector<Distribution> &cascade::algebra::distributions() {
  using M = MonoidKind;
  using A = Action;
  using S = SideCondition;
  static const std::vector<Distribution> table = {
      {M::Add, A::Mul, S::None, true},
      // An increasing map of the line commutes with an order.
      {M::Max, A::Add, S::None, true},
      {M::Min, A::Add, S::None, true},
      {M::MaxNum, A::Add, S::None, true},
      {M::MinNum, A::Add, S::None, true},
      {M::Max, A::Mul, S::NonNegative, true},
      {M::Min, A::Mul, S::NonNegative, true},
      {M::MaxNum, A::Mul, S::NonNegative, true},
      {M::MinNum, A::Mul, S::NonNegative, true},
      {M::Or, A::And, S::None, false},
      {M::And, A::Or, S::None, false},
      {M::Xor, A::And, S::None, false}, // the field of two elements
  };
  return table;
}

const Distribution *cascade::algebra::findDistribution(MonoidKind reduction,
                                                       Action action) {
  for (const Distribution &entry : distributions())
    if (entry.reduction == reduction && entry.action == action)
      return &entry;
  return nullptr;
}
