//===- Random.h - Random numbers, the same everywhere -----------*- C++ -*-===//
//
// Element number e of argument a under a seed is a pure function of the three:
// no state, no order, and no operation whose last bit depends on a machine or a
// library (only integer arithmetic and IEEE + - * / sqrt).
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_RUNTIME_RANDOM_H
#define CASCADE_RUNTIME_RANDOM_H

#include <cstdint>

namespace cascade::runtime {

/// A stream of random bits addressed by element.
class RandomStream {
public:
  RandomStream(uint64_t seed, uint64_t argument);

  /// 64 random bits: draw number `draw` of element `element`.
  uint64_t bits(uint64_t element, uint64_t draw = 0) const;

  /// Uniform in [0, 1), a multiple of 2^-precision; precision in [1, 53].
  double uniform(uint64_t element, unsigned precision = 53,
                 uint64_t draw = 0) const;

  /// Uniform in [0, bound), bound > 0.
  int64_t integer(uint64_t element, int64_t bound, uint64_t draw = 0) const;

  /// Standard normal, by Marsaglia's polar method ("A convenient method for
  /// generating normal variables", SIAM Review 6, 1964).
  double normal(uint64_t element) const;

private:
  uint64_t key;
};

/// The natural logarithm of a positive normal number, within 2 ulps, by IEEE
/// operations alone.
double portableLog(double x);

} // namespace cascade::runtime

#endif // CASCADE_RUNTIME_RANDOM_H
