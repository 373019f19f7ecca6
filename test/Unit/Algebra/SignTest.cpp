#include "cascade/Algebra/Sign.h"

#include <gtest/gtest.h>

using namespace cascade::algebra;

namespace {
struct SignTest : testing::Test {
  ExprContext c;
  Expr x = c.element(0), y = c.element(1), r = c.result(0), n = c.parameter(0);
  Sign of(Expr e) {
    SignFacts facts;
    facts.results = {Sign::atLeastZero()};
    facts.parameters = {Sign::aboveZero()};
    return SignAnalysis(facts).of(e);
  }
};
} // namespace

TEST_F(SignTest, Unknown) {
  for (Expr e : {x, c.neg(x), c.mul(x, y), c.sub(r, n), c.log(n), c.max(x, y)})
    EXPECT_FALSE(of(e).nonNegative || of(e).nonPositive) << print(e);
}

TEST_F(SignTest, NonNegative) {
  for (Expr e :
       {c.abs(x), c.mul(x, x), c.sqrt(x), c.exp(x), c.rsqrt(x), r,
        c.add(r, c.abs(y)), c.max(x, c.constant(0)), c.mul(r, n), c.div(r, n),
        c.min(n, r), c.pow(x, c.constant(2)), c.sub(r, c.constant(-1)),
        c.mul(c.neg(r), c.constant(-2)), c.narrow(c.exp(x), Type::BF16)})
    EXPECT_TRUE(of(e).nonNegative) << print(e);
  EXPECT_FALSE(of(r).nonZero);
  EXPECT_FALSE(of(c.narrow(c.exp(x), Type::BF16)).nonZero);
}

TEST_F(SignTest, Positive) {
  for (Expr e :
       {c.exp(x), c.rsqrt(x), n, c.max(x, c.constant(1e-6)),
        c.add(c.div(r, n), c.constant(1e-5)), c.add(c.mul(x, x), n),
        c.rsqrt(c.add(c.div(r, n), c.constant(1e-5))), c.min(c.constant(1), n),
        c.select(c.cmp(Predicate::OLT, x, y), n, c.constant(2))})
    EXPECT_TRUE(of(e).positive()) << print(e);
}

TEST_F(SignTest, Negative) {
  EXPECT_TRUE(of(c.neg(c.exp(x))).negative());
  EXPECT_TRUE(of(c.sub(c.constant(-1), r)).negative());
  EXPECT_TRUE(of(c.constant(0)).nonNegative);
  EXPECT_TRUE(of(c.constant(0)).nonPositive);
}

TEST_F(SignTest, ConversionsByName) {
  Expr i = c.element(2, Type::I32);
  EXPECT_TRUE(of(c.convert("arith.uitofp", i, Type::F32)).nonNegative);
  EXPECT_FALSE(of(c.convert("arith.sitofp", i, Type::F32)).nonNegative);
}

TEST_F(SignTest, Deep) {
  Expr e = c.exp(x);
  for (int i = 0; i < 10000; ++i)
    e = c.add(e, c.constant(1));
  EXPECT_TRUE(of(e).positive());
}
