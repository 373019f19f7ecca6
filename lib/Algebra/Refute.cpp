//===- Refute.cpp - Sampling that can only reject -------------------------===//

#include "cascade/Algebra/SplitTest.h"

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

bool refutedBySampling(const SplitProblem &problem, unsigned samples,
                       uint64_t seed, unsigned rank) {
  Generator random(seed);
  std::vector<Expr> xs, ds, others;
  for (Expr node : postOrder(problem.value)) {
    if (node->is(Kind::Element))
      xs.push_back(node);
    else if (node->is(Kind::Result) && (node->id >= problem.results.size() ||
                                        problem.results[node->id].samePass))
      ds.push_back(node);
    else if (node->is(Kind::Result) || node->is(Kind::Parameter))
      others.push_back(node);
  }
  double spread = 2;
  auto draw = [&](const std::vector<Expr> &symbols) {
    std::vector<double> values;
    for (Expr symbol : symbols)
      values.push_back(
          random.value(symbol->type, factOf(problem, symbol), spread));
    return values;
  };
  bool ordered = info(problem.kind).ordered;
  bool ratioFails = false, sumFails = !ordered;
  auto differ = [](double a, double b) {
    return std::fabs(a - b) > 1e-7 * (std::fabs(a) + std::fabs(b)) + 1e-100;
  };
  for (unsigned n = 0; n < samples && !(ratioFails && sumFails); ++n) {
    // Every other sample is wide, so that x > r / n goes both ways.
    spread = n % 2 ? 6 : 2;
    std::vector<double> x[2] = {draw(xs), draw(xs)},
                        d[2] = {draw(ds), draw(ds)};
    std::vector<double> p = draw(others);
    double f[2][2];
    bool usable = true;
    for (int i : {0, 1})
      for (int j : {0, 1}) {
        Bindings b;
        for (size_t k = 0; k < xs.size(); ++k)
          b.nodes[xs[k]] = x[i][k];
        for (size_t k = 0; k < ds.size(); ++k)
          b.nodes[ds[k]] = d[j][k];
        for (size_t k = 0; k < others.size(); ++k)
          b.nodes[others[k]] = p[k];
        f[i][j] = evaluate(problem.value, b);
        if (problem.kind == MonoidKind::And) // not (g or h) is a product
          f[i][j] = f[i][j] == 0;
        // Where nothing can have underflowed or lost digits on the way.
        usable &= std::fabs(f[i][j]) < 1e30;
      }
    if (!usable)
      continue;
    ratioFails |= differ(f[0][0] * f[1][1], f[0][1] * f[1][0]);
    // Compared against the size of the terms: the sums may cancel.
    double scale = std::fabs(f[0][0]) + std::fabs(f[0][1]) +
                   std::fabs(f[1][0]) + std::fabs(f[1][1]);
    sumFails |= std::fabs(f[0][0] + f[1][1] - f[0][1] - f[1][0]) > 1e-9 * scale;
  }
  return ratioFails && sumFails;
}

} // namespace cascade::algebra
