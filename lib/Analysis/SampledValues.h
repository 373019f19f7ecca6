//===- SampledValues.h - Evaluating expressions of any type ---*- C++ -*-===//

#ifndef CASCADE_LIB_ANALYSIS_SAMPLEDVALUES_H
#define CASCADE_LIB_ANALYSIS_SAMPLEDVALUES_H

#include "cascade/Algebra/Expr.h"

namespace cascade {

/// The value of an operation from those of its operands, as
/// algebra::applyOperation and with what that does not know: integers in two's
/// complement, unsigned comparisons and casts, more functions. NaN where it is
/// undefined or unknown. For double and long double.
template <typename T>
T applySampled(algebra::Expr node, const T *operands);

/// Whether applySampled knows the operation of `node`.
bool canSample(algebra::Expr node);

/// Expressions as a list of operations on numbered slots, operands first.
struct SampledProgram {
  std::vector<algebra::Expr> nodes;
  std::vector<std::vector<unsigned>> operands;
  /// The slots that the caller fills: symbols and, if `lenient`, operations
  /// that applySampled does not know.
  std::vector<unsigned> inputs;
  std::vector<unsigned> outputs; ///< one a root
  /// An operation that applySampled does not know, unless `lenient`.
  algebra::Expr unknown = nullptr;

  SampledProgram(const std::vector<algebra::Expr> &roots, bool lenient);

  /// One value a root. `slots` has one value a node, those of inputs filled.
  template <typename T>
  std::vector<T> run(std::vector<T> &slots) const;
};

} // namespace cascade

#endif // CASCADE_LIB_ANALYSIS_SAMPLEDVALUES_H
