//===- SampledValues.cpp - Evaluating expressions of any type -------------===//

#include "SampledValues.h"
#include "cascade/Algebra/Tape.h"
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>

using namespace cascade;
namespace alg = cascade::algebra;

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static unsigned widthOf(alg::Type type) {
  switch (type) {
  case alg::Type::I1:
    return 1;
  case alg::Type::I8:
    return 8;
  case alg::Type::I16:
    return 16;
  case alg::Type::I32:
    return 32;
  default:
    return 64;
  }
}

/// The bits of an integer of `type`; none of what is no integer.
template <typename T>
static std::optional<uint64_t> bitsOf(T value, alg::Type type) {
  if (!(std::fabs(value) < T(9.2e18)))
    return std::nullopt;
  return static_cast<uint64_t>(static_cast<int64_t>(value)) &
         (~uint64_t(0) >> (64 - widthOf(type)));
}

/// The integer of some bits: signed, except that those of i1 are 0 and 1.
static int64_t integerOf(uint64_t bits, alg::Type type) {
  unsigned width = widthOf(type);
  if (width == 1)
    return bits & 1;
  return static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
}

/// `name` of two integers; none where that is undefined or unknown.
static std::optional<uint64_t> binaryBits(std::string_view name, uint64_t a,
                                          uint64_t b, alg::Type type) {
  int64_t sa = integerOf(a, type), sb = integerOf(b, type);
  unsigned width = widthOf(type);
  if (name == "addi")
    return a + b;
  if (name == "subi")
    return a - b;
  if (name == "muli")
    return a * b;
  if (name == "andi")
    return a & b;
  if (name == "ori")
    return a | b;
  if (name == "xori")
    return a ^ b;
  if (name == "maxsi")
    return sa > sb ? a : b;
  if (name == "minsi")
    return sa < sb ? a : b;
  if (name == "maxui")
    return a > b ? a : b;
  if (name == "minui")
    return a < b ? a : b;
  if (name == "shli" && b < width)
    return a << b;
  if (name == "shrui" && b < width)
    return a >> b;
  if (name == "shrsi" && b < width)
    return static_cast<uint64_t>(sa >> b);
  if (name == "divui" && b)
    return a / b;
  if (name == "remui" && b)
    return a % b;
  bool divides = sb != 0 && !(sa == INT64_MIN && sb == -1);
  if (name == "divsi" && divides)
    return static_cast<uint64_t>(sa / sb);
  if (name == "remsi" && divides)
    return static_cast<uint64_t>(sa % sb);
  return std::nullopt;
}

/// The value of an operation on integers, or none.
template <typename T>
static std::optional<T> applyInteger(alg::Expr e, const T *v) {
  if (e->operands.empty() || alg::isFloat(e->operand(0)->type))
    return std::nullopt;
  std::string_view name = alg::baseName(e->name);
  alg::Type from = e->operand(0)->type;
  std::optional<uint64_t> a = bitsOf(v[0], from), b;
  if (e->operands.size() == 2)
    b = bitsOf(v[1], from);
  if (e->is(alg::Kind::Cmp) && a && b)
    switch (e->predicate) {
    case alg::Predicate::IntULT:
      return *a < *b;
    case alg::Predicate::IntULE:
      return *a <= *b;
    case alg::Predicate::IntUGT:
      return *a > *b;
    case alg::Predicate::IntUGE:
      return *a >= *b;
    default:
      return std::nullopt;
    }
  if (e->is(alg::Kind::Convert) && a) {
    if (name == "extui" || name == "uitofp" || name == "index_castui")
      return static_cast<T>(*a);
    if (alg::isFloat(e->type))
      return static_cast<T>(widthOf(from) == 1 ? -integerOf(*a, from)
                                               : integerOf(*a, from));
    uint64_t extended = static_cast<uint64_t>(
        widthOf(from) == 1 ? -integerOf(*a, from) : integerOf(*a, from));
    return static_cast<T>(integerOf(extended, e->type));
  }
  if (e->is(alg::Kind::Opaque) && a && b)
    if (auto bits = binaryBits(name, *a, *b, e->type))
      return static_cast<T>(integerOf(*bits, e->type));
  if (e->is(alg::Kind::Opaque) && name == "absi" && a)
    return std::fabs(static_cast<T>(integerOf(*a, from)));
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// What `applyOperation` does not know of floats, or none.
template <typename T>
static std::optional<T> applyFloat(alg::Expr e, const T *v) {
  if (!e->is(alg::Kind::Opaque) || !alg::isFloat(e->type))
    return std::nullopt;
  std::string_view name = alg::baseName(e->name);
  switch (e->operands.size()) {
  case 1:
    if (name == "log1p")
      return std::log1p(v[0]);
    if (name == "expm1")
      return std::expm1(v[0]);
    if (name == "log10")
      return std::log10(v[0]);
    if (name == "cbrt")
      return std::cbrt(v[0]);
    if (name == "atan")
      return std::atan(v[0]);
    if (name == "sinh")
      return std::sinh(v[0]);
    if (name == "cosh")
      return std::cosh(v[0]);
    if (name == "trunc")
      return std::trunc(v[0]);
    if (name == "round")
      return std::round(v[0]);
    return std::nullopt;
  case 2:
    if (name == "atan2")
      return std::atan2(v[0], v[1]);
    if (name == "copysign")
      return std::copysign(v[0], v[1]);
    if (name == "remf")
      return std::fmod(v[0], v[1]);
    return std::nullopt;
  case 3:
    if (name == "fma")
      return v[0] * v[1] + v[2];
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

template <typename T>
T cascade::applySampled(alg::Expr e, const T *v) {
  if (auto value = applyInteger(e, v))
    return *value;
  if (auto value = applyFloat(e, v))
    return *value;
  return alg::applyOperation(e, v);
}

template double cascade::applySampled(alg::Expr, const double *);
template long double cascade::applySampled(alg::Expr, const long double *);

bool cascade::canSample(alg::Expr e) {
  // No operation that is known is undefined at ones.
  std::vector<double> ones(e->operands.size(), 1.0);
  return !std::isnan(applySampled(e, ones.data()));
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

SampledProgram::SampledProgram(const std::vector<alg::Expr> &roots,
                               bool lenient)
    : nodes(alg::postOrder(roots)) {
  std::unordered_map<alg::Expr, unsigned> slotOf;
  for (alg::Expr node : nodes) {
    unsigned slot = slotOf.size();
    slotOf[node] = slot;
    std::vector<unsigned> &from = operands.emplace_back();
    if (node->kind <= alg::Kind::Accumulator) {
      inputs.push_back(slot);
      continue;
    }
    if (node->kind > alg::Kind::IntConstant && !canSample(node)) {
      if (lenient) {
        inputs.push_back(slot);
        continue;
      }
      unknown = node;
    }
    for (alg::Expr operand : node->operands)
      from.push_back(slotOf.at(operand));
  }
  for (alg::Expr root : roots)
    outputs.push_back(slotOf.at(root));
}

template <typename T>
std::vector<T> SampledProgram::run(std::vector<T> &slots) const {
  std::vector<T> values;
  auto input = inputs.begin();
  for (unsigned slot = 0; slot < nodes.size(); ++slot) {
    if (input != inputs.end() && *input == slot) {
      ++input;
      continue;
    }
    values.clear();
    for (unsigned from : operands[slot])
      values.push_back(slots[from]);
    slots[slot] = applySampled(nodes[slot], values.data());
  }
  std::vector<T> results;
  for (unsigned output : outputs)
    results.push_back(slots[output]);
  return results;
}

template std::vector<double>
SampledProgram::run(std::vector<double> &slots) const;
template std::vector<long double>
SampledProgram::run(std::vector<long double> &slots) const;
