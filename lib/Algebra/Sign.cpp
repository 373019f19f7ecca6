//===- Sign.cpp - Signs by structural induction ---------------------------===//

#include "cascade/Algebra/Sign.h"

#include <cmath>

namespace cascade::algebra {

static Sign signOfConstant(double value) {
  return {value >= 0, value <= 0, value != 0};
}

static Sign negated(Sign s) {
  return {s.nonPositive, s.nonNegative, s.nonZero};
}

static Sign sum(Sign a, Sign b) {
  Sign s;
  s.nonNegative = a.nonNegative && b.nonNegative;
  s.nonPositive = a.nonPositive && b.nonPositive;
  s.nonZero = (s.nonNegative || s.nonPositive) && (a.nonZero || b.nonZero);
  return s;
}

static Sign product(Sign a, Sign b) {
  return {(a.nonNegative && b.nonNegative) || (a.nonPositive && b.nonPositive),
          (a.nonNegative && b.nonPositive) || (a.nonPositive && b.nonNegative),
          a.nonZero && b.nonZero};
}

static Sign larger(Sign a, Sign b) {
  Sign s;
  s.nonNegative = a.nonNegative || b.nonNegative;
  s.nonPositive = a.nonPositive && b.nonPositive;
  s.nonZero = a.positive() || b.positive() || (a.nonZero && b.nonZero);
  return s;
}

static Sign either(Sign a, Sign b) {
  return {a.nonNegative && b.nonNegative, a.nonPositive && b.nonPositive,
          a.nonZero && b.nonZero};
}

static Sign power(Expr e, Sign base) {
  double exponent;
  if (isConstant(e->operand(1), exponent) && std::fmod(exponent, 2) == 0)
    return {true, false, base.nonZero};
  return {base.nonNegative, false, base.nonNegative && base.nonZero};
}

static Sign lookUp(const std::vector<Sign> &facts, unsigned id) {
  return id < facts.size() ? facts[id] : Sign::unknown();
}

Sign SignAnalysis::transfer(Expr e) {
  auto operand = [&](unsigned i) { return known[e->operand(i)]; };
  switch (e->kind) {
  case Kind::Element:
    return lookUp(facts.elements, e->id);
  case Kind::Result:
    return lookUp(facts.results, e->id);
  case Kind::Parameter:
    return lookUp(facts.parameters, e->id);
  case Kind::FloatConstant:
    return signOfConstant(e->number);
  case Kind::IntConstant:
    return signOfConstant(static_cast<double>(e->integer));
  case Kind::Add:
    return sum(operand(0), operand(1));
  case Kind::Sub:
    return sum(operand(0), negated(operand(1)));
  case Kind::Mul:
    // x x >= 0
    if (skipWidening(e->operand(0)) == skipWidening(e->operand(1)))
      return {true, false, operand(0).nonZero};
    return product(operand(0), operand(1));
  case Kind::Div: {
    // The sign of a / b is that of a b, but only a makes it zero.
    Sign s = product(operand(0), operand(1));
    s.nonZero = operand(0).nonZero;
    return s;
  }
  case Kind::Neg:
    return negated(operand(0));
  case Kind::Abs:
  case Kind::Sqrt:
    return {true, false, operand(0).nonZero};
  case Kind::Exp:
  case Kind::Exp2:
  case Kind::Rsqrt:
    return Sign::aboveZero();
  case Kind::Pow:
    return power(e, operand(0));
  case Kind::Max:
  case Kind::MaxNum:
    return larger(operand(0), operand(1));
  case Kind::Min:
  case Kind::MinNum:
    return negated(larger(negated(operand(0)), negated(operand(1))));
  case Kind::Select:
    return either(operand(1), operand(2));
  case Kind::Tanh:
  case Kind::Widen:
    return operand(0);
  case Kind::Narrow: {
    Sign s = operand(0); // may round to zero
    s.nonZero = false;
    return s;
  }
  case Kind::Convert: {
    std::string_view name = baseName(e->name);
    if (name == "uitofp" || name == "extui")
      return {true, false, operand(0).nonZero};
    if (name != "sitofp" && name != "fptosi" && name != "index_cast")
      return Sign::unknown();
    Sign s = operand(0);
    s.nonZero &= name == "sitofp";
    // An index or a narrower integer may wrap.
    return name == "index_cast" && e->type < Type::I64 ? Sign::unknown() : s;
  }
  default:
    return Sign::unknown();
  }
}

Sign SignAnalysis::of(Expr e) {
  std::vector<Expr> pending{e};
  while (!pending.empty()) {
    Expr node = pending.back();
    size_t before = pending.size();
    if (!known.count(node))
      for (Expr operand : node->operands)
        if (!known.count(operand))
          pending.push_back(operand);
    if (pending.size() != before)
      continue;
    pending.pop_back();
    if (!known.count(node)) {
      Sign s = transfer(node);
      known[node] = s;
    }
  }
  return known[e];
}

} // namespace cascade::algebra
