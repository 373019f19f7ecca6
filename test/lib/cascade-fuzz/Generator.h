//===- Generator.h - Random row chains ------------------------*- C++ -*-===//

#ifndef CASCADE_TEST_GENERATOR_H
#define CASCADE_TEST_GENERATOR_H

#include "Chain.h"
#include "cascade/Runtime/Random.h"

namespace cascade::test {

/// Draws from a stream of random numbers that is the same on every machine.
class Dice {
public:
  explicit Dice(uint64_t seed) : stream(seed, /*argument=*/0) {}
  /// In [0, bound).
  int roll(int bound) { return int(stream.integer(next++, bound)); }
  bool oneIn(int n) { return roll(n) == 0; }
  template <typename T>
  const T &pick(const std::vector<T> &from) {
    return from[roll(int(from.size()))];
  }

private:
  runtime::RandomStream stream;
  uint64_t next = 0;
};

/// A chain of two to five reductions over l, most of them separable.
Chain generateChain(Dice &dice);

} // namespace cascade::test

#endif // CASCADE_TEST_GENERATOR_H
