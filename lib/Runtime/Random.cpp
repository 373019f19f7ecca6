//===- Random.cpp - Random numbers, the same everywhere -------------------===//

#include "cascade/Runtime/Random.h"

#include <cmath>
#include <cstring>
#include <initializer_list>

using namespace cascade::runtime;

/// The increment of splitmix64: 2^64 / golden ratio, odd.
static constexpr uint64_t golden = 0x9e3779b97f4a7c15;

/// The finaliser of splitmix64 (Steele, Lea, Flood, "Fast splittable
/// pseudorandom number generators", OOPSLA 2014).
static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

RandomStream::RandomStream(uint64_t seed, uint64_t argument)
    : key(mix(mix(seed + golden) + golden * (argument + 1))) {}

uint64_t RandomStream::bits(uint64_t element, uint64_t draw) const {
  return mix(mix(key + golden * (element + 1)) + golden * (draw + 1));
}

double RandomStream::uniform(uint64_t element, unsigned precision,
                             uint64_t draw) const {
  return std::ldexp(double(bits(element, draw) >> (64 - precision)),
                    -int(precision));
}

int64_t RandomStream::integer(uint64_t element, int64_t bound,
                              uint64_t draw) const {
  // The high word of a 64x64-bit product; its bias is bound / 2^64.
  using Wide = unsigned __int128;
  return int64_t(Wide(bits(element, draw)) * Wide(uint64_t(bound)) >> 64);
}

double cascade::runtime::portableLog(double x) {
  // x = m 2^e with m in [sqrt(1/2), sqrt(2)).
  int e;
  double m = std::frexp(x, &e);
  if (m < 0x1.6a09e667f3bcdp-1) {
    m *= 2;
    --e;
  }
  // log m = 2 atanh t, t = (m - 1) / (m + 1), |t| < 0.1716; the first term left
  // out is below 2^-58 of the sum.
  const double t = (m - 1) / (m + 1);
  const double t2 = t * t;
  double series = 0;
  for (double coefficient :
       {1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11,
        1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3})
    series = (series + coefficient) * t2;
  // log 2 in two parts; the first times e is exact.
  const double ln2High = 0x1.62e42feep-1, ln2Low = 0x1.a39ef35793c76p-33;
  return e * ln2High + (2 * t + (2 * t * series + e * ln2Low));
}

double RandomStream::normal(uint64_t element) const {
  for (uint64_t draw = 0;; draw += 2) {
    const double u = 2 * uniform(element, 53, draw) - 1;
    const double v = 2 * uniform(element, 53, draw + 1) - 1;
    const double s = u * u + v * v;
    if (s > 0 && s < 1)
      return u * std::sqrt(-2 * portableLog(s) / s);
  }
}
