//===- Comparison.h - Fused against as written, by condition ----*- C++ -*-===//

#ifndef CASCADE_TEST_LIB_CHAININTERPRETER_COMPARISON_H
#define CASCADE_TEST_LIB_CHAININTERPRETER_COMPARISON_H

#include "Interpreter.h"

#include <optional>

namespace cascade::algebra {

enum class Agreement {
  Same,     ///< within what rounding can do to the chain as written
  Replayed, ///< the row would be computed as written
  Unstable, ///< within what rounding can do to the fused chain only
  Lost,     ///< finite, but infinite or NaN as written
  Mismatch
};

struct Comparison {
  Agreement agreement = Agreement::Same;
  unsigned stage = 0;
  double got = 0, want = 0;
  const char *replay = nullptr;
};

/// Compares a chain's results on one row. How much rounding can do is measured:
/// every operation is perturbed at random, in extended precision.
class Comparer {
public:
  explicit Comparer(const Chain &chain, unsigned stages = ~0u)
      : chain(chain), stages(stages), narrow(chain, stages) {}
  /// The first disagreement among the stages.
  Comparison compare(const ChainData &data, const Segmentation &segmentation);

private:
  Agreement judge(unsigned stage, double got, const ChainData &data,
                  const Segmentation &segmentation);

  const Chain &chain;
  unsigned stages;
  Interpreter<double> narrow;
  std::optional<Interpreter<long double>> wide;
};

} // namespace cascade::algebra

#endif // CASCADE_TEST_LIB_CHAININTERPRETER_COMPARISON_H
