// Random values: whatever is accepted satisfies, in real arithmetic,
//   finish(correct(core(x), old, new)) = F(x)
// for sums, maxima and minima of two elements whose references move twice.

#include "cascade/Algebra/SplitTest.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace cascade::algebra;

namespace {

class Fuzzer {
public:
  explicit Fuzzer(unsigned seed) : random(seed) {}
  /// Empty text, or what is wrong with the verdict on one random value.
  std::string run();
  unsigned separable = 0;

private:
  using Values = std::vector<double>;
  unsigned below(unsigned n) { return random() % n; }
  double unit() { return (random() >> 5) * 0x1p-27; }
  Expr leaf();
  Expr value(unsigned depth, bool inExponent = false);
  Values drawResults();
  Bindings with(const Values &elements, const Values &results) const;
  Values references(const SplitResult &split, const Values &results) const;
  Values cores(const SplitResult &split, const Values &elements,
               const Values &refs) const;
  Values corrected(const SplitResult &split, const Values &accumulators,
                   const Values &from, const Values &to) const;
  std::string sample(const SplitResult &split);

  std::mt19937 random;
  std::unique_ptr<ExprContext> c;
  SplitProblem problem;
  double parameter = 0;
};

} // namespace

Expr Fuzzer::leaf() {
  switch (below(9)) {
  case 0:
  case 1:
    return c->element(0);
  case 2:
    return c->element(1);
  case 3:
  case 4:
  case 5:
    return c->result(below(3));
  case 6:
    return c->parameter(0);
  case 7:
    return c->constant(-1.5);
  default:
    return c->sub(c->element(0), c->result(0));
  }
}

/// Exponentials are not nested, so that values stay in range.
Expr Fuzzer::value(unsigned depth, bool inExponent) {
  if (depth == 0)
    return leaf();
  auto next = [&] { return value(depth - 1, inExponent); };
  switch (below(inExponent ? 13 : 16)) {
  case 0:
  case 1:
  case 2:
    return c->mul(next(), next());
  case 3:
  case 4:
    return c->div(next(), next());
  case 5:
    return c->neg(next());
  case 6:
    return c->abs(next());
  case 7:
    return c->sqrt(next());
  case 8:
    return below(2) ? c->rsqrt(next()) : c->pow(next(), c->constant(2));
  case 9:
    return c->add(next(), next());
  case 10:
    return c->sub(next(), next());
  case 11:
    return c->select(c->cmp(Predicate::OLT, c->element(0), c->element(1)),
                     next(), next());
  case 12:
    return below(2) ? c->max(next(), next()) : c->tanh(next());
  case 13:
    return c->exp(value(depth - 1, true));
  default:
    return c->mul(c->exp(c->sub(c->element(below(2)), c->result(0))), next());
  }
}

Fuzzer::Values Fuzzer::drawResults() {
  Values values;
  for (const ResultInfo &info : problem.results) {
    double magnitude = 0.25 + 2 * unit();
    bool negative = !info.sign.nonNegative && below(2);
    values.push_back(negative ? -magnitude : magnitude);
  }
  return values;
}

Bindings Fuzzer::with(const Values &elements, const Values &results) const {
  Bindings b;
  b.parameters = {parameter};
  b.elements = elements;
  b.results = results;
  return b;
}

Fuzzer::Values Fuzzer::references(const SplitResult &split,
                                  const Values &results) const {
  Values values;
  for (const Reference &ref : split.references)
    values.push_back(evaluate(ref.value, with({}, results)));
  return values;
}

/// Results reach the cores through its references only: others are NaN.
Fuzzer::Values Fuzzer::cores(const SplitResult &split, const Values &elements,
                             const Values &refs) const {
  Bindings b = with(elements, {});
  for (size_t k = 0; k < refs.size(); ++k)
    b.nodes[split.references[k].value] = refs[k];
  Values values;
  for (Expr core : split.cores)
    values.push_back(evaluate(core, b));
  return values;
}

Fuzzer::Values Fuzzer::corrected(const SplitResult &split,
                                 const Values &accumulators, const Values &from,
                                 const Values &to) const {
  if (split.corrections.empty())
    return accumulators;
  Bindings b = with({}, {});
  b.accumulators = accumulators;
  b.oldRefs = from;
  b.newRefs = to;
  Values values;
  for (Expr correction : split.corrections)
    values.push_back(evaluate(correction, b));
  return values;
}

/// One comparison; nothing is said of samples that are not finite.
std::string Fuzzer::sample(const SplitResult &split) {
  parameter = (below(2) ? 1 : -1) * (0.5 + unit());
  auto drawElements = [&] { return Values{4 * unit() - 2, 4 * unit() - 2}; };
  Values x1 = drawElements(), x2 = drawElements(), results = drawResults();
  double f1 = evaluate(problem.value, with(x1, results));
  double f2 = evaluate(problem.value, with(x2, results));
  Values r0 = references(split, drawResults());
  Values r1 = references(split, drawResults());
  Values r2 = references(split, results);
  double large = std::max(std::fabs(f1), std::fabs(f2));
  bool usable = true;
  for (double f : {f1, f2}) // else a sum has cancelled
    usable &= std::fabs(f) > 1e-9 && std::fabs(f) < 1e9;
  for (const Values *refs : {&r0, &r1, &r2})
    for (double ref : *refs)
      usable &= std::fabs(ref) > 1e-9 && std::fabs(ref) < 50;
  for (Expr scale : split.scales) // else the row is replayed
    usable &= std::isfinite(evaluate(scale, with({}, results)));
  if (!usable)
    return "";
  auto combine = [&](double a, double b) {
    return problem.kind == MonoidKind::Add   ? a + b
           : problem.kind == MonoidKind::Max ? std::max(a, b)
                                             : std::min(a, b);
  };
  Values acc = corrected(split, cores(split, x1, r0), r0, r1);
  Values second = cores(split, x2, r1);
  double size = large;
  for (size_t k = 0; k < acc.size(); ++k) {
    acc[k] = combine(acc[k], second[k]);
    size = std::max(size, std::fabs(acc[k]));
  }
  acc = corrected(split, acc, r1, r2);
  Bindings b = with({}, results);
  b.accumulators = acc;
  double got = evaluate(split.finish, b), want = combine(f1, f2);
  if (std::fabs(got - want) <= 1e-5 * (split.rank > 1 ? size : large))
    return "";
  return std::to_string(got) + " instead of " + std::to_string(want);
}

std::string Fuzzer::run() {
  static const MonoidKind kinds[] = {MonoidKind::Add, MonoidKind::Add,
                                     MonoidKind::Max, MonoidKind::Min};
  c = std::make_unique<ExprContext>();
  problem = SplitProblem();
  problem.kind = kinds[below(4)];
  problem.value = value(1 + below(4));
  problem.results = {
      {MonoidKind::Max, below(2) ? Sign::unknown() : Sign::atLeastZero(), true},
      {MonoidKind::Add, Sign::atLeastZero(), true},
      {MonoidKind::Add, Sign::unknown(), true}};
  SplitResult split = splitTest(*c, problem);
  if (split.cls != Class::Separable)
    return "";
  ++separable;
  for (int i = 0; i < 10; ++i)
    if (std::string wrong = sample(split); !wrong.empty())
      return print(problem.value) + ": " + wrong + ", core " +
             (split.core() ? print(split.core()) : "none") + ", finish " +
             print(split.finish);
  return "";
}

TEST(SplitFuzz, AcceptedVerdictsHold) {
  Fuzzer fuzzer(1);
  for (int i = 0; i < 4000; ++i)
    ASSERT_EQ(fuzzer.run(), "") << "value " << i;
  EXPECT_GT(fuzzer.separable, 500u);
}
