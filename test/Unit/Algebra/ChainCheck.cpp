//===- ChainCheck.cpp - Fused against unfused, in doubles -----------------===//

#include "ChainCheck.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace cascade::algebra {

static constexpr double kInf = std::numeric_limits<double>::infinity();

Expr Chain::reduce(MonoidKind kind, Expr value) {
  SignFacts facts;
  facts.parameters = parameterFacts;
  for (const Stage &stage : stages)
    facts.results.push_back(stage.sign);
  Sign of = SignAnalysis(facts).of(value), sign;
  sign.nonNegative = of.nonNegative;
  for (unsigned id : symbolsOf(value, Kind::Element))
    numElements = std::max(numElements, id + 1);
  stages.push_back({kind, value, sign});
  return context.result(stages.size() - 1);
}

SplitProblem Chain::problem(unsigned stage) const {
  SplitProblem problem;
  problem.kind = stages[stage].kind;
  problem.value = stages[stage].value;
  for (unsigned i = 0; i < stage; ++i) {
    ResultInfo &result = problem.results.emplace_back();
    result.kind = stages[i].kind;
    result.sign = stages[i].sign;
    result.value = stages[i].value;
  }
  problem.parameters = parameterFacts;
  problem.options = options;
  return problem;
}

SplitResult Chain::split(unsigned stage) {
  return splitTest(context, problem(stage));
}

double Chain::combine(MonoidKind kind, double a, double b) const {
  if (kind == MonoidKind::Add)
    return a + b;
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<double>::quiet_NaN();
  return kind == MonoidKind::Max ? std::max(a, b) : std::min(a, b);
}

double Chain::identity(MonoidKind kind) const {
  return kind == MonoidKind::Add ? 0 : -info(kind).direction * kInf;
}

std::vector<double> Chain::unfused(const std::vector<Row> &rows) const {
  Bindings b;
  b.parameters = parameters;
  for (const Stage &stage : stages) {
    double total = identity(stage.kind);
    for (const Row &row : rows) {
      b.elements = row;
      total = combine(stage.kind, total, evaluate(stage.value, b));
    }
    b.results.push_back(total);
  }
  return b.results;
}

std::vector<double> Chain::results(const State &state, unsigned stage) const {
  Bindings b;
  b.parameters = parameters;
  for (unsigned i = 0; i < stage; ++i) {
    b.accumulators = state.accumulators[i];
    b.results.push_back(state.seen ? evaluate(verdicts[i].finish, b)
                                   : identity(stages[i].kind));
  }
  return b.results;
}

std::vector<double> Chain::guarded(const std::vector<double> &results,
                                   unsigned stage) const {
  Bindings b;
  b.parameters = parameters;
  b.results = results;
  std::vector<double> values;
  for (const Reference &ref : verdicts[stage].references) {
    double v = evaluate(ref.value, b);
    if (ref.guard == ReferenceGuard::Exponent && std::isinf(v))
      v = 0;
    if (ref.guard == ReferenceGuard::Divisor && v == 0)
      v = 1;
    if (ref.guard == ReferenceGuard::Centre && !std::isfinite(v))
      v = 0;
    values.push_back(v);
  }
  return values;
}

std::vector<double> Chain::corrected(const State &state, unsigned stage,
                                     const std::vector<double> &to) const {
  const SplitResult &verdict = verdicts[stage];
  if (!state.seen || verdict.corrections.empty())
    return state.accumulators[stage];
  Bindings b;
  b.parameters = parameters;
  b.accumulators = state.accumulators[stage];
  b.oldRefs = state.references[stage];
  b.newRefs = to;
  std::vector<double> values;
  for (Expr correction : verdict.corrections)
    values.push_back(evaluate(correction, b));
  return values;
}

Chain::State Chain::start() const {
  State state;
  for (unsigned i = 0; i < stages.size(); ++i) {
    state.accumulators.emplace_back(verdicts[i].cores.size(),
                                    identity(stages[i].kind));
    state.references.emplace_back();
  }
  return state;
}

Chain::State Chain::step(const State &state, const Row &row) const {
  State next = start();
  next.seen = true;
  for (unsigned i = 0; i < stages.size(); ++i) {
    next.references[i] = guarded(results(next, i), i);
    Bindings b;
    b.parameters = parameters;
    b.elements = row;
    for (unsigned k = 0; k < verdicts[i].references.size(); ++k)
      b.nodes[verdicts[i].references[k].value] = next.references[i][k];
    next.accumulators[i] = corrected(state, i, next.references[i]);
    for (unsigned k = 0; k < verdicts[i].cores.size(); ++k)
      next.accumulators[i][k] = combine(stages[i].kind, next.accumulators[i][k],
                                        evaluate(verdicts[i].cores[k], b));
  }
  return next;
}

Chain::State Chain::merge(const State &a, const State &b) const {
  State next = start();
  next.seen = a.seen || b.seen;
  for (unsigned i = 0; i < stages.size(); ++i) {
    next.references[i] = guarded(results(next, i), i);
    next.accumulators[i] = corrected(a, i, next.references[i]);
    std::vector<double> other = corrected(b, i, next.references[i]);
    for (unsigned k = 0; k < other.size(); ++k)
      next.accumulators[i][k] =
          combine(stages[i].kind, next.accumulators[i][k], other[k]);
  }
  return next;
}

std::string Chain::compare(const std::vector<Row> &rows,
                           unsigned segments) const {
  State whole = start();
  for (unsigned s = 0; s < segments; ++s) {
    State part = start();
    // The first of several segments is empty.
    size_t n = rows.size(), pieces = std::max(1u, segments - 1);
    size_t from =
        segments > 1 && s == 0 ? 0 : n * (s - (segments > 1)) / pieces;
    size_t to =
        segments > 1 && s == 0 ? 0 : n * (s + 1 - (segments > 1)) / pieces;
    for (size_t i = from; i < to; ++i)
      part = step(part, rows[i]);
    whole = merge(whole, part);
  }
  std::vector<double> expected = unfused(rows);
  std::vector<double> actual = results(whole, stages.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    double e = expected[i], a = actual[i];
    if (e == a || (std::isnan(e) && std::isnan(a)))
      continue;
    Bindings b;
    b.parameters = parameters;
    b.results = expected;
    double size = std::fabs(e);
    for (const Row &row : rows) {
      b.elements = row;
      if (stages[i].kind == MonoidKind::Add)
        size += std::fabs(evaluate(stages[i].value, b));
    }
    if (!(std::fabs(e - a) <= 1e-12 * size))
      return "stage " + std::to_string(i) + " of " +
             std::to_string(rows.size()) + " rows in " +
             std::to_string(segments) + " segments: " + std::to_string(a) +
             " instead of " + std::to_string(e);
  }
  return "";
}

std::string Chain::check() {
  verdicts.clear();
  for (unsigned i = 0; i < stages.size(); ++i) {
    verdicts.push_back(split(i));
    const SplitResult &v = verdicts.back();
    if (!v.accepted())
      return "stage " + std::to_string(i) + " refused: " + v.refusal->rule;
    if (v.cls == Class::Separable && v.rank == 1 &&
        refutedBySampling(problem(i)))
      return "stage " + std::to_string(i) + " accepted but refuted";
  }
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (double spread : {1.0, 30.0})
    for (double shift : {0.0, 50.0, -50.0})
      for (int order : {0, 1, -1})
        for (unsigned n : {1u, 2u, 37u}) {
          std::vector<Row> rows(n, Row(numElements));
          for (Row &row : rows)
            for (double &value : row)
              value = shift + spread * normal(random);
          if (order)
            std::sort(rows.begin(), rows.end(), [&](auto &a, auto &b) {
              return order > 0 ? a < b : b < a;
            });
          for (unsigned segments : {1u, 2u, 4u})
            if (std::string text = compare(rows, segments); !text.empty())
              return text;
        }
  return "";
}

} // namespace cascade::algebra
