// Laws of corrections, on random chains: two changes of references in turn are
// one, no change is the identity, and an empty state stays empty.

#include "Generator.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace cascade::algebra;

namespace {

using Values = std::vector<double>;

class Law {
public:
  Law(const Chain::Stage &stage, Random &random)
      : stage(stage), split(stage.verdict), random(random) {
    for (const Reference &ref : split.references)
      sums.push_back(ref.isAccumulator ? random.normal() : 0);
  }
  /// Random references; what serves as an accumulator does not change.
  Values references() {
    Values values = sums;
    for (size_t k = 0; k < values.size(); ++k)
      if (!split.references[k].isAccumulator)
        values[k] = 0.5 + random.unit();
    return values;
  }
  Values move(const Values &state, const Values &from, const Values &to) {
    Bindings b;
    b.parameters = {0.75, 1.25, 3};
    b.accumulators = state;
    b.oldRefs = from;
    b.newRefs = to;
    Values moved;
    for (Expr correction : split.corrections)
      moved.push_back(evaluate(correction, b));
    return moved;
  }
  std::string check();

private:
  std::string text(const char *law) const {
    std::string corrections;
    for (Expr correction : split.corrections)
      corrections += "\n  " + print(correction);
    return print(stage.value) + ": " + law + corrections;
  }
  const Chain::Stage &stage;
  const SplitResult &split;
  Random &random;
  Values sums;
};

} // namespace

std::string Law::check() {
  Values state(split.cores.size());
  for (double &value : state)
    value = random.normal();
  Values d0 = references(), d1 = references(), d2 = references();
  Values between = move(state, d0, d1);
  Values twice = move(between, d1, d2), once = move(state, d0, d2);
  double size = 1;
  for (const Values *values : {&state, &between, &once, &sums})
    for (double value : *values)
      size = std::max(size, std::fabs(value));
  for (size_t i = 0; i < once.size(); ++i)
    if (!(std::fabs(twice[i] - once[i]) <= 1e-10 * size))
      return text("two changes are not one");
  if (move(state, d0, d0) != state)
    return text("equal references change something");
  bool ordered = info(stage.kind).ordered;
  double identity = ordered ? -info(stage.kind).direction *
                                  std::numeric_limits<double>::infinity()
                            : 0;
  std::fill(state.begin(), state.end(), identity);
  for (size_t k = 0; k < sums.size(); ++k)
    if (split.references[k].isAccumulator)
      d0[k] = d1[k] = 0;
  return move(state, d0, d1) == state ? "" : text("an empty state is filled");
}

TEST(SplitCocycle, HoldsForRandomChains) {
  unsigned checked = 0, beyondOne = 0;
  for (uint64_t seed = 1; seed <= 4000; ++seed) {
    Sample sample = Generator(seed).chain();
    sample.chain.fuse();
    Random random(seed);
    for (const Chain::Stage &stage : sample.chain.stages()) {
      if (stage.verdict.corrections.empty())
        continue;
      ++checked;
      beyondOne += stage.verdict.cores.size() > 1;
      ASSERT_EQ(Law(stage, random).check(), "") << "seed " << seed;
    }
  }
  EXPECT_GT(checked, 1000u);
  EXPECT_GT(beyondOne, 300u);
}
