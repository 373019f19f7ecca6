//===- ChainCheck.h - Fused against unfused, in doubles ---------*- C++ -*-===//

#ifndef CASCADE_TEST_UNIT_ALGEBRA_CHAINCHECK_H
#define CASCADE_TEST_UNIT_ALGEBRA_CHAINCHECK_H

#include "cascade/Algebra/SplitTest.h"

#include <string>
#include <vector>

namespace cascade::algebra {

/// A chain over one axis: stage i defines Result(i).
class Chain {
public:
  ExprContext context;
  SplitOptions options;
  std::vector<double> parameters;
  std::vector<Sign> parameterFacts;

  Expr x(unsigned i) { return context.element(i); }
  Expr p(unsigned i) { return context.parameter(i); }
  Expr c(double value) { return context.constant(value); }

  /// Adds a stage and gives its Result.
  Expr reduce(MonoidKind kind, Expr value);
  Expr sum(Expr value) { return reduce(MonoidKind::Add, value); }
  Expr maximum(Expr value) { return reduce(MonoidKind::Max, value); }

  SplitProblem problem(unsigned stage) const;
  SplitResult split(unsigned stage);
  /// The verdict of the last stage.
  SplitResult last() { return split(stages.size() - 1); }

  /// Evaluates the chain fused - step by step, in `segments` segments whose
  /// states are merged - and unfused, on random, ascending, shifted and partly
  /// empty data, and tries to refute every accepted verdict. Empty text if all
  /// agree, else what does not.
  std::string check();

private:
  struct Stage {
    MonoidKind kind;
    Expr value;
    Sign sign;
  };
  struct State {
    bool seen = false;
    std::vector<std::vector<double>> accumulators; ///< of every stage
    std::vector<std::vector<double>> references;
  };
  using Row = std::vector<double>; ///< the elements of one iteration

  double combine(MonoidKind kind, double a, double b) const;
  double identity(MonoidKind kind) const;
  std::vector<double> unfused(const std::vector<Row> &rows) const;
  /// Results of stages before `stage` as the state stands.
  std::vector<double> results(const State &state, unsigned stage) const;
  std::vector<double> guarded(const std::vector<double> &results,
                              unsigned stage) const;
  std::vector<double> corrected(const State &state, unsigned stage,
                                const std::vector<double> &to) const;
  State start() const;
  State step(const State &state, const Row &row) const;
  State merge(const State &a, const State &b) const;
  std::string compare(const std::vector<Row> &rows, unsigned segments) const;

  std::vector<Stage> stages;
  std::vector<SplitResult> verdicts;
  unsigned numElements = 0;
};

} // namespace cascade::algebra

#endif // CASCADE_TEST_UNIT_ALGEBRA_CHAINCHECK_H
