// What is refused, under which rule, and where.

#include "ChainCheck.h"

#include <gtest/gtest.h>

using namespace cascade::algebra;

namespace {
struct SplitRefusal : testing::Test, CheckedChain {
  Expr mean() { return div(sum(x(0)), c(37)); }
  /// The last stage is refused; sampling agrees unless it is told not to.
  void expect(const char *rule, const char *at, bool refutable = true) {
    SplitResult s = last();
    ASSERT_FALSE(s.accepted()) << print(s.core());
    EXPECT_EQ(s.refusal->rule, rule) << s.refusal->reason;
    EXPECT_EQ(print(s.refusal->at), at);
    EXPECT_FALSE(s.refusal->reason.empty());
    EXPECT_FALSE(s.refusal->suggestion.empty());
    EXPECT_TRUE(s.terms.empty());
    EXPECT_EQ(s.core(), nullptr);
    if (refutable)
      EXPECT_TRUE(refutedBySampling(lastProblem()));
  }
  Expr finalSum(Expr value) { return sum(value); }
};
} // namespace

TEST_F(SplitRefusal, MeanAbsoluteDeviation) {
  finalSum(context.abs(sub(x(0), mean())));
  expect("not-separable", "abs(x0 - r0 / 37)");
}

TEST_F(SplitRefusal, Entmax) {
  Expr tau = sum(context.exp(x(0)));
  finalSum(context.max(sub(x(0), tau), c(0)));
  expect("not-separable", "max(x0 - r0, 0)");
}

TEST_F(SplitRefusal, CountAboveMean) {
  Expr above = context.cmp(Predicate::OGT, x(0), mean());
  finalSum(context.select(above, c(1), c(0)));
  expect("mixed-comparison", "x0 > r0 / 37");
  finalSum(context.convert("arith.uitofp", above, Type::F32));
  expect("mixed-comparison", "x0 > r0 / 37");
}

TEST_F(SplitRefusal, SoftmaxOfStandardisedLogits) {
  Expr sigma = context.sqrt(sum(mul(x(0), x(0))));
  Expr m = maximum(x(0));
  finalSum(context.exp(sub(div(x(0), sigma), m)));
  expect("not-separable", "x0 / sqrt(r0)");
}

TEST_F(SplitRefusal, Huber) {
  Expr d = sub(x(0), mean());
  Expr small = context.cmp(Predicate::OLT, context.abs(d), c(1));
  finalSum(context.select(small, mul(d, d), context.abs(d)));
  SplitResult s = last();
  ASSERT_FALSE(s.accepted());
  EXPECT_TRUE(refutedBySampling(lastProblem()));
}

TEST_F(SplitRefusal, Gelu) {
  Expr d = sub(x(0), mean());
  finalSum(context.opaque("math.erf", {d}, Type::F32));
  expect("not-separable", "math.erf(x0 - r0 / 37)");
}

TEST_F(SplitRefusal, RootOfAProductOfUnknownSign) {
  finalSum(context.sqrt(mul(x(1), sum(x(0)))));
  expect("sign-not-proved", "sqrt(x1 * r0)", /*refutable=*/false);
}

TEST_F(SplitRefusal, DivisionByAMixedSum) {
  finalSum(div(x(1), sub(x(0), mean())));
  expect("not-separable", "x1 / (x0 - r0 / 37)");
}

TEST_F(SplitRefusal, Predicates) {
  Expr mu = mean();
  finalSum(x(0));
  SplitProblem p = lastProblem();
  p.predicate = context.cmp(Predicate::OGT, x(0), mu);
  EXPECT_EQ(splitTest(context, p).refusal->rule, "dependent-predicate");
  p.predicate = context.cmp(Predicate::OGT, mu, c(0));
  EXPECT_EQ(splitTest(context, p).refusal->rule, "dependent-predicate");
  p.predicate = context.cmp(Predicate::OGT, x(0), c(0));
  EXPECT_EQ(splitTest(context, p).cls, Class::Independent);
}

TEST_F(SplitRefusal, Kinds) {
  Expr mu = mean();
  finalSum(mul(x(0), mu));
  SplitProblem p = lastProblem();
  p.kind = MonoidKind::Mul;
  EXPECT_EQ(splitTest(context, p).refusal->rule, "unsupported-kind");
  p.kind = MonoidKind::Add;
  p.value = context.opaque(
      "arith.muli",
      {context.element(0, Type::I32), context.result(0, Type::I32)}, Type::I32);
  EXPECT_EQ(splitTest(context, p).refusal->rule, "unsupported-kind");
}

TEST_F(SplitRefusal, TooManyTerms) {
  std::vector<Expr> results;
  for (unsigned i = 0; i <= kMaxTerms; ++i)
    results.push_back(sum(x(0)));
  Expr value = x(0), exponent = x(0);
  for (Expr r : results) {
    value = mul(value, r);
    exponent = sub(exponent, r);
  }
  sum(value);
  EXPECT_EQ(last().refusal->rule, "too-many-terms");
  sum(context.exp(exponent));
  EXPECT_EQ(last().refusal->rule, "too-many-terms");
}

TEST_F(SplitRefusal, DoublingSumTerminates) {
  Expr e = sub(x(0), maximum(x(0)));
  for (int i = 0; i < 60; ++i)
    e = context.add(e, e);
  finalSum(context.exp(e));
  EXPECT_EQ(last().refusal->rule, "too-many-terms");
}
