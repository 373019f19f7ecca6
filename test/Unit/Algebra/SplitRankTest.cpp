//===- SplitRankTest.cpp - Sums of several products -----------------------===//

#include "ChainCheck.h"

#include <gtest/gtest.h>

using namespace cascade::algebra;

namespace {

class SplitRank : public testing::Test, public CheckedChain {
public:
  using CheckedChain::mean;
  /// The weighted mean of `value`: centred without counts.
  Expr mean(Expr value, Expr weight) {
    return div(sum(mul(weight, value)), sum(weight));
  }
  void expect(unsigned rank) {
    SplitResult s = last();
    ASSERT_TRUE(s.accepted());
    EXPECT_EQ(s.rank, rank);
    EXPECT_EQ(check(), "");
  }
};

TEST_F(SplitRank, WeightedVariance) {
  Expr w = context.abs(x(1)), d = sub(x(0), mean(x(0), w));
  sum(mul(w, mul(d, d)));
  expect(3);
}

TEST_F(SplitRank, FourthMoment) {
  Expr w = context.abs(x(1)), d = sub(x(0), mean(x(0), w));
  sum(mul(w, context.pow(d, c(4))));
  expect(5);
}

TEST_F(SplitRank, Covariance) {
  Expr w = context.abs(x(2));
  sum(mul(w, mul(sub(x(0), mean(x(0), w)), sub(x(1), mean(x(1), w)))));
  expect(4);
}

TEST_F(SplitRank, InertiaSharesTheMomentAndTheMass) {
  Expr m = context.abs(x(3)), total = nullptr;
  for (unsigned i : {0u, 1u, 2u}) {
    Expr d = sub(x(i), mean(x(i), m));
    total = total ? add(total, mul(d, d)) : mul(d, d);
  }
  sum(mul(m, total));
  expect(5);
}

TEST_F(SplitRank, SoftmaxBackward) {
  Expr m = maximum(x(0)), e = context.exp(sub(x(0), m));
  Expr p = div(e, sum(e)), D = sum(mul(p, x(1)));
  sum(mul(mul(p, sub(x(1), D)), x(2)));
  // Where one weight is near 1, dp - D is a rounding error in any evaluation.
  EXPECT_EQ(last().rank, 2u);
}

TEST_F(SplitRank, ConditionOnAnEarlierResult) {
  Expr s = sum(x(0));
  sum(context.select(context.cmp(Predicate::OLT, s, c(0)), x(0), x(1)));
  SplitResult split = last();
  ASSERT_TRUE(split.accepted());
  EXPECT_EQ(split.rank, 2u);
}

TEST_F(SplitRank, VarianceAboutTheMean) {
  Expr d = sub(x(0), mean(x(0)));
  sum(mul(d, d));
  expect(3);
  SplitResult s = last();
  // The sums of 1 and of (x - c) and (x - c)^2; c is the mean so far.
  EXPECT_EQ(s.cores.size(), 2u);
  EXPECT_TRUE(s.references.back().isAccumulator);
}

TEST_F(SplitRank, MomentsToFour) {
  Expr d = sub(x(0), mean(x(0)));
  for (int power : {2, 3, 4}) {
    sum(context.pow(d, c(power)));
    expect(power + 1);
  }
}

TEST_F(SplitRank, CovarianceAboutTheMeans) {
  Expr dx = sub(x(0), mean(x(0)));
  sum(mul(dx, sub(x(1), mean(x(1)))));
  expect(4);
}

TEST_F(SplitRank, Divergence) {
  Expr mp = maximum(x(0)), ep = sub(x(0), mp), tp = sum(exp(ep));
  Expr mq = maximum(x(1)), eq = sub(x(1), mq), tq = sum(exp(eq));
  Expr logP = sub(ep, context.log(tp)), logQ = sub(eq, context.log(tq));
  sum(mul(div(exp(ep), tp), sub(logP, logQ)));
  expect(2);
}

TEST_F(SplitRank, Entropy) {
  Expr e = exp(sub(x(0), maximum(x(0))));
  Expr p = div(e, sum(e));
  sum(context.neg(mul(p, context.log(p))));
  SplitResult s = last();
  ASSERT_TRUE(s.accepted());
  EXPECT_EQ(s.rank, 2u);
  EXPECT_FALSE(s.rangeChecks.empty());
  EXPECT_EQ(check(), "");
}

TEST_F(SplitRank, GaussianLogLikelihood) {
  Expr d = sub(x(0), mean(x(0)));
  Expr v = add(div(sum(mul(d, d)), extent()), c(1e-5));
  sum(sub(context.neg(div(mul(d, d), mul(c(2), v))),
          mul(c(0.5), context.log(v))));
  expect(3);
}

TEST_F(SplitRank, LayerNormTimesWeight) {
  Expr d = sub(x(0), mean(x(0)));
  Expr v = div(sum(mul(d, d)), extent());
  sum(mul(mul(d, context.rsqrt(add(v, c(1e-5)))), x(1)));
  expect(2);
}

TEST_F(SplitRank, Brier) {
  Expr e = exp(sub(x(0), maximum(x(0))));
  Expr difference = sub(div(e, sum(e)), x(1));
  sum(mul(difference, difference));
  expect(3);
}

TEST_F(SplitRank, MinMax) {
  Expr lo = minimum(x(0)), hi = maximum(x(0));
  sum(square(div(sub(x(0), lo), sub(hi, lo))));
  SplitResult s = last();
  ASSERT_TRUE(s.accepted());
  EXPECT_EQ(s.rank, 3u);
  EXPECT_EQ(check(), "");
}

TEST_F(SplitRank, MaskedWeightedVariance) {
  Expr w = context.abs(x(1)), mask = context.cmp(Predicate::OGT, x(2), c(0));
  Expr total = reduce(MonoidKind::Add, w, mask);
  Expr mu = div(reduce(MonoidKind::Add, mul(w, x(0)), mask), total);
  reduce(MonoidKind::Add, mul(w, square(sub(x(0), mu))), mask);
  expect(3);
}

/// Terms of both arms are paired once: 1 with 1, and x0 with nothing.
TEST_F(SplitRank, ArmsArePairedOnce) {
  Expr s = sum(x(0)), below = context.cmp(Predicate::OLT, x(1), c(0));
  sum(context.select(below, c(1), add(c(1), add(mul(x(1), s), x(1)))));
  expect(2);
}

/// One centre may contain another: m and 2 m.
TEST_F(SplitRank, CentresInsideCentres) {
  Expr m = maximum(x(0)), difference = sub(x(0), m);
  sum(square(add(difference, sub(mul(x(0), c(2)), mul(m, c(2))))));
  expect(3);
}

/// Against what is neither an extremum nor a mean of x0, digits get lost.
TEST_F(SplitRank, OnlyOwnDataIsACentre) {
  auto expectRefusal = [&] {
    ASSERT_FALSE(last().accepted());
    EXPECT_EQ(last().refusal->rule, "not-separable");
  };
  Expr s = sum(x(0)), y = sum(x(1)), n = context.parameter(0, Type::F32);
  Expr e = sum(exp(x(0))), ones = sum(c(1));
  Expr slope = sum(mul(sub(x(0), div(s, n)), x(1)));
  for (Expr h : {s, exp(s), div(y, ones), div(ones, e), slope, div(slope, n)}) {
    sum(square(sub(x(0), h)));
    expectRefusal();
  }
  // A mean that is weighted otherwise may be driven off by one element.
  Expr w = sum(context.abs(x(1)));
  Expr mean = div(sum(mul(context.abs(x(1)), x(0))), w);
  sum(square(sub(x(0), mean)));
  expectRefusal();
  sum(mul(x(2), sub(x(0), mean)));
  EXPECT_TRUE(last().accepted());
}

/// Where a factor meets its inverse, a NaN of 0 / 0 is kept.
TEST_F(SplitRank, AFactorMeetsItsInverse) {
  Expr r = maximum(x(0)), ratio = div(x(1), r);
  sum(div(mul(square(ratio), add(r, x(0))), x(1)));
  ASSERT_TRUE(last().accepted());
  EXPECT_EQ(check(), "");
}

/// r stands in the core once as a divisor and once as a factor.
TEST_F(SplitRank, AFactorBothKeptAndDropped) {
  Expr r = maximum(context.abs(x(0)));
  Expr product =
      context.mul(context.widen(x(0), Type::F64), context.widen(r, Type::F64));
  options.allowMoveRounding = true;
  sum(mul(context.narrow(product, Type::F32), div(x(0), r)));
  expect(1);
}

} // namespace
