//===- DimExpr.h - Integer expressions of dims ------------------*- C++ -*-===//
//
//   EXPR ::= integer | "dim name" | ["resident"]
//          | ["add" | "sub" | "mul" | "ceildiv" | "floordiv" | "mod" | "min" |
//             "max", EXPR, EXPR]
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_RUNTIME_DIMEXPR_H
#define CASCADE_RUNTIME_DIMEXPR_H

#include "cascade/Runtime/Error.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace cascade::runtime {

/// The values of the symbolic dims of a function.
using DimBindings = std::map<std::string, int64_t>;

enum class ExprKind {
  Constant,
  Dim,
  Resident,
  Add,
  Sub,
  Mul,
  CeilDiv,
  FloorDiv,
  Mod,
  Min,
  Max
};

/// The spelling of a binary kind in a manifest, or nullptr.
const char *nameOf(ExprKind kind);

/// An immutable expression; cheap to copy.
class DimExpr {
public:
  static DimExpr constant(int64_t value);
  static DimExpr dim(std::string name);
  /// The blocks of the launch at hand that fit on the device at once: the
  /// clusters that fit times the size of a cluster.
  static DimExpr resident();
  static DimExpr binary(ExprKind kind, DimExpr lhs, DimExpr rhs);

  DimExpr() : DimExpr(constant(0)) {}

  /// The value. Overflow of 64 bits, division by less than one, an unbound dim
  /// and `resident` where it has no value are errors.
  Expected<int64_t> evaluate(const DimBindings &dims,
                             std::optional<int64_t> resident) const;

  bool usesResident() const;
  void collectDims(std::set<std::string> &names) const;

private:
  struct Node;
  explicit DimExpr(std::shared_ptr<const Node> node) : node(std::move(node)) {}
  std::shared_ptr<const Node> node;
};

} // namespace cascade::runtime

#endif // CASCADE_RUNTIME_DIMEXPR_H
