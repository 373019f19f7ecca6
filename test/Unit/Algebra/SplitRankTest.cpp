//===- SplitRankTest.cpp - Sums of several products -----------------------===//

#include "ChainCheck.h"

#include <gtest/gtest.h>

using namespace cascade::algebra;

namespace {

class SplitRank : public testing::Test, public Chain {
public:
  Expr add(Expr a, Expr b) { return context.add(a, b); }
  Expr sub(Expr a, Expr b) { return context.sub(a, b); }
  Expr mul(Expr a, Expr b) { return context.mul(a, b); }
  Expr div(Expr a, Expr b) { return context.div(a, b); }
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

/// A(D1, D2) A(D0, D1) = A(D0, D2) for the corrections of a fourth moment.
TEST_F(SplitRank, Cocycle) {
  Expr w = context.abs(x(1)), d = sub(x(0), mean(x(0), w));
  sum(mul(w, context.pow(d, c(4))));
  SplitResult split = last();
  ASSERT_TRUE(split.accepted());
  using Values = std::vector<double>;
  Values state = {3, -1, 2, 0.5};
  state.resize(split.cores.size());
  auto move = [&](const Values &from, double c0, double c1) {
    Bindings b;
    b.accumulators = from;
    for (const Reference &ref : split.references) {
      b.oldRefs.push_back(ref.isAccumulator ? 7 : c0);
      b.newRefs.push_back(ref.isAccumulator ? 7 : c1);
    }
    Values to;
    for (Expr correction : split.corrections)
      to.push_back(evaluate(correction, b));
    return to;
  };
  Values twice = move(move(state, 0.25, -1.5), -1.5, 2),
         once = move(state, 0.25, 2);
  for (size_t i = 0; i < once.size(); ++i)
    EXPECT_NEAR(twice[i], once[i], 1e-9 * (1 + std::abs(once[i])));
  EXPECT_EQ(move(state, 2, 2), state);
}

} // namespace
