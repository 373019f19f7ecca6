// Narrowing casts: refused, or accepted under a weaker legality.

#include "ChainCheck.h"

#include <gtest/gtest.h>

using namespace cascade::algebra;

namespace {
struct SplitLegality : testing::Test, CheckedChain {
  Expr rounded(Expr e, Type type) {
    return context.widen(context.narrow(e, type), Type::F32);
  }
  void attention(Type weightType) {
    Expr m = maximum(x(0));
    Expr e = context.exp(context.sub(x(0), m));
    Expr t = sum(e);
    sum(context.mul(rounded(context.div(e, t), weightType), x(1)));
  }
};
} // namespace

TEST_F(SplitLegality, RoundedWeights) {
  attention(Type::BF16);
  SplitResult s = last();
  ASSERT_FALSE(s.accepted());
  EXPECT_EQ(s.refusal->rule, "mixed-narrowing-cast");
  EXPECT_EQ(print(s.refusal->at), "bf16(exp(x0 - r0) / r1)");
}

TEST_F(SplitLegality, RoundedWeightsAllowed) {
  options.allowMoveRounding = true;
  attention(Type::BF16);
  SplitResult s = last();
  ASSERT_TRUE(s.accepted());
  EXPECT_EQ(s.legality, Legality::RoundingMoving);
  EXPECT_EQ(print(s.core()), "bf16(exp(x0 - r0)) * x1");
  EXPECT_EQ(print(s.finish), "acc0 / r1");
  EXPECT_EQ(check(), "");
}

TEST_F(SplitLegality, Fp8NeedsApproximate) {
  Expr a = maximum(context.abs(x(0)));
  Expr q = context.mul(x(0), context.div(c(448), a));
  sum(context.mul(rounded(q, Type::F8E4M3), x(1)));
  options.allowMoveRounding = true;
  EXPECT_EQ(last().refusal->rule, "mixed-narrowing-cast");
  options.allowApproximate = true;
  unfuse();
  SplitResult s = last();
  ASSERT_TRUE(s.accepted());
  EXPECT_EQ(s.legality, Legality::Approximate);
  EXPECT_EQ(print(s.core()), "x0 * (448 / r0) * x1");
  EXPECT_EQ(check(), "");
}

TEST_F(SplitLegality, QuantisingToIntegersIsRefused) {
  Expr a = maximum(context.abs(x(0)));
  Expr q = context.convert("arith.fptosi", context.div(x(0), a), Type::I8);
  sum(context.convert("arith.sitofp", q, Type::F32));
  options.allowMoveRounding = true;
  EXPECT_EQ(last().refusal->rule, "mixed-narrowing-cast");
  EXPECT_EQ(print(last().refusal->at), "arith.fptosi(x0 / r0)");
  options.allowApproximate = true;
  unfuse();
  EXPECT_EQ(last().legality, Legality::Approximate);
  EXPECT_EQ(last().cost,
            "a rounding to a whole number, by up to 1, is left out");
  EXPECT_EQ(print(last().core()), "x0 / r0");
}

TEST_F(SplitLegality, NarrowingOfAPureValueIsAnAtom) {
  Expr r = sum(context.mul(x(0), x(0)));
  sum(context.mul(rounded(context.mul(x(0), x(1)), Type::BF16),
                  rounded(r, Type::BF16)));
  SplitResult s = last();
  ASSERT_TRUE(s.accepted());
  EXPECT_EQ(s.legality, Legality::Reassociating);
  EXPECT_EQ(print(s.core()), "bf16(x0 * x1)");
  EXPECT_EQ(print(s.finish), "acc0 * bf16(r0)");
}

TEST_F(SplitLegality, NarrowReductionsAccumulateInF32) {
  Expr xe = context.element(0, Type::BF16), m = context.result(0, Type::BF16);
  SplitProblem p;
  p.results = {{MonoidKind::Max, Sign(), true}};
  p.value = context.exp(context.sub(xe, m));
  SplitResult s = splitTest(context, p);
  ASSERT_TRUE(s.accepted());
  EXPECT_EQ(s.core()->type, Type::BF16);
  EXPECT_EQ(s.correction()->type, Type::F32);
  EXPECT_EQ(s.finish->type, Type::F32);
}
