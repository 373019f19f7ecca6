//===- Refute.cpp - Sampling that can only reject -------------------------===//
//
// If F is a sum of r products G(X) H(D), every matrix F(x_i, d_j) has rank r at
// most. Values are taken in extended precision; how far they move when every
// operation is disturbed says how much they can be trusted. Only what is left
// far beyond that after r steps of an elimination refutes. A maximum needs that
// the order of the elements does not depend on D.
//
//===----------------------------------------------------------------------===//

#include "cascade/Algebra/SplitTest.h"
#include "cascade/Algebra/Tape.h"

#include <algorithm>
#include <cmath>

namespace cascade::algebra {

namespace {

/// splitmix64 (Steele, Lea, Flood 2014).
class Generator {
public:
  explicit Generator(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  /// A value of either sign that obeys the facts, of a magnitude from
  /// 2^-spread to 2^spread.
  double value(Type type, Sign sign, double spread) {
    if (type == Type::I1)
      return static_cast<double>(next() & 1);
    double unit = static_cast<double>(next() >> 11) * 0x1p-53;
    double magnitude = std::exp2(spread * (2 * unit - 1));
    if (!isFloat(type))
      magnitude = std::ceil(magnitude);
    bool negative = next() & 1;
    if (sign.nonNegative || sign.nonPositive)
      negative = sign.nonPositive;
    return negative ? -magnitude : magnitude;
  }

private:
  uint64_t state;
};

} // namespace

static Sign factOf(const SplitProblem &problem, Expr symbol) {
  auto at = [&](const std::vector<Sign> &facts) {
    return symbol->id < facts.size() ? facts[symbol->id] : Sign::unknown();
  };
  if (symbol->is(Kind::Element))
    return at(problem.elements);
  if (symbol->is(Kind::Parameter))
    return at(problem.parameters);
  return symbol->id < problem.results.size() ? problem.results[symbol->id].sign
                                             : Sign::unknown();
}

//===----------------------------------------------------------------------===//
// Matrices of values
//===----------------------------------------------------------------------===//

namespace {

using Extended = long double;

/// F(x_i, d_j) with a bound on the error of each.
struct Values {
  explicit Values(unsigned size)
      : size(size), value(size * size), error(size * size) {}
  unsigned size;
  std::vector<Extended> value, error;

  /// Scales rows, then columns, to a largest value near 1. False: a row or
  /// column of zeros, which says nothing.
  bool equilibrate();
  /// The largest value left after `steps` of an elimination with full
  /// pivoting.
  Extended leftAfter(unsigned steps);
  Extended largestError() const {
    return *std::max_element(error.begin(), error.end());
  }
};

} // namespace

bool Values::equilibrate() {
  for (size_t step : {size_t(1), size_t(size)}) {
    size_t other = step == 1 ? size : 1;
    for (size_t line = 0; line < size; ++line) {
      Extended largest = 0;
      for (size_t k = 0; k < size; ++k)
        largest = std::max(largest, std::fabs(value[line * other + k * step]));
      if (largest == 0)
        return false;
      int exponent = std::ilogb(largest);
      for (size_t k = 0; k < size; ++k)
        for (std::vector<Extended> *entries : {&value, &error}) {
          Extended &entry = (*entries)[line * other + k * step];
          entry = std::scalbn(entry, -exponent);
        }
    }
  }
  return true;
}

Extended Values::leftAfter(unsigned steps) {
  auto at = [&](size_t i, size_t j) -> Extended & {
    return value[i * size + j];
  };
  for (size_t step = 0;; ++step) {
    size_t row = step, column = step;
    for (size_t i = step; i < size; ++i)
      for (size_t j = step; j < size; ++j)
        if (std::fabs(at(i, j)) > std::fabs(at(row, column))) {
          row = i;
          column = j;
        }
    Extended pivot = at(row, column);
    if (step == steps || pivot == 0)
      return std::fabs(pivot);
    for (size_t k = 0; k < size; ++k)
      std::swap(at(step, k), at(row, k));
    for (size_t k = 0; k < size; ++k)
      std::swap(at(k, step), at(k, column));
    for (size_t i = step + 1; i < size; ++i) {
      Extended factor = at(i, step) / pivot;
      for (size_t j = step; j < size; ++j)
        at(i, j) -= factor * at(step, j);
    }
  }
}

//===----------------------------------------------------------------------===//
// Sampling
//===----------------------------------------------------------------------===//

namespace {

class Sampler {
public:
  Sampler(const SplitProblem &problem, uint64_t seed);
  /// Values at random points; false where one is not finite or not reliable.
  bool draw(double spread, Values &values);

private:
  using Point = std::vector<double>;
  using Inputs = std::vector<Tape::Input>;
  Point draw(const Inputs &symbols, double spread);
  void set(const Inputs &symbols, const Point &point);

  const SplitProblem &problem;
  Generator random;
  Tape tape;
  Inputs xs, ds, others;
  std::vector<Extended> frame, disturbed;
};

} // namespace

Sampler::Sampler(const SplitProblem &problem, uint64_t seed)
    : problem(problem), random(seed), tape({problem.value}),
      frame(tape.frame<Extended>()), disturbed(frame) {
  for (const Tape::Input &input : tape.inputs()) {
    bool isResult = input.symbol->is(Kind::Result);
    unsigned id = input.symbol->id;
    (input.symbol->is(Kind::Element) ? xs
     : isResult &&
             (id >= problem.results.size() || problem.results[id].samePass)
         ? ds
         : others)
        .push_back(input);
  }
}

Sampler::Point Sampler::draw(const Inputs &symbols, double spread) {
  Point point;
  for (const Tape::Input &input : symbols)
    point.push_back(random.value(input.symbol->type,
                                 factOf(problem, input.symbol), spread));
  return point;
}

void Sampler::set(const Inputs &symbols, const Point &point) {
  for (size_t k = 0; k < symbols.size(); ++k) {
    frame[symbols[k].slot] = point[k];
    disturbed[symbols[k].slot] = point[k];
  }
}

bool Sampler::draw(double spread, Values &values) {
  std::vector<Point> x, d;
  for (unsigned i = 0; i < values.size; ++i) {
    x.push_back(draw(xs, spread));
    d.push_back(draw(ds, spread));
  }
  set(others, draw(others, spread));
  for (unsigned i = 0; i < values.size; ++i) {
    set(xs, x[i]);
    for (unsigned j = 0; j < values.size; ++j) {
      set(ds, d[j]);
      tape.run(frame);
      Extended f = frame[tape.output(0)], error = 0;
      // Where nothing can have over- or underflowed on the way.
      if (!(std::fabs(f) < 1e30))
        return false;
      for (int n = 0; n < 2; ++n) {
        tape.run(disturbed, [&](Expr node, Extended value) {
          if (!isFloat(node->type))
            return value;
          double unit = static_cast<double>(random.next() >> 11) * 0x1p-53;
          return value * (1 + 0x1p-40L * (2 * unit - 1));
        });
        error = std::max(error, std::fabs(f - disturbed[tape.output(0)]));
      }
      if (!std::isfinite(error))
        return false;
      if (problem.kind == MonoidKind::And) // not (g or h) is a product
        f = f == 0;
      values.value[i * values.size + j] = f;
      // Rounding disturbs by 2^-64; 6 bits are kept in reserve.
      values.error[i * values.size + j] =
          error * 0x1p-18L + std::fabs(f) * 0x1p-58L;
    }
  }
  return true;
}

/// Whether two elements are ordered one way for one d and the other way for
/// another: then no reduction of elements alone finds the extremum.
static bool ordersDiffer(const Values &f) {
  Extended error = 0;
  for (unsigned k = 0; k < 4; ++k)
    error += f.error[k];
  Extended first = f.value[0] - f.value[2], second = f.value[1] - f.value[3];
  return std::min(first, second) < -64 * error &&
         std::max(first, second) > 64 * error;
}

/// Whether the rank is above `rank`. An error of 1 in an entry moves what is
/// left by up to 4^rank (pivots of full pivoting grow slowly in practice).
static bool rankExceeds(Values f, unsigned rank) {
  if (!f.equilibrate())
    return false;
  Extended bound = std::ldexp(64 * f.largestError(), 2 * rank);
  return f.leftAfter(rank) > bound + 1e-12L;
}

bool refutedBySampling(const SplitProblem &problem, unsigned samples,
                       uint64_t seed, unsigned rank) {
  Sampler sampler(problem, seed);
  rank = std::max(rank, 1u);
  bool isOrdered = info(problem.kind).ordered;
  for (unsigned n = 0; n < samples; ++n) {
    // Every other sample is wide, so that x > r / n goes both ways. Steps show
    // more of their rank in a matrix with room to spare.
    double spread = n % 2 ? 6 : 2;
    bool roomy = n % 3 == 2 && rank > 1 && rank <= 8;
    Values f(isOrdered ? 2 : roomy ? 2 * rank : rank + 1);
    if (sampler.draw(spread, f) &&
        (isOrdered ? ordersDiffer(f) : rankExceeds(f, rank)))
      return true;
  }
  return false;
}

} // namespace cascade::algebra
