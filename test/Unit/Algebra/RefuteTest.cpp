// Sampling: what it has to refute at every rank, and what it must not.

#include "ChainCheck.h"

#include <gtest/gtest.h>

using namespace cascade::algebra;

namespace {
struct Refute : testing::Test {
  ExprContext c;
  Expr x = c.element(0), y = c.element(1), d = c.result(0), e = c.result(1);
  SplitProblem problem(Expr value) {
    SplitProblem p;
    p.value = value;
    p.results.resize(2);
    return p;
  }
  bool refuted(Expr value, unsigned rank) {
    return refutedBySampling(problem(value), 200, 1, rank);
  }
  /// Sums of exactly `rank` products.
  void expectRank(Expr value, unsigned rank) {
    for (unsigned r = 1; r <= 6; ++r)
      EXPECT_EQ(refuted(value, r), r < rank) << print(value) << " at " << r;
  }
};
} // namespace

TEST_F(Refute, AtEveryRank) {
  Expr zero = c.constant(0), one = c.constant(1);
  Expr above = c.cmp(Predicate::OGT, x, d);
  for (Expr value :
       {c.abs(c.sub(x, d)), c.max(c.sub(x, d), zero), c.div(x, c.add(x, d)),
        c.exp(c.mul(x, d)), c.select(above, one, zero), c.tanh(c.sub(x, d)),
        c.opaque("math.sin", {c.mul(x, d)}, Type::F32),
        c.sqrt(c.add(c.mul(x, x), c.mul(d, d)))})
    for (unsigned rank = 1; rank <= 5; ++rank)
      EXPECT_TRUE(refuted(value, rank)) << print(value) << " at " << rank;
}

TEST_F(Refute, NotAtTheirRank) {
  Expr u = c.sub(x, d);
  expectRank(c.mul(x, d), 1);
  expectRank(c.div(c.mul(x, c.exp(c.sub(y, d))), e), 1);
  expectRank(u, 2);
  expectRank(c.mul(u, u), 3);
  expectRank(c.mul(u, c.sub(y, e)), 4);
  expectRank(c.pow(u, c.constant(4)), 5);
  expectRank(c.mul(c.exp(u), u), 2);
  expectRank(c.mul(c.pow(u, c.constant(2)), c.exp(c.sub(y, e))), 3);
}

/// Points where a logarithm or a root is not defined say nothing.
TEST_F(Refute, Domains) {
  EXPECT_FALSE(refuted(c.sqrt(c.mul(x, d)), 1));
  EXPECT_FALSE(refuted(c.log(c.mul(x, d)), 2));
  EXPECT_TRUE(refuted(c.log(c.mul(x, d)), 1));
  EXPECT_FALSE(refuted(c.log(c.neg(c.mul(x, x))), 1));
  EXPECT_FALSE(refuted(c.opaque("unknown", {c.sub(x, d)}, Type::F32), 1));
}

TEST_F(Refute, FactsAreObeyed) {
  SplitProblem p = problem(c.mul(x, c.max(d, c.neg(d))));
  p.value = c.sqrt(c.mul(c.mul(x, x), c.mul(d, d))); // |x| |d|
  EXPECT_FALSE(refutedBySampling(p));
  p.value = c.max(c.mul(x, d), c.mul(y, d)); // max(x, y) d for d >= 0
  EXPECT_TRUE(refutedBySampling(p));
  p.results[0].sign = Sign::atLeastZero();
  EXPECT_FALSE(refutedBySampling(p));
}

/// Sums that cancel are not mistaken for a rank.
TEST_F(Refute, Cancellation) {
  Expr large = c.constant(1e12);
  Expr value = c.sub(c.mul(c.add(x, large), d), c.mul(large, d));
  EXPECT_FALSE(refuted(value, 1));
  Expr square = c.mul(c.add(x, large), c.add(x, large));
  Expr cross = c.mul(c.mul(c.constant(2), large), x);
  value = c.sub(c.sub(square, cross), c.mul(large, large)); // x^2
  EXPECT_FALSE(refuted(c.mul(value, d), 1));
}
