//===- Generator.h - Random chains and data ---------------------*- C++ -*-===//

#ifndef CASCADE_TEST_LIB_CASCADEORACLE_GENERATOR_H
#define CASCADE_TEST_LIB_CASCADEORACLE_GENERATOR_H

#include "Interpreter.h"

namespace cascade::algebra {

/// splitmix64 (Steele, Lea, Flood 2014).
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) { next(); }
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  unsigned below(unsigned n) { return (next() >> 32) * n >> 32; }
  bool oneIn(unsigned n) { return below(n) == 0; }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double normal(); ///< mean 0, deviation 1, nearly normal

private:
  uint64_t state;
};

/// What a chain's elements are: x0, x1 of f32, x2 of i32, x3 of bf16, x4 of i1.
inline constexpr unsigned kNumElements = 5;
/// p0, p1 of any value, p2 the number of rows.
inline constexpr unsigned kNumParameters = 3;

/// A chain and where its last stage comes from.
struct Sample {
  Chain chain;
  /// The number of a separable template, or -1 for a random expression.
  int templateIndex = -1;
};

/// Makes one chain of at most six stages; the last depends on earlier ones as
/// a rule.
class Generator {
public:
  explicit Generator(uint64_t seed) : random(seed) {}
  Sample chain();

private:
  using MakeEarlier = void (Generator::*)();

  Expr x(unsigned i) { return c->context.element(i); }
  Expr constant(double value) { return c->context.constant(value); }
  Expr reduce(MonoidKind kind, Expr value);
  Expr numRows();
  Expr index();
  Expr narrowElement();
  Expr weight();
  Expr pureLeaf();
  Expr pure(unsigned depth);
  Expr scalar();
  void addEarlier();
  Expr leaf();
  Expr condition();
  Expr value(unsigned depth, bool inExponent = false);

  Random random;
  Chain *c = nullptr;
  Expr predicate = nullptr;
  std::vector<Expr> scalars; ///< values without X, of f32
  struct Softmax {
    Expr logit, maximum, denominator;
  };
  std::vector<Softmax> softmaxes;
  std::vector<std::pair<Expr, Expr>> centred; ///< a value and a mean of it
};

/// Random data: shifted, scaled, sorted, with ties, zeros and far outliers.
ChainData randomData(Random &random);
Segmentation randomSegmentation(Random &random, size_t rows);

/// Chains that are known to split. Appends the stages.
struct Template {
  const char *name;
  void (*build)(Chain &chain, Random &random);
};
const std::vector<Template> &templates();

/// `value` by rules of algebra, `times` times at random places.
Expr disguise(ExprContext &context, Expr value, Random &random, unsigned times);

} // namespace cascade::algebra

#endif // CASCADE_TEST_LIB_CASCADEORACLE_GENERATOR_H
