//===- IndexRange.h - Which indices a predicate leaves --------*- C++ -*-===//
//
// A predicate that compares the index on an axis with values that do not vary
// over the axis (j < n, j >= n - window) leaves an interval of indices. What is
// found here is an expression for it over values of the chain, for whoever
// emits loops to evaluate.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_ANALYSIS_INDEXRANGE_H
#define CASCADE_ANALYSIS_INDEXRANGE_H

#include "cascade/Dialect/Cascade/IR/Axes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace cascade {

/// `ofIndex` j + sum of factor value + `constant`, where j is the index on an
/// axis, in the integers of `type`, which wrap.
struct AffineOfIndex {
  mlir::Type type; ///< an integer type of at most 64 bits, or index
  int64_t ofIndex = 0;
  llvm::SmallVector<std::pair<mlir::Value, int64_t>> terms;
  int64_t constant = 0;

  /// Bits of `type`; those of index are 64.
  unsigned getWidth() const;
  /// Whether this is j itself, in a type that holds every index.
  bool isIndex() const;
};

/// The indices j of an axis at which a predicate may hold: an interval, as an
/// expression over values that do not vary over the axis. It leaves out no
/// index at which the predicate holds; where the whole of it is `isExact`, it
/// has no other either, as long as no side of a comparison wraps around (which
/// depends on values, and which an evaluation has to test).
struct IndexRange {
  enum class Kind {
    All,     ///< every index; what is not understood, unless `isExact`
    None,    ///< no index
    Where,   ///< every index if `condition` is `isTrue`, otherwise none
    Compare, ///< those at which `lhs` and `rhs` compare by `predicate`
    Both,    ///< the intersection of `parts`
    Either,  ///< the hull of `parts`
  };

  Kind kind = Kind::All;
  bool isExact = false;
  mlir::Value condition;
  bool isTrue = true;
  AffineOfIndex lhs, rhs;
  mlir::arith::CmpIPredicate predicate = mlir::arith::CmpIPredicate::eq;
  std::vector<IndexRange> parts;
  /// Of what is not understood: what stands in the way.
  mlir::Value unknown;
  llvm::StringRef reason;

  /// The indices on `axis` at which `predicate` may hold. Of the values that do
  /// not vary over the axis, those are used that `isKnown`.
  static IndexRange of(mlir::Value predicate, unsigned axis,
                       const AxisAnalysis &axes,
                       llvm::function_ref<bool(mlir::Value)> isKnown);

  /// Whether every index is in it, whatever the values are.
  bool isEverything() const { return kind == Kind::All; }
  /// The first part that is not understood, or null.
  const IndexRange *findUnknown() const;
  /// Adds the values that the interval is computed from.
  void collectValues(llvm::SmallVectorImpl<mlir::Value> &values) const;
};

/// Whether the predicates of all reductions of `chain` over `axis` leave
/// intervals of its indices.
bool hasIntervals(ChainOp chain, unsigned axis);

} // namespace cascade

#endif // CASCADE_ANALYSIS_INDEXRANGE_H
