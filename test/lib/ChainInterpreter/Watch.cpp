//===- Watch.cpp - When a fused row does not stand ------------------------===//
//
// The conditions of lib/Transforms/ReplayCondition.h.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

#include <cmath>

namespace cascade::algebra {

template <typename T>
const char *Interpreter<T>::watchRanges(const Chain::Stage &source,
                                        const State &state) {
  for (const RangeCheck &check : source.verdict.rangeChecks) {
    Code g =
        compile(source.predicate ? std::vector<Expr>{check.g, source.predicate}
                                 : std::vector<Expr>{check.g});
    Symbols symbols;
    symbols.results = state.results.data();
    T h = 0;
    if (check.h) {
      Code code = compile({check.h});
      run(code, symbols);
      h = code[0];
    }
    for (const Row &row : data->rows) {
      symbols.row = &row;
      run(g, symbols);
      if (g.tape.numOutputs() > 1 && g[1] == 0)
        continue;
      if (!(g[0] + h >= check.low && g[0] + h <= check.high))
        return "range";
    }
  }
  return nullptr;
}

template <typename T>
const char *Interpreter<T>::watch(const Chain::Stage &source, Stage &stage,
                                  const State &state) {
  const SplitResult &verdict = source.verdict;
  const T large = std::exp2(T(64));
  for (unsigned k = 0; k < stage.numCores; ++k)
    if (!std::isfinite(state.accumulators[stage.firstAccumulator + k]))
      return "accumulator";
  Symbols symbols;
  symbols.results = state.results.data();
  symbols.accumulators = state.accumulators.data() + stage.firstAccumulator;
  if (!stage.guards.empty())
    run(stage.references, symbols);
  for (size_t k = 0; k < stage.guards.size(); ++k)
    if (!std::isfinite(stage.references[k]) ||
        (stage.guards[k] == ReferenceGuard::Divisor &&
         stage.references[k] == 0))
      return "reference";
  run(stage.finish, symbols);
  unsigned next = 1;
  auto moderate = [&](T v) {
    return std::fabs(v) >= 1 / large && std::fabs(v) <= large;
  };
  if (verdict.deferred) {
    T v = stage.finish[next++];
    if (verdict.deferredCombine == "mul" ? !moderate(v) : !std::isfinite(v))
      return "deferred";
  }
  for (size_t k = 0; k < verdict.joined.size(); ++k)
    if (!moderate(stage.finish[next++]))
      return "joined";
  for (size_t k = 0; k < verdict.multipliers.size(); ++k)
    if (!moderate(stage.finish[next++]))
      return "multiplier";
  for (size_t k = 0; k < verdict.addends.size(); ++k)
    if (!std::isfinite(stage.finish[next++]))
      return "addend";
  for (size_t k = 0; k < verdict.scales.size(); ++k)
    if (!(std::fabs(stage.finish[next++]) <= large))
      return "scale";
  for (size_t k = 0; k < verdict.nonNegative.size(); ++k)
    if (!(stage.finish[next++] >= 0))
      return "sign";
  for (size_t k = 0; k < verdict.parts.size(); ++k)
    if (!(std::fabs(stage.finish[0]) >=
          kCancellation * std::fabs(stage.finish[next++])))
      return "cancellation";
  return watchRanges(source, state);
}

template const char *Interpreter<double>::watchRanges(const Chain::Stage &,
                                                      const State &);
template const char *Interpreter<long double>::watchRanges(const Chain::Stage &,
                                                           const State &);
template const char *Interpreter<double>::watch(const Chain::Stage &, Stage &,
                                                const State &);
template const char *Interpreter<long double>::watch(const Chain::Stage &,
                                                     Stage &, const State &);

} // namespace cascade::algebra
