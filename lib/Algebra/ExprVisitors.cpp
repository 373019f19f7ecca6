//===- ExprVisitors.cpp - Traversal, evaluation, substitution, cost -------===//

#include "cascade/Algebra/Tape.h"

#include <algorithm>
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

std::string_view baseName(std::string_view name) {
  name = name.substr(0, name.find('{'));
  size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
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
  case Kind::Convert:
  case Kind::Opaque:
    return b.opaque ? b.opaque(e, v) : applyOperation(e, v.data());
  default:
    return applyOperation(e, v.data());
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
