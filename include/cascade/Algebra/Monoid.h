//===- Monoid.h - Reduction kinds and what acts on them ---------*- C++ -*-===//

#ifndef CASCADE_ALGEBRA_MONOID_H
#define CASCADE_ALGEBRA_MONOID_H

#include "cascade/Algebra/Expr.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace cascade::algebra {

enum class MonoidKind : uint8_t {
  Add,
  Mul,
  Max,
  Min,
  MaxNum,
  MinNum,
  MaxSI,
  MaxUI,
  MinSI,
  MinUI,
  And,
  Or,
  Xor,
  ArgMax,
  ArgMin,
  TopK,
  Combiner
};

/// Values a kind is defined on.
enum class Domain : uint8_t {
  FloatOrInteger,
  Float,
  Integer,
  Keyed, ///< a key with an index and a payload
  Any
};

struct MonoidInfo {
  MonoidKind kind;
  std::string_view name;     ///< as the IR spells it
  std::string_view identity; ///< in words: "0", "-inf", "all ones", ...
  Domain domain;
  bool ordered;    ///< the result is one of the operands, chosen by an order
  bool idempotent; ///< a (+) a = a
  bool payload;    ///< carries more than the reduced value
  int direction;   ///< ordered kinds: +1 the largest, -1 the smallest; else 0
};

/// The table of reduction kinds, in the order of MonoidKind.
const std::vector<MonoidInfo> &monoids();
const MonoidInfo &info(MonoidKind kind);
std::optional<MonoidKind> monoidNamed(std::string_view name);

/// How an endomorphism acts on the values of a reduction.
enum class Action : uint8_t { Mul, Add, And, Or };
enum class SideCondition : uint8_t {
  None,
  NonNegative ///< the acting value is proved to be >= 0
};

/// One pair (reduction, action): (a (+) b) (x) h = (a (x) h) (+) (b (x) h), and
/// the identity of the reduction is fixed, under the side condition.
struct Distribution {
  MonoidKind reduction;
  Action action;
  SideCondition condition;
  bool floatOnly; ///< not for integer values
};

std::string_view spelling(Action action);
const std::vector<Distribution> &distributions();
/// The entry of a pair, or null.
const Distribution *findDistribution(MonoidKind reduction, Action action);

} // namespace cascade::algebra

#endif // CASCADE_ALGEBRA_MONOID_H
