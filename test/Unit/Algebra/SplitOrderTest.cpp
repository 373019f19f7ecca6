// (max, add), (max, mul >= 0), Boolean pairs and payloads.

#include "ChainCheck.h"

#include <gtest/gtest.h>

using namespace cascade::algebra;

namespace {
struct SplitOrder : testing::Test, CheckedChain {
  void expect(const char *core, const char *finish, Legality legality) {
    SplitResult s = last();
    ASSERT_TRUE(s.accepted()) << s.refusal->rule << " " << print(s.refusal->at);
    EXPECT_EQ(print(s.core()), core);
    EXPECT_EQ(print(s.finish), finish);
    EXPECT_EQ(s.legality, legality);
    EXPECT_EQ(check(), "");
  }
  Expr rms() {
    Expr squares = sum(context.mul(x(0), x(0)));
    return context.rsqrt(context.add(context.div(squares, c(37)), c(1e-5)));
  }
};
} // namespace

TEST_F(SplitOrder, CentredMaximum) {
  Expr mu = context.div(sum(x(0)), c(37));
  maximum(context.sub(x(0), mu));
  expect("x0", "acc0 - r0 / 37", Legality::BitExact);
  EXPECT_EQ(last().terms[0].combine, "add");
  EXPECT_EQ(print(last().terms[0].H), "-(r0 / 37)");
  reduce(MonoidKind::Min, context.sub(mu, context.mul(x(0), x(1))));
  expect("-(x0 * x1)", "acc0 + r0 / 37", Legality::BitExact);
  parameters = {-3};
  maximum(context.mul(context.sub(x(0), mu), p(0)));
  expect("x0 * p0", "acc0 - r0 / 37 * p0", Legality::Reassociating);
}

TEST_F(SplitOrder, DynamicAbsmaxAfterNorm) {
  Expr r = rms();
  Expr g = context.abs(context.mul(x(0), x(1)));
  maximum(context.mul(g, r));
  expect("abs(x0 * x1)", "acc0 * rsqrt(r0 / 37 + 1e-05)", Legality::BitExact);
  maximum(context.abs(context.mul(context.mul(x(0), r), x(1))));
  expect("abs(x0 * x1)", "acc0 * rsqrt(r0 / 37 + 1e-05)",
         Legality::Reassociating);
}

TEST_F(SplitOrder, PositiveDivisor) {
  Expr r = context.add(sum(context.abs(x(0))), c(1));
  reduce(MonoidKind::Min, context.div(x(1), r));
  expect("x1", "acc0 / (r0 + 1)", Legality::BitExact);
}

TEST_F(SplitOrder, HeldAgainstAReference) {
  Expr m = maximum(x(0)), weight = context.abs(x(1));
  maximum(context.mul(context.exp(context.sub(x(0), m)), weight));
  expect("exp(x0 - r0) * abs(x1)", "acc0", Legality::Reassociating);
  EXPECT_EQ(print(last().correction()),
            "select(or(or(acc0 == -inf, acc0 == 0), acc0 == inf), acc0, "
            "select(old0 == new0, acc0, acc0 * exp(old0 - new0)))");
}

TEST_F(SplitOrder, SignNotProved) {
  Expr mu = sum(x(0));
  maximum(context.mul(x(0), mu));
  SplitResult s = last();
  ASSERT_FALSE(s.accepted());
  EXPECT_EQ(s.refusal->rule, "sign-not-proved");
  EXPECT_EQ(print(s.refusal->at), "r0");
}

TEST_F(SplitOrder, Boolean) {
  SplitProblem problem;
  problem.results = {{MonoidKind::Or, Sign(), true}};
  Expr a = context.element(0, Type::I1), b = context.element(1, Type::I1);
  Expr r = context.result(0, Type::I1);
  problem.value = context.binary(Kind::And, context.binary(Kind::And, a, r), b);
  for (MonoidKind kind : {MonoidKind::Or, MonoidKind::Xor}) {
    problem.kind = kind;
    SplitResult s = splitTest(context, problem);
    ASSERT_TRUE(s.accepted());
    EXPECT_EQ(print(s.core()), "and(x0, x1)");
    EXPECT_EQ(print(s.finish), "and(acc0, r0)");
    EXPECT_FALSE(refutedBySampling(problem));
  }
  problem.kind = MonoidKind::And;
  EXPECT_EQ(splitTest(context, problem).refusal->rule, "not-separable");
  problem.value = context.binary(Kind::Or, r, b);
  EXPECT_EQ(print(splitTest(context, problem).finish), "or(acc0, r0)");
}

TEST_F(SplitOrder, Payloads) {
  SplitProblem problem;
  problem.results = {{MonoidKind::Max, Sign(), true}};
  for (MonoidKind kind :
       {MonoidKind::ArgMax, MonoidKind::TopK, MonoidKind::Combiner}) {
    problem.kind = kind;
    problem.value = x(0);
    problem.carried = {x(1)};
    EXPECT_EQ(splitTest(context, problem).cls, Class::Payload);
    problem.carried.push_back(context.mul(x(1), context.result(0)));
    SplitResult s = splitTest(context, problem);
    EXPECT_EQ(s.refusal->rule, "not-separable");
    EXPECT_EQ(print(s.refusal->at), "x1 * r0");
    EXPECT_EQ(s.refusal->reason,
              "the value carried with the key uses an earlier result");
  }
  problem.carried.clear();
  problem.value = context.sub(x(0), context.result(0));
  EXPECT_EQ(splitTest(context, problem).refusal->rule, "unsupported-kind");
}
