#include "cascade/Algebra/Expr.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace cascade::algebra;

TEST(Expr, EqualRequestsGiveTheSameNode) {
  ExprContext c;
  Expr a = c.sub(c.element(0), c.result(0));
  EXPECT_EQ(a, c.sub(c.element(0), c.result(0)));
  EXPECT_NE(a, c.sub(c.result(0), c.element(0)));
  EXPECT_NE(c.element(0), c.element(0, Type::F64));
  EXPECT_NE(c.constant(0.0), c.constant(-0.0));
  EXPECT_EQ(c.constant(NAN), c.constant(NAN));
  EXPECT_NE(c.opaque("sin", {a}, Type::F32), c.opaque("cos", {a}, Type::F32));
  EXPECT_EQ(c.size(), 10u);
}

TEST(Expr, NothingIsSimplified) {
  ExprContext c;
  Expr x = c.element(0);
  EXPECT_EQ(print(c.mul(x, c.constant(0))), "x0 * 0");
  EXPECT_EQ(print(c.sub(x, x)), "x0 - x0");
  EXPECT_EQ(c.mulNonUnit(nullptr, x), x);
}

TEST(Expr, Print) {
  ExprContext c;
  Expr x = c.element(0), y = c.element(1), r = c.result(0), p = c.parameter(2);
  EXPECT_EQ(print(c.exp(c.sub(x, r))), "exp(x0 - r0)");
  EXPECT_EQ(print(c.mul(c.add(x, y), r)), "(x0 + x1) * r0");
  EXPECT_EQ(print(c.sub(x, c.sub(y, r))), "x0 - (x1 - r0)");
  EXPECT_EQ(print(c.sub(c.sub(x, y), r)), "x0 - x1 - r0");
  EXPECT_EQ(print(c.div(x, c.mul(y, p))), "x0 / (x1 * p2)");
  EXPECT_EQ(print(c.neg(c.mul(x, y))), "-(x0 * x1)");
  EXPECT_EQ(print(c.exp(c.neg(r))), "exp(-r0)");
  EXPECT_EQ(print(c.mul(c.constant(0.1), x)), "0.1 * x0");
  EXPECT_EQ(print(c.cmp(Predicate::OGT, x, c.add(r, p))), "x0 > r0 + p2");
  EXPECT_EQ(print(c.select(c.cmp(Predicate::OLT, x, r), x, y)),
            "select(x0 < r0, x0, x1)");
  EXPECT_EQ(print(c.widen(c.element(0, Type::BF16), Type::F32)), "x0");
  EXPECT_EQ(print(c.narrow(x, Type::BF16)), "bf16(x0)");
  EXPECT_EQ(print(c.pow(x, c.constant(3))), "pow(x0, 3)");
  EXPECT_EQ(print(c.max(x, c.tanh(y))), "max(x0, tanh(x1))");
  EXPECT_EQ(print(c.integer(1, Type::I1)), "true");
  EXPECT_EQ(print(c.convert("sitofp", c.element(0, Type::I32), Type::F32)),
            "sitofp(x0)");
}

TEST(Expr, Evaluate) {
  ExprContext c;
  Bindings b;
  b.elements = {3, -4};
  b.results = {2};
  Expr x = c.element(0), y = c.element(1), r = c.result(0);
  EXPECT_EQ(evaluate(c.add(c.mul(x, y), r), b), -10);
  EXPECT_EQ(evaluate(c.sqrt(c.add(c.mul(x, x), c.mul(y, y))), b), 5);
  EXPECT_DOUBLE_EQ(evaluate(c.exp(c.sub(x, r)), b), std::exp(1.0));
  EXPECT_EQ(evaluate(c.select(c.cmp(Predicate::OLT, x, y), x, y), b), -4);
  EXPECT_TRUE(std::isnan(evaluate(c.max(x, c.element(9)), b)));
  EXPECT_EQ(evaluate(c.binary(Kind::MaxNum, x, c.element(9)), b), 3);
  EXPECT_EQ(evaluate(c.opaque("math.floor", {c.constant(2.5)}, Type::F32), b),
            2);
  b.nodes[r] = 100;
  EXPECT_EQ(evaluate(c.add(x, r), b), 103);
}

TEST(Expr, SubstituteAndSymbols) {
  ExprContext c;
  Expr x = c.element(3), r = c.result(1), e = c.exp(c.sub(x, r));
  EXPECT_EQ(print(substitute(c, e, {{r, c.newRef(0)}})), "exp(x3 - new0)");
  EXPECT_EQ(substitute(c, e, {{c.result(7), x}}), e);
  EXPECT_EQ(symbolsOf(e, Kind::Element), std::vector<unsigned>{3});
  EXPECT_TRUE(e->contains(Kind::Result));
  EXPECT_FALSE(e->contains(Kind::Parameter));
  EXPECT_EQ(cost({e, c.sub(x, r)}), 17u);
}

TEST(Expr, CastFloat) {
  ExprContext c;
  Expr h = c.element(0, Type::BF16);
  EXPECT_EQ(c.castFloat(h, Type::F32)->kind, Kind::Widen);
  EXPECT_EQ(c.castFloat(h, Type::F8E5M2)->kind, Kind::Narrow);
  EXPECT_EQ(c.castFloat(h, Type::BF16), h);
}

TEST(Expr, TenThousandDeep) {
  ExprContext c;
  Expr e = c.element(0);
  for (int i = 0; i < 10000; ++i)
    e = c.add(e, c.constant(1));
  Bindings b;
  b.elements = {5};
  EXPECT_EQ(evaluate(e, b), 10005);
  EXPECT_EQ(c.size(), 10002u);
  EXPECT_LE(print(e, 100).size(), 103u);
  Expr other = substitute(c, e, {{c.element(0), c.result(0)}});
  EXPECT_TRUE(other->contains(Kind::Result));
}

TEST(Expr, SharedNodesAreVisitedOnce) {
  ExprContext c;
  Expr e = c.element(0);
  for (int i = 0; i < 60; ++i)
    e = c.add(e, e);
  Bindings b;
  b.elements = {1};
  EXPECT_EQ(evaluate(e, b), 0x1p60);
  EXPECT_EQ(cost({e}), 60u);
  EXPECT_EQ(postOrder(e).size(), 61u);
}
