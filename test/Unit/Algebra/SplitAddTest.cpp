// (add, mul): verdicts, what is emitted, and fused against unfused.

#include "ChainCheck.h"

#include <gtest/gtest.h>

using namespace cascade::algebra;

namespace {
struct SplitAdd : testing::Test, CheckedChain {
  /// The last stage is accepted with this core and finish.
  SplitResult expect(const char *core, const char *finish) {
    SplitResult s = last();
    EXPECT_EQ(s.cls, Class::Separable)
        << (s.refusal ? s.refusal->rule + " " + print(s.refusal->at) : "");
    if (!s.accepted())
      return s;
    EXPECT_EQ(print(s.core()), core);
    EXPECT_EQ(print(s.finish), finish);
    EXPECT_EQ(check(), "");
    return s;
  }
  static std::vector<std::string> refs(const SplitResult &s) {
    std::vector<std::string> texts;
    for (const Reference &ref : s.references)
      texts.push_back(print(ref.value) + " " +
                      std::string(spelling(ref.guard)));
    return texts;
  }
  using Texts = std::vector<std::string>;
};
} // namespace

TEST_F(SplitAdd, Independent) {
  sum(mul(x(0), p(0)));
  parameters = {2};
  SplitResult s = last();
  EXPECT_EQ(s.cls, Class::Independent);
  EXPECT_EQ(s.legality, Legality::BitExact);
  EXPECT_EQ(print(s.core()), "x0 * p0");
  EXPECT_EQ(check(), "");
}

TEST_F(SplitAdd, SoftmaxDenominator) {
  Expr m = maximum(x(0));
  Expr value = exp(sub(x(0), m));
  sum(value);
  SplitResult s = expect("exp(x0 - r0)", "acc0");
  EXPECT_EQ(s.core(), value);
  EXPECT_EQ(s.rank, 1u);
  EXPECT_EQ(s.legality, Legality::Reassociating);
  EXPECT_EQ(refs(s), Texts{"r0 exponent"});
  ASSERT_EQ(s.terms.size(), 1u);
  EXPECT_EQ(print(s.terms[0].G), "exp(x0)");
  EXPECT_EQ(print(s.terms[0].H), "exp(-r0)");
  EXPECT_EQ(s.terms[0].combine, "mul");
  EXPECT_EQ(s.terms[0].form, Form::Rescaled);
  EXPECT_EQ(print(s.correction()),
            "select(acc0 == 0, acc0, select(old0 == new0, acc0, "
            "acc0 * exp(old0 - new0)))");
}

TEST_F(SplitAdd, CastsAreTransparent) {
  Expr xe = context.widen(context.element(0, Type::BF16), Type::F32);
  Expr m = maximum(xe);
  sum(exp(sub(xe, m)));
  SplitResult s = expect("exp(x0 - r0)", "acc0");
  EXPECT_EQ(refs(s), Texts{"r0 exponent"});
}

TEST_F(SplitAdd, DisguisedSoftmax) {
  Expr m = maximum(x(0));
  sum(div(exp(x(0)), exp(m)));
  expect("exp(x0 - r0)", "acc0");
  sum(mul(mul(x(1), exp(x(0))), exp(context.neg(m))));
  expect("x1 * exp(x0 - r0)", "acc0");
  sum(exp(add(context.neg(m), x(0))));
  expect("exp(-r0 + x0)", "acc0");
}

TEST_F(SplitAdd, Attention) {
  Expr m = maximum(x(0));
  Expr e = exp(sub(x(0), m));
  Expr t = sum(e);
  sum(mul(div(e, t), x(1)));
  SplitResult s = expect("exp(x0 - r0) * x1", "acc0 / r1");
  ASSERT_EQ(s.terms.size(), 2u);
  EXPECT_EQ(print(s.terms[0].G), "exp(x0) * x1");
  EXPECT_EQ(print(s.terms[1].H), "1 / r1");
  EXPECT_EQ(s.terms[1].form, Form::Deferred);
  EXPECT_EQ(s.deferredDivisors, std::vector<Expr>{t});
  EXPECT_EQ(print(s.deferred), "1 / r1");
  EXPECT_EQ(s.deferredCombine, "mul");
}

TEST_F(SplitAdd, AttentionSink) {
  Expr m = context.max(maximum(x(0)), p(0));
  parameters = {1.5};
  Expr e = exp(sub(x(0), m));
  Expr t = add(sum(e), exp(sub(p(0), m)));
  sum(mul(div(e, t), x(1)));
  SplitResult s = expect("exp(x0 - max(r0, p0)) * x1",
                         "acc0 / (r1 + exp(p0 - max(r0, p0)))");
  EXPECT_EQ(refs(s), Texts{"max(r0, p0) exponent"});
}

TEST_F(SplitAdd, Renyi2) {
  Expr m = maximum(x(0));
  Expr e = exp(sub(x(0), m));
  Expr w = div(e, sum(e));
  sum(mul(w, w));
  SplitResult s = expect("exp(x0 - r0) * exp(x0 - r0)", "acc0 / r1 / r1");
  EXPECT_EQ(print(s.correction()),
            "select(acc0 == 0, acc0, select(old0 == new0, acc0, "
            "acc0 * exp((old0 - new0) * 2)))");
  sum(context.pow(w, c(2)));
  expect("pow(exp(x0 - r0), 2)", "acc0 / r1 / r1");
}

TEST_F(SplitAdd, Bhattacharyya) {
  Expr ep = exp(sub(x(0), maximum(x(0)))), eq = exp(sub(x(1), maximum(x(1))));
  Expr tp = sum(ep), tq = sum(eq);
  // Stages: 0 max, 1 max, then the two sums (argument order is unspecified for
  // the maxima only in name).
  sum(context.sqrt(mul(div(ep, tp), div(eq, tq))));
  SplitResult s = last();
  ASSERT_TRUE(s.accepted()) << s.refusal->rule;
  EXPECT_EQ(s.references.size(), 2u);
  EXPECT_EQ(print(s.finish), "acc0 / sqrt(r2) / sqrt(r3)");
  EXPECT_EQ(check(), "");
}

TEST_F(SplitAdd, LogSumExpAsReference) {
  Expr m = maximum(x(0));
  Expr t = sum(exp(sub(x(0), m)));
  Expr lse = add(m, context.log(t));
  sum(mul(exp(sub(x(0), lse)), x(1)));
  SplitResult s = expect("exp(x0 - (r0 + log(r1))) * x1", "acc0");
  EXPECT_EQ(refs(s), Texts{"r0 + log(r1) none"});
}

TEST_F(SplitAdd, ScaledExponentOfTwo) {
  parameters = {1.4426950408889634};
  Expr m = maximum(x(0));
  sum(context.unary(Kind::Exp2, mul(sub(x(0), m), p(0))));
  SplitResult s = expect("exp2((x0 - r0) * p0)", "acc0");
  EXPECT_EQ(print(s.correction()),
            "select(acc0 == 0, acc0, select(old0 == new0, acc0, "
            "acc0 * exp2((old0 - new0) * p0)))");
  sum(context.unary(Kind::Exp2, sub(mul(x(0), p(0)), mul(m, p(0)))));
  s = expect("exp2(x0 * p0 - r0 * p0)", "acc0");
  EXPECT_EQ(refs(s), Texts{"r0 * p0 none"});
}

TEST_F(SplitAdd, TwoScalesOfOneReferenceInASum) {
  parameters = {0.5};
  Expr m = maximum(x(0));
  Expr a = exp(mul(sub(x(0), m), p(0)));
  Expr b = exp(sub(mul(x(1), p(0)), mul(m, p(0))));
  maximum(x(1));
  sum(add(a, b));
  SplitResult s = last();
  ASSERT_TRUE(s.accepted());
  EXPECT_EQ(s.references.size(), 2u);
}

TEST_F(SplitAdd, Softcap) {
  Expr s0 = mul(c(30), context.tanh(div(x(0), c(30))));
  Expr m = maximum(s0);
  sum(exp(sub(s0, m)));
  expect("exp(30 * tanh(x0 / 30) - r0)", "acc0");
}

TEST_F(SplitAdd, RmsNormTimesMatrix) {
  parameters = {37};
  parameterFacts = {Sign::aboveZero()};
  Expr r = context.rsqrt(add(div(sum(mul(x(0), x(0))), p(0)), c(1e-5)));
  sum(mul(mul(mul(x(0), r), x(1)), x(2)));
  SplitResult s = expect("x0 * x1 * x2", "acc0 * rsqrt(r0 / p0 + 1e-05)");
  EXPECT_TRUE(s.references.empty());
  EXPECT_EQ(s.correction(), nullptr);
  ASSERT_EQ(s.terms.size(), 1u);
  EXPECT_EQ(print(s.terms[0].G), "x0 * x1 * x2");
}

TEST_F(SplitAdd, ClipByNorm) {
  Expr n = context.sqrt(sum(mul(x(0), x(0))));
  sum(mul(mul(x(0), x(1)), context.min(c(1), div(c(3), n))));
  expect("x0 * x1", "acc0 * min(1, 3 / sqrt(r0))");
}

TEST_F(SplitAdd, Cosine) {
  Expr nx = context.sqrt(sum(mul(x(0), x(0))));
  Expr ny = context.sqrt(sum(mul(x(1), x(1))));
  sum(mul(div(x(0), mul(nx, ny)), x(1)));
  expect("x0 * x1", "acc0 / (sqrt(r0) * sqrt(r1))");
}

TEST_F(SplitAdd, ScaledNorm) {
  Expr a = maximum(context.abs(x(0)));
  Expr q = div(x(0), a);
  sum(mul(q, q));
  SplitResult s = expect("x0 / r0 * (x0 / r0)", "acc0");
  EXPECT_EQ(refs(s), Texts{"r0 divisor"});
  EXPECT_EQ(print(s.correction()),
            "select(acc0 == 0, acc0, select(old0 == new0, acc0, "
            "acc0 * (old0 / new0 * (old0 / new0))))");
}

TEST_F(SplitAdd, AbsmaxDot) {
  Expr a = maximum(context.abs(x(0)));
  sum(mul(mul(x(0), div(c(448), a)), x(1)));
  SplitResult s = expect("x0 * (448 / r0) * x1", "acc0");
  EXPECT_EQ(refs(s), Texts{"r0 divisor"});
  ASSERT_EQ(s.terms.size(), 1u);
  EXPECT_EQ(print(s.terms[0].H), "448 / r0");
  // A positive power is applied afterwards.
  sum(mul(x(1), a));
  expect("x1", "acc0 * r0");
}

TEST_F(SplitAdd, SumsWithOneFactor) {
  Expr r = sum(mul(x(0), x(0)));
  sum(add(mul(x(0), r), div(mul(r, x(1)), c(2))));
  expect("x0 + x1 / 2", "acc0 * r0");
  sum(add(mul(x(0), r), r));
  expect("x0 + 1", "acc0 * r0");
  Expr below = context.cmp(Predicate::OLT, x(0), x(1));
  sum(context.select(below, mul(x(0), r), c(0)));
  expect("select(x0 < x1, x0, 0)", "acc0 * r0");
  Expr s = sum(x(1));
  sum(add(mul(x(0), mul(r, s)), mul(mul(x(1), r), s)));
  SplitResult split = last();
  ASSERT_TRUE(split.accepted());
  EXPECT_EQ(print(split.core()), "x0 + x1");
  EXPECT_EQ(check(), "");
}

TEST_F(SplitAdd, OnlyEarlierResults) {
  Expr r = sum(mul(x(0), x(0)));
  sum(context.sqrt(r));
  expect("1", "acc0 * sqrt(r0)");
}

TEST_F(SplitAdd, ResultsOfOtherPassesAreConstants) {
  Expr m = maximum(x(0));
  sum(mul(context.abs(sub(x(0), m)), x(1)));
  SplitProblem other = lastProblem();
  other.results[0].samePass = false;
  EXPECT_EQ(splitTest(context, other).cls, Class::Independent);
}

TEST_F(SplitAdd, TenThousandDeep) {
  Expr m = maximum(x(0));
  Expr e = exp(sub(x(0), m));
  Expr t = sum(e);
  Expr value = div(e, t), chain = sub(x(0), m);
  for (int i = 0; i < 10000; ++i) {
    value = mul(value, x(1));
    chain = add(chain, x(1));
  }
  sum(value);
  EXPECT_TRUE(last().accepted());
  sum(exp(chain));
  EXPECT_TRUE(last().accepted());
}
