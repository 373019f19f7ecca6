// Orders of F = phi(k(X); D): the order of k decides, phi is applied
// afterwards.

#include "ChainCheck.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace cascade::algebra;

namespace {
struct Monotone : testing::Test, CheckedChain {
  void expect(const char *core, const char *finish, Legality legality) {
    SplitResult s = last();
    ASSERT_TRUE(s.accepted()) << s.refusal->rule << " " << print(s.refusal->at);
    EXPECT_EQ(print(s.core()), core);
    EXPECT_EQ(print(s.finish), finish);
    EXPECT_EQ(s.legality, legality);
    EXPECT_TRUE(s.references.empty());
    EXPECT_EQ(check(), "");
  }
  /// The verdict on a reduction that the chains of the tests do not have.
  SplitResult ask(MonoidKind kind, Expr value,
                  Sign sign = Sign::atLeastZero()) {
    SplitProblem problem;
    problem.kind = kind;
    problem.value = value;
    problem.results = {{MonoidKind::Max, Sign(), true},
                       {MonoidKind::Add, sign, true}};
    return splitTest(context, problem);
  }
  void expectRefused(SplitResult s, const char *rule, const char *at) {
    ASSERT_FALSE(s.accepted());
    EXPECT_EQ(s.refusal->rule, rule);
    EXPECT_EQ(print(s.refusal->at), at);
  }
  Expr m = context.result(0), t = context.result(1);
};

std::string texts(const std::vector<Expr> &values) {
  std::string text;
  for (Expr value : values)
    text += (text.empty() ? "" : ", ") + print(value);
  return text;
}
} // namespace

TEST_F(Monotone, CentredAndScaled) {
  Expr mu = mean(x(0)), d = sub(x(0), mu);
  Expr r = context.rsqrt(add(mean(square(d)), c(1e-5)));
  maximum(mul(d, r));
  EXPECT_EQ(last().terms[0].combine, "map");
  EXPECT_EQ(texts(last().addends), "r0 / N");
  EXPECT_EQ(texts(last().multipliers), "rsqrt(r1 / N + 1e-05)");
  EXPECT_EQ(print(last().core()), "x0");
  EXPECT_EQ(last().legality, Legality::BitExact);
  EXPECT_EQ(check(), "");
  minimum(mul(d, r));
  EXPECT_EQ(check(), "");
}

TEST_F(Monotone, Probability) {
  Expr m = maximum(x(0)), e = exp(sub(x(0), m)), t = sum(e);
  maximum(div(e, t));
  expect("x0", "exp(acc0 - r0) / r1", Legality::Reassociating);
  EXPECT_EQ(texts(last().multipliers), "r1");
  EXPECT_EQ(texts(last().addends), "r0");
  reduce(MonoidKind::MinNum, context.tanh(mul(sub(x(1), m), c(3))));
  expect("x1", "tanh((acc0 - r0) * 3)", Legality::Reassociating);
  EXPECT_TRUE(last().multipliers.empty());
}

/// The map falls: -k is reduced, and the sign goes where it meets another.
TEST_F(Monotone, Falling) {
  Expr m = maximum(x(0));
  maximum(sub(m, x(1)));
  expect("-x1", "acc0 + r0", Legality::BitExact);
  maximum(sub(m, context.neg(x(1))));
  expect("x1", "acc0 + r0", Legality::BitExact);
  minimum(context.neg(sub(x(1), m)));
  expect("-x1", "acc0 + r0", Legality::BitExact);
  minimum(exp(sub(context.neg(x(1)), m)));
  expect("-x1", "exp(acc0 - r0)", Legality::Reassociating);
  Expr s = sum(square(x(0)));
  maximum(mul(context.neg(add(s, c(1))), sub(x(1), m)));
  EXPECT_EQ(last().legality, Legality::BitExact);
  EXPECT_EQ(check(), "");
  maximum(div(c(2), add(exp(sub(x(1), m)), c(1))));
  EXPECT_EQ(print(last().core()), "-x1");
  EXPECT_EQ(check(), "");
}

/// All of it in the types as written: the extremum is rounded back first, which
/// is exact.
TEST_F(Monotone, NarrowTypes) {
  Expr k = context.element(0, Type::BF16), r = context.result(0, Type::BF16);
  Expr u = sub(k, r);
  for (Expr value : {u, context.widen(u, Type::F32)}) {
    SplitResult s = ask(MonoidKind::Max, value);
    ASSERT_TRUE(s.accepted());
    EXPECT_EQ(s.core(), context.widen(k, Type::F32));
    EXPECT_EQ(s.finish,
              context.widen(
                  sub(context.narrow(context.accumulator(0), Type::BF16), r),
                  Type::F32));
    EXPECT_EQ(s.legality, Legality::BitExact);
  }
  expectRefused(ask(MonoidKind::TopK, context.narrow(sub(x(0), m), Type::BF16)),
                "mixed-narrowing-cast", "bf16(x0 - r0)");
}

TEST_F(Monotone, Keys) {
  Expr p = div(exp(sub(x(0), m)), t);
  for (MonoidKind kind :
       {MonoidKind::TopK, MonoidKind::ArgMax, MonoidKind::ArgMin}) {
    SplitResult s = ask(kind, p);
    ASSERT_TRUE(s.accepted());
    EXPECT_EQ(s.cls, Class::Separable);
    EXPECT_EQ(print(s.core()), "x0");
    EXPECT_EQ(print(s.finish), "exp(acc0 - r0) / r1");
    EXPECT_EQ(s.legality, Legality::Reassociating);
    ASSERT_EQ(s.keyChecks.size(), 1u);
    EXPECT_EQ(print(s.keyChecks[0].value), "exp(acc0 - r0)");
    EXPECT_EQ(s.keyChecks[0].low, 0x1p-126);
    s = ask(kind, sub(m, x(0)));
    EXPECT_EQ(print(s.core()), "-x0");
    EXPECT_TRUE(s.keyChecks.empty());
  }
}

/// max over min(x, m) is min of m and the maximum.
TEST_F(Monotone, Lattice) {
  Expr m = minimum(x(1));
  maximum(context.binary(Kind::Min, x(0), m));
  SplitResult s = last();
  ASSERT_TRUE(s.accepted());
  EXPECT_EQ(print(s.core()), "x0");
  EXPECT_EQ(s.legality, Legality::BitExact);
  EXPECT_EQ(check(), "");
}

TEST_F(Monotone, KeysRefused) {
  MonoidKind kind = MonoidKind::ArgMax;
  expectRefused(ask(kind, mul(x(0), t), Sign::unknown()), "sign-not-proved",
                "r1");
  expectRefused(ask(kind, div(t, sub(x(0), m))), "sign-not-proved", "x0 - r0");
  expectRefused(ask(kind, mul(x(1), sub(x(0), m))), "not-separable",
                "x1 * (x0 - r0)");
  expectRefused(ask(kind, context.abs(sub(x(0), m))), "not-separable",
                "abs(x0 - r0)");
  expectRefused(ask(kind, context.sqrt(sub(x(0), m))), "not-separable",
                "sqrt(x0 - r0)");
  expectRefused(ask(kind, t), "not-separable", "r1");
  Expr above = context.cmp(Predicate::OGT, x(0), m);
  expectRefused(ask(kind, context.select(above, x(0), c(0))),
                "mixed-comparison", "x0 > r0");
}

/// A list is known when its pass is done: deferred factors may use it,
/// references may not.
TEST_F(Monotone, ResultsThatDoNotRun) {
  SplitProblem problem;
  problem.results = {{MonoidKind::TopK, Sign(), true}};
  problem.results[0].hasRunningValue = false;
  problem.value = mul(x(0), m);
  EXPECT_EQ(splitTest(context, problem).cls, Class::Separable);
  for (Expr value : {exp(sub(x(0), m)), square(sub(x(0), m))}) {
    problem.value = value;
    SplitResult s = splitTest(context, problem);
    EXPECT_EQ(s.refusal->rule, "not-separable");
  }
}

/// Two elements that change places refute; a map that keeps them does not.
TEST_F(Monotone, Sampling) {
  SplitProblem problem;
  problem.kind = MonoidKind::Max;
  problem.results = {{MonoidKind::Max, Sign(), true},
                     {MonoidKind::Add, Sign::aboveZero(), true}};
  for (Expr value : {context.tanh(div(sub(x(0), m), t)), sub(m, x(0)),
                     add(x(1), sub(x(0), m))}) {
    problem.value = value;
    EXPECT_FALSE(refutedBySampling(problem)) << print(value);
  }
  for (Expr value : {context.abs(sub(x(0), m)), mul(x(0), m),
                     add(x(1), mul(x(0), t)), context.max(x(0), m)}) {
    problem.value = value;
    EXPECT_EQ(refutedBySampling(problem), !value->is(Kind::Max))
        << print(value);
  }
}

/// Every element, mapped and then reduced, in floats: bit for bit.
TEST_F(Monotone, Rounding) {
  float mu = 0.1f, r = 3.7f;
  float best = -std::numeric_limits<float>::infinity(), largest = best;
  for (int i = 0; i < 1000; ++i) {
    float k = std::sin(float(i)) * 1e-3f;
    best = std::max(best, (k - mu) * r);
    largest = std::max(largest, k);
  }
  EXPECT_EQ(best, (largest - mu) * r);
}
