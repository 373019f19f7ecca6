// Separable values that do not look it, and look-alikes that are not.

#include "ChainCheck.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace cascade::algebra;

namespace {
struct SplitDisguise : testing::Test, CheckedChain {
  void expect(const char *core, const char *finish) {
    SplitResult s = last();
    ASSERT_TRUE(s.accepted()) << s.refusal->rule << ": " << s.refusal->reason
                              << ": " << print(s.refusal->at);
    EXPECT_EQ(print(s.core()), core);
    EXPECT_EQ(print(s.finish), finish);
    EXPECT_EQ(check(), "");
  }
  void expectRefused(const char *rule, const char *at) {
    SplitResult s = last();
    ASSERT_FALSE(s.accepted()) << print(s.core()) << ", " << print(s.finish);
    EXPECT_EQ(s.refusal->rule, rule);
    EXPECT_EQ(print(s.refusal->at), at);
  }
};
} // namespace

TEST_F(SplitDisguise, NeutralFactorsInsideResults) {
  parameters = {0.75};
  Expr r = sum(mul(x(0), x(0)));
  sum(sub(mul(mul(c(2), r), x(0)), mul(x(1), r)));
  expect("2 * x0 - x1", "acc0 * r0");
  sum(add(mul(x(0), mul(r, p(0))), div(mul(context.neg(r), x(1)), p(0))));
  expect("x0 * p0 + -1 * x1 / p0", "acc0 * r0");
  // A factor that comes in after the sum.
  Expr s = sum(x(1));
  sum(mul(add(mul(mul(c(2), r), x(0)), mul(x(1), r)), mul(c(3), s)));
  SplitResult split = last();
  ASSERT_TRUE(split.accepted());
  EXPECT_EQ(print(split.core()), "(2 * x0 + x1) * 3");
}

TEST_F(SplitDisguise, RootsInOneAddendOnly) {
  Expr b = add(sum(mul(x(0), x(0))), c(1e-5));
  sum(add(mul(x(0), context.rsqrt(b)), div(x(1), context.sqrt(b))));
  SplitResult s = last();
  ASSERT_TRUE(s.accepted()) << s.refusal->reason;
  EXPECT_EQ(print(s.core()), "x0 + x1");
  EXPECT_EQ(check(), "");
}

TEST_F(SplitDisguise, SignsHideInsideAbsoluteValues) {
  // |x (-2 r)| = |x (-2)| r for r >= 0, and not proved for any other r.
  Expr r = sum(mul(x(0), x(0)));
  Expr twice = mul(c(-2), r);
  sum(add(context.abs(mul(x(0), twice)), mul(x(1), r)));
  SplitResult s = last();
  if (s.accepted())
    EXPECT_EQ(check(), "");
  Expr any = sum(x(1));
  sum(add(context.abs(mul(x(0), mul(c(2), any))), mul(x(1), any)));
  EXPECT_EQ(last().rank, 2u); // |any| and any are two factors
}

TEST_F(SplitDisguise, ARootOfASquareIsNoPower) {
  // sqrt(a a) / a is a sign, not 1: no reference of unknown sign.
  Expr a = maximum(x(0));
  sum(div(mul(x(1), context.rsqrt(mul(a, a))), a));
  SplitResult s = last();
  ASSERT_TRUE(s.accepted());
  EXPECT_TRUE(s.references.empty());
  EXPECT_EQ(check(), "");
}

TEST_F(SplitDisguise, JointAndWrittenExponentialsDiffer) {
  // The second addend keeps exp(-m) in the core, the first does not.
  Expr m = maximum(x(0));
  sum(add(mul(x(1), exp(context.neg(m))), exp(sub(x(0), m))));
  EXPECT_EQ(last().rank, 2u);
}

TEST_F(SplitDisguise, AQuotientOfEqualFactorsIsNotErased) {
  // x r / r is NaN for r = 0.
  Expr r = sum(x(1));
  sum(div(mul(x(0), r), r));
  SplitResult s = last();
  ASSERT_TRUE(s.accepted());
  EXPECT_EQ(print(s.core()), "x0");
  EXPECT_EQ(print(s.finish), "acc0 * (r0 / r0)");
  Bindings b;
  b.accumulators = {3};
  b.results = {0};
  EXPECT_TRUE(std::isnan(evaluate(s.finish, b)));
}

TEST_F(SplitDisguise, RootsNeedTheSignOfResultsOnly) {
  Expr a = maximum(context.abs(x(0)));
  sum(context.sqrt(div(context.abs(x(1)), a)));
  SplitResult s = last();
  ASSERT_TRUE(s.accepted());
  EXPECT_EQ(check(), "");
  Expr r = sum(mul(x(0), x(0)));
  sum(context.sqrt(mul(x(1), r))); // NaN on both sides for x1 < 0
  expect("sqrt(x1)", "acc0 * sqrt(r2)");
}

TEST_F(SplitDisguise, BooleanMinorsDoNotRefuteADisjunction) {
  SplitProblem p;
  p.kind = MonoidKind::And;
  p.results = {{MonoidKind::Or, Sign::unknown(), true}};
  Expr positive = context.cmp(Predicate::OGT, x(0), c(0));
  p.value = context.binary(Kind::Or, positive, context.result(0, Type::I1));
  EXPECT_FALSE(refutedBySampling(p));
  p.value = context.binary(Kind::Xor, positive, context.result(0, Type::I1));
  EXPECT_TRUE(refutedBySampling(p));
}

TEST_F(SplitDisguise, RepeatedSquaringTerminates) {
  // r^(2^40), written with 40 nodes.
  Expr r = maximum(context.abs(x(0)));
  for (int i = 0; i < 40; ++i)
    r = mul(r, r);
  sum(div(x(0), r));
  EXPECT_TRUE(last().accepted());
}
