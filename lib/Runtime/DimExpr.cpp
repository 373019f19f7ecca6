//===- DimExpr.cpp - Integer expressions of dims --------------------------===//

#include "cascade/Runtime/DimExpr.h"

#include <algorithm>

using namespace cascade::runtime;

struct DimExpr::Node {
  ExprKind kind;
  int64_t value = 0;
  std::string name;
  DimExpr lhs = DimExpr(nullptr), rhs = DimExpr(nullptr);
};

const char *cascade::runtime::nameOf(ExprKind kind) {
  switch (kind) {
  case ExprKind::Add:
    return "add";
  case ExprKind::Sub:
    return "sub";
  case ExprKind::Mul:
    return "mul";
  case ExprKind::CeilDiv:
    return "ceildiv";
  case ExprKind::FloorDiv:
    return "floordiv";
  case ExprKind::Mod:
    return "mod";
  case ExprKind::Min:
    return "min";
  case ExprKind::Max:
    return "max";
  case ExprKind::Constant:
  case ExprKind::Dim:
  case ExprKind::Resident:
    break;
  }
  return nullptr;
}

DimExpr DimExpr::constant(int64_t value) {
  auto node = std::make_shared<Node>();
  node->kind = ExprKind::Constant;
  node->value = value;
  return DimExpr(std::move(node));
}

DimExpr DimExpr::dim(std::string name) {
  auto node = std::make_shared<Node>();
  node->kind = ExprKind::Dim;
  node->name = std::move(name);
  return DimExpr(std::move(node));
}

DimExpr DimExpr::resident() {
  auto node = std::make_shared<Node>();
  node->kind = ExprKind::Resident;
  return DimExpr(std::move(node));
}

DimExpr DimExpr::binary(ExprKind kind, DimExpr lhs, DimExpr rhs) {
  auto node = std::make_shared<Node>();
  node->kind = kind;
  node->lhs = std::move(lhs);
  node->rhs = std::move(rhs);
  return DimExpr(std::move(node));
}

/// Rounds towards minus infinity; b > 0.
static int64_t floorDiv(int64_t a, int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

static Expected<int64_t> apply(ExprKind kind, int64_t a, int64_t b) {
  const bool divides = kind == ExprKind::CeilDiv ||
                       kind == ExprKind::FloorDiv || kind == ExprKind::Mod;
  if (divides && b <= 0)
    return Error::input(std::string(nameOf(kind)) + " by " + std::to_string(b) +
                        "; the divisor must be 1 or more");
  int64_t result = 0;
  bool overflow = false;
  switch (kind) {
  case ExprKind::Add:
    overflow = __builtin_add_overflow(a, b, &result);
    break;
  case ExprKind::Sub:
    overflow = __builtin_sub_overflow(a, b, &result);
    break;
  case ExprKind::Mul:
    overflow = __builtin_mul_overflow(a, b, &result);
    break;
  case ExprKind::CeilDiv:
    result = a / b + (a % b > 0 ? 1 : 0);
    break;
  case ExprKind::FloorDiv:
    result = floorDiv(a, b);
    break;
  case ExprKind::Mod:
    result = a % b + (a % b < 0 ? b : 0);
    break;
  case ExprKind::Min:
    result = std::min(a, b);
    break;
  case ExprKind::Max:
    result = std::max(a, b);
    break;
  case ExprKind::Constant:
  case ExprKind::Dim:
  case ExprKind::Resident:
    break;
  }
  if (overflow)
    return Error::input(std::string(nameOf(kind)) + " of " + std::to_string(a) +
                        " and " + std::to_string(b) +
                        " overflows 64 bits; use smaller dims");
  return result;
}

Expected<int64_t> DimExpr::evaluate(const DimBindings &dims,
                                    std::optional<int64_t> resident) const {
  switch (node->kind) {
  case ExprKind::Constant:
    return node->value;
  case ExprKind::Dim: {
    auto found = dims.find(node->name);
    if (found == dims.end())
      return Error::input("dim '" + node->name +
                          "' has no value; give --dim=" + node->name + "=N");
    return found->second;
  }
  case ExprKind::Resident:
    if (!resident)
      return Error::input("\"resident\" is only known on a device");
    return *resident;
  default: {
    Expected<int64_t> lhs = node->lhs.evaluate(dims, resident);
    if (!lhs)
      return lhs;
    Expected<int64_t> rhs = node->rhs.evaluate(dims, resident);
    if (!rhs)
      return rhs;
    return apply(node->kind, *lhs, *rhs);
  }
  }
}

bool DimExpr::usesResident() const {
  if (nameOf(node->kind))
    return node->lhs.usesResident() || node->rhs.usesResident();
  return node->kind == ExprKind::Resident;
}

void DimExpr::collectDims(std::set<std::string> &names) const {
  if (nameOf(node->kind)) {
    node->lhs.collectDims(names);
    node->rhs.collectDims(names);
  } else if (node->kind == ExprKind::Dim) {
    names.insert(node->name);
  }
}
