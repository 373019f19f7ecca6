//===- ChainCheck.h - Fused against unfused, in doubles ---------*- C++ -*-===//

#ifndef CASCADE_TEST_UNIT_ALGEBRA_CHAINCHECK_H
#define CASCADE_TEST_UNIT_ALGEBRA_CHAINCHECK_H

#include "Comparison.h"

#include <string>
#include <vector>

namespace cascade::algebra {

/// A chain that is written down and checked.
class CheckedChain : public Chain {
public:
  std::vector<double> parameters;

  Expr x(unsigned i) { return context.element(i); }
  Expr p(unsigned i) { return context.parameter(i); }
  Expr c(double value) { return context.constant(value); }
  Expr exp(Expr e) { return context.exp(e); }
  Expr add(Expr a, Expr b) { return context.add(a, b); }
  Expr sub(Expr a, Expr b) { return context.sub(a, b); }
  Expr mul(Expr a, Expr b) { return context.mul(a, b); }
  Expr div(Expr a, Expr b) { return context.div(a, b); }
  Expr square(Expr a) { return context.mul(a, a); }

  Expr sum(Expr value) { return reduce(MonoidKind::Add, value); }
  Expr maximum(Expr value) { return reduce(MonoidKind::Max, value); }
  Expr minimum(Expr value) { return reduce(MonoidKind::Min, value); }
  /// The mean of `value`, which adds a stage.
  Expr mean(Expr value) { return div(sum(value), extent()); }

  /// The verdict of the last stage.
  SplitResult last();
  SplitProblem lastProblem();

  /// Evaluates the chain fused - in one to eight segments whose states are
  /// merged - and unfused, on random, ascending, shifted and partly empty data,
  /// and tries to refute every accepted verdict. Empty text if all agree, else
  /// what does not.
  std::string check();

private:
  std::string compare(Comparer &comparer, const ChainData &data,
                      unsigned segments);
  unsigned numElements() const;
  unsigned compared = 0;
};

} // namespace cascade::algebra

#endif // CASCADE_TEST_UNIT_ALGEBRA_CHAINCHECK_H
