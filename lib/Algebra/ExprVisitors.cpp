//===- ExprVisitors.cpp - Traversal, evaluation, substitution, cost -------===//

#include "cascade/Algebra/Expr.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cascade::algebra {

std::vector<Expr> postOrder(const std::vector<Expr> &roots) {
  std::vector<Expr> order;
  std::unordered_set<Expr> seen;
  for (Expr root : roots)
    if (root && seen.insert(root).second)
      order.push_back(root);
  for (size_t i = 0; i < order.size(); ++i)
    for (Expr operand : order[i]->operands)
      if (seen.insert(operand).second)
        order.push_back(operand);
  std::sort(order.begin(), order.end(),
            [](Expr a, Expr b) { return a->serial < b->serial; });
  return order;
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

static double lookUp(const std::vector<double> &values, unsigned id) {
  return id < values.size() ? values[id] : kNaN;
}

static bool compare(Predicate predicate, double a, double b) {
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

std::string_view baseName(std::string_view name) {
  name = name.substr(0, name.find('{'));
  size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

static double evaluateOpaque(Expr e, const std::vector<double> &v) {
  if (e->is(Kind::Convert))
    return !isFloat(e->type) && isFloat(e->operand(0)->type) ? std::trunc(v[0])
                                                             : v[0];
  std::string_view n = baseName(e->name);
  if (v.size() == 2) {
    if (n == "addi")
      return v[0] + v[1];
    if (n == "subi")
      return v[0] - v[1];
    if (n == "muli")
      return v[0] * v[1];
  }
  if (v.size() == 1) {
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
  return kNaN;
}

/// The larger (sign = 1) or smaller (sign = -1), NaN if either is.
static double extremum(double a, double b, int sign) {
  if (std::isnan(a) || std::isnan(b))
    return kNaN;
  return sign * a < sign * b ? b : a;
}

static double evaluateArithmetic(Expr e, const std::vector<double> &v) {
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
    return kNaN;
  }
}

static double evaluateNode(Expr e, const std::vector<double> &v,
                           const Bindings &b) {
  switch (e->kind) {
  case Kind::Element:
    return lookUp(b.elements, e->id);
  case Kind::Result:
    return lookUp(b.results, e->id);
  case Kind::Parameter:
    return lookUp(b.parameters, e->id);
  case Kind::OldRef:
    return lookUp(b.oldRefs, e->id);
  case Kind::NewRef:
    return lookUp(b.newRefs, e->id);
  case Kind::Accumulator:
    return lookUp(b.accumulators, e->id);
  case Kind::FloatConstant:
    return e->number;
  case Kind::IntConstant:
    return static_cast<double>(e->integer);
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
  case Kind::Opaque:
    return b.opaque ? b.opaque(e, v) : evaluateOpaque(e, v);
  default:
    return evaluateArithmetic(e, v);
  }
}

double evaluate(Expr e, const Bindings &bindings) {
  std::unordered_map<Expr, double> values;
  std::vector<double> operands;
  for (Expr node : postOrder(e)) {
    if (auto it = bindings.nodes.find(node); it != bindings.nodes.end()) {
      values[node] = it->second;
      continue;
    }
    operands.clear();
    for (Expr operand : node->operands)
      operands.push_back(values[operand]);
    values[node] = evaluateNode(node, operands, bindings);
  }
  return values[e];
}

//===----------------------------------------------------------------------===//
// Substitution, symbols, cost
//===----------------------------------------------------------------------===//

Expr substitute(ExprContext &context, Expr e,
                const std::unordered_map<Expr, Expr> &replacement) {
  if (replacement.empty())
    return e;
  std::unordered_map<Expr, Expr> done;
  for (Expr node : postOrder(e)) {
    if (auto it = replacement.find(node); it != replacement.end()) {
      done[node] = it->second;
      continue;
    }
    std::vector<Expr> operands;
    for (Expr operand : node->operands)
      operands.push_back(done[operand]);
    done[node] = context.withOperands(node, std::move(operands));
  }
  return done[e];
}

std::vector<unsigned> symbolsOf(Expr e, Kind symbolKind) {
  std::vector<unsigned> ids;
  for (Expr node : postOrder(e))
    if (node->is(symbolKind))
      ids.push_back(node->id);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

static unsigned costOf(Kind kind) {
  switch (kind) {
  case Kind::Div:
  case Kind::Sqrt:
  case Kind::Rsqrt:
    return 8;
  case Kind::Pow:
    return 32;
  case Kind::Exp:
  case Kind::Exp2:
  case Kind::Log:
  case Kind::Log2:
  case Kind::Tanh:
    return 16;
  case Kind::Widen:
    return 0;
  default:
    return kind <= Kind::IntConstant ? 0 : 1;
  }
}

unsigned cost(const std::vector<Expr> &roots) {
  unsigned total = 0;
  for (Expr node : postOrder(roots))
    total += costOf(node->kind);
  return total;
}

Expr skipWidening(Expr e) {
  while (e->is(Kind::Widen))
    e = e->operand(0);
  return e;
}

bool isConstant(Expr e, double &value) {
  e = skipWidening(e);
  if (e->is(Kind::FloatConstant))
    value = e->number;
  else if (e->is(Kind::IntConstant))
    value = static_cast<double>(e->integer);
  else
    return false;
  return true;
}

bool isConstantEqual(Expr e, double value) {
  double v;
  return isConstant(e, v) && v == value;
}

} // namespace cascade::algebra
