// Expressions of ten thousand nodes: an answer, soon, on a small stack.

#include "ChainCheck.h"

#include <chrono>
#include <gtest/gtest.h>

using namespace cascade::algebra;

namespace {
struct SplitSize : testing::Test, CheckedChain {
  static constexpr unsigned kNodes = 10000;
  /// Asks for `value` as a sum and as a maximum. An answer takes milliseconds;
  /// the limit is for busy machines.
  void expectAnswer(Expr value) {
    using Clock = std::chrono::steady_clock;
    for (MonoidKind kind : {MonoidKind::Add, MonoidKind::Max}) {
      reduce(kind, value);
      auto start = Clock::now();
      SplitResult s = last();
      EXPECT_LT(Clock::now() - start, std::chrono::seconds(5));
      if (!s.accepted())
        EXPECT_FALSE(s.refusal->rule.empty());
    }
  }
  Expr d = sub(x(0), mean(x(0)));
};
} // namespace

TEST_F(SplitSize, Sums) {
  Expr plain = d, products = mul(x(0), d);
  for (unsigned i = 0; i < kNodes; ++i) {
    plain = add(plain, x(i % 8));
    products = add(products, mul(x(i % 8), d));
  }
  expectAnswer(plain);
  expectAnswer(products);
}

TEST_F(SplitSize, Products) {
  Expr plain = d, power = d, quotient = d;
  for (unsigned i = 0; i < kNodes; ++i) {
    plain = mul(plain, x(i % 8));
    power = mul(power, d);
    quotient = div(quotient, d);
  }
  expectAnswer(plain);
  EXPECT_TRUE(stages()[stages().size() - 2].verdict.accepted());
  expectAnswer(power);
  EXPECT_EQ(stages()[stages().size() - 2].verdict.refusal->rule,
            "too-many-terms");
  expectAnswer(quotient);
}

TEST_F(SplitSize, Nests) {
  Expr roots = d, exponentials = d, selects = d, logs = d;
  for (unsigned i = 0; i < kNodes; ++i) {
    roots = i % 2 ? context.abs(roots) : context.sqrt(roots);
    exponentials = i % 2 ? exp(exponentials) : context.neg(exponentials);
    logs = i % 2 ? context.log(logs) : exp(logs);
    selects = context.select(context.cmp(Predicate::OLT, x(0), c(i)), selects,
                             mul(x(1), d));
  }
  for (Expr value : {roots, exponentials, selects, logs})
    expectAnswer(value);
}

TEST_F(SplitSize, BalancedTree) {
  std::vector<Expr> level;
  for (unsigned i = 0; i < kNodes / 2; ++i)
    level.push_back(mul(mul(x(i % 8), c(i)), d));
  while (level.size() > 1) {
    std::vector<Expr> next;
    for (size_t i = 0; i + 1 < level.size(); i += 2)
      next.push_back(add(level[i], level[i + 1]));
    if (level.size() % 2)
      next.push_back(level.back());
    level = std::move(next);
  }
  expectAnswer(level[0]);
}

TEST_F(SplitSize, LogarithmsOfLongProducts) {
  Expr product = context.abs(x(0));
  for (unsigned i = 0; i < kNodes; ++i)
    product = mul(product, i % 2 ? context.abs(x(i % 8)) : exp(d));
  expectAnswer(context.log(product));
}
