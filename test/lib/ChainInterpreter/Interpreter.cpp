//===- Interpreter.cpp - Chains, fused and as written ---------------------===//

#include "Interpreter.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cascade::algebra {

Segmentation evenSegments(size_t rows, unsigned pieces) {
  Segmentation result;
  unsigned full = std::max(1u, pieces - 1);
  if (pieces > 1)
    result.segments.emplace_back();
  for (unsigned s = 0; s < full; ++s)
    result.segments.emplace_back(rows * (s + 1) / full - rows * s / full, 1u);
  return result;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

template <typename T>
typename Interpreter<T>::Code
Interpreter<T>::compile(const std::vector<Expr> &roots) {
  Code code;
  code.tape = Tape(roots);
  code.frame = code.tape.template frame<T>();
  return code;
}

template <typename T>
Interpreter<T>::Interpreter(const Chain &chain, unsigned limit)
    : chain(chain), numStages(std::min<size_t>(chain.stages().size(), limit)) {
  // Counts have no references, so they may come first.
  unsigned number = 0;
  for (const Chain::Count &count : chain.counts()) {
    Chain::Stage stage{MonoidKind::Add, chain.context.constant(1, count.type),
                       count.predicate};
    stage.pass = count.pass;
    addStage(chain, chain.firstCount + number++, stage);
    sources.push_back(nullptr);
  }
  for (unsigned id = 0; id < numStages; ++id) {
    addStage(chain, id, chain.stages()[id]);
    sources.push_back(&chain.stages()[id]);
  }
}

template <typename T>
void Interpreter<T>::addStage(const Chain &chain, unsigned id,
                              const Chain::Stage &source) {
  Stage &stage = stages.emplace_back();
  const SplitResult &verdict = source.verdict;
  stage.kind = source.kind;
  stage.id = id;
  stage.pass = source.pass;
  stage.plain = verdict.cls != Class::Separable;
  std::vector<Expr> value{source.value};
  if (source.predicate)
    value.push_back(source.predicate);
  stage.value = compile(value);
  stage.firstAccumulator = numAccumulators;
  stage.firstReference = numReferences;
  numPasses = std::max(numPasses, stage.pass + 1);
  numResults = std::max(numResults, id + 1);
  if (stage.plain) {
    stage.numCores = 1;
    ++numAccumulators;
    return;
  }
  std::vector<Expr> references;
  std::unordered_map<Expr, Expr> replaced;
  for (const Reference &ref : verdict.references) {
    references.push_back(ref.value);
    stage.guards.push_back(ref.guard);
    if (!ref.isAccumulator)
      replaced[ref.value] =
          chain.context.newRef(references.size() - 1, ref.value->type);
  }
  std::vector<Expr> cores;
  for (Expr core : verdict.cores)
    cores.push_back(substitute(chain.context, core, replaced));
  stage.cores = compile(cores);
  stage.references = compile(references);
  stage.corrections = compile(verdict.corrections);
  // What is watched comes after the finish, in the order of `watch`.
  std::vector<Expr> finish{verdict.finish};
  if (verdict.deferred)
    finish.push_back(verdict.deferred);
  for (const std::vector<Expr> *list :
       {&verdict.joined, &verdict.multipliers, &verdict.addends,
        &verdict.scales, &verdict.nonNegative, &verdict.parts})
    finish.insert(finish.end(), list->begin(), list->end());
  stage.finish = compile(finish);
  stage.numCores = cores.size();
  numAccumulators += cores.size();
  numReferences += references.size();
}

template <typename T>
void Interpreter<T>::run(Code &code, const Symbols &symbols) {
  for (const Tape::Input &input : code.tape.inputs()) {
    T &slot = code.frame[input.slot];
    unsigned id = input.symbol->id;
    auto from = [&](const T *values) {
      return values ? values[id] : std::numeric_limits<T>::quiet_NaN();
    };
    switch (input.symbol->kind) {
    case Kind::Element:
      slot = symbols.row ? static_cast<T>((*symbols.row)[id])
                         : std::numeric_limits<T>::quiet_NaN();
      break;
    case Kind::Result:
      slot = from(symbols.results);
      break;
    case Kind::Parameter:
      slot = id >= kFirstMadeParameter ? static_cast<T>(data->rows.size())
                                       : static_cast<T>(data->parameters[id]);
      break;
    case Kind::OldRef:
      slot = from(symbols.oldRefs);
      break;
    case Kind::NewRef:
      slot = from(symbols.newRefs);
      break;
    default:
      slot = from(symbols.accumulators);
    }
  }
  if (noise == 0)
    return code.tape.run(code.frame);
  code.tape.run(code.frame, [&](Expr node, T value) {
    return isFloat(node->type) ? disturbed(value) : value;
  });
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

template <typename T>
T Interpreter<T>::disturbed(T value) {
  if (noise == 0)
    return value;
  std::uniform_real_distribution<double> unit(-noise, noise);
  return value * (1 + static_cast<T>(unit(random)));
}

template <typename T>
T Interpreter<T>::combine(MonoidKind kind, T a, T b) {
  switch (kind) {
  case MonoidKind::Add:
    return disturbed(a + b);
  case MonoidKind::MaxNum:
    return std::fmax(a, b);
  case MonoidKind::MinNum:
    return std::fmin(a, b);
  default:
    break;
  }
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<T>::quiet_NaN();
  return kind == MonoidKind::Max ? std::max(a, b) : std::min(a, b);
}

template <typename T>
T Interpreter<T>::identity(MonoidKind kind) const {
  return kind == MonoidKind::Add
             ? T(0)
             : -info(kind).direction * std::numeric_limits<T>::infinity();
}

/// Runs the value as written and gives whether the row counts.
template <typename T>
bool Interpreter<T>::takesPart(Stage &stage, const Symbols &symbols) {
  run(stage.value, symbols);
  return stage.value.tape.numOutputs() == 1 || stage.value[1] != 0;
}

template <typename T>
typename Interpreter<T>::Direct Interpreter<T>::direct(const ChainData &input) {
  data = &input;
  std::vector<T> results(numResults, T(0)), sizes(numResults, T(0));
  Symbols symbols;
  symbols.results = results.data();
  for (Stage &stage : stages) {
    T total = identity(stage.kind);
    for (const Row &row : input.rows) {
      symbols.row = &row;
      if (!takesPart(stage, symbols))
        continue;
      total = combine(stage.kind, total, stage.value[0]);
      if (stage.kind == MonoidKind::Add)
        sizes[stage.id] += std::fabs(stage.value[0]);
    }
    results[stage.id] = total;
  }
  results.resize(numStages);
  sizes.resize(numStages);
  return {std::move(results), std::move(sizes)};
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

template <typename T>
typename Interpreter<T>::State Interpreter<T>::start() const {
  State state;
  state.accumulators.resize(numAccumulators);
  state.references.resize(numReferences);
  state.results = final.results;
  for (const Stage &stage : stages)
    std::fill_n(state.accumulators.begin() + stage.firstAccumulator,
                stage.numCores, identity(stage.kind));
  return state;
}

template <typename T>
void Interpreter<T>::updateReferences(Stage &stage, State &state) {
  if (stage.guards.empty())
    return;
  Symbols symbols;
  symbols.results = state.results.data();
  run(stage.references, symbols);
  for (size_t k = 0; k < stage.guards.size(); ++k) {
    T v = stage.references[k];
    switch (stage.guards[k]) {
    case ReferenceGuard::Exponent:
      v = std::isinf(v) ? T(0) : v;
      break;
    case ReferenceGuard::Divisor:
      v = v == 0 || std::isinf(v) ? T(1) : v;
      break;
    case ReferenceGuard::Centre:
      v = std::isfinite(v) ? v : T(0);
      break;
    case ReferenceGuard::None:
      break;
    }
    state.references[stage.firstReference + k] = v;
  }
}

template <typename T>
void Interpreter<T>::updateResult(Stage &stage, State &state) {
  const T *own = state.accumulators.data() + stage.firstAccumulator;
  if (stage.plain) {
    state.results[stage.id] = *own;
    return;
  }
  Symbols symbols;
  symbols.results = state.results.data();
  symbols.accumulators = own;
  run(stage.finish, symbols);
  state.results[stage.id] = stage.finish[0];
}

template <typename T>
void Interpreter<T>::correct(Stage &stage, const State &from, const State &to,
                             T *out) {
  const T *own = from.accumulators.data() + stage.firstAccumulator;
  if (stage.plain || stage.corrections.tape.numOutputs() == 0) {
    std::copy_n(own, stage.numCores, out);
    return;
  }
  Symbols symbols;
  symbols.accumulators = own;
  symbols.oldRefs = from.references.data() + stage.firstReference;
  symbols.newRefs = to.references.data() + stage.firstReference;
  run(stage.corrections, symbols);
  for (unsigned k = 0; k < stage.numCores; ++k)
    out[k] = stage.corrections[k];
}

template <typename T>
typename Interpreter<T>::State
Interpreter<T>::step(unsigned pass, const State &state, size_t first,
                     size_t count) {
  State next = start();
  for (Stage &stage : stages) {
    if (stage.pass != pass)
      continue;
    updateReferences(stage, next);
    T *own = next.accumulators.data() + stage.firstAccumulator;
    correct(stage, state, next, own);
    Symbols symbols;
    symbols.results = final.results.data();
    symbols.newRefs = next.references.data() + stage.firstReference;
    for (size_t r = first; r < first + count; ++r) {
      symbols.row = &data->rows[r];
      bool hasPredicate = stage.value.tape.numOutputs() > 1;
      if ((stage.plain || hasPredicate) && !takesPart(stage, symbols))
        continue;
      if (stage.plain) {
        *own = combine(stage.kind, *own, stage.value[0]);
        continue;
      }
      run(stage.cores, symbols);
      for (unsigned k = 0; k < stage.numCores; ++k)
        own[k] = combine(stage.kind, own[k], stage.cores[k]);
    }
    updateResult(stage, next);
  }
  return next;
}

template <typename T>
typename Interpreter<T>::State
Interpreter<T>::merge(unsigned pass, const State &a, const State &b) {
  State next = start();
  std::vector<T> other(numAccumulators);
  for (Stage &stage : stages) {
    if (stage.pass != pass)
      continue;
    updateReferences(stage, next);
    T *own = next.accumulators.data() + stage.firstAccumulator;
    correct(stage, a, next, own);
    correct(stage, b, next, other.data());
    for (unsigned k = 0; k < stage.numCores; ++k)
      own[k] = combine(stage.kind, own[k], other[k]);
    updateResult(stage, next);
  }
  return next;
}

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

template <typename T>
typename Interpreter<T>::Fused
Interpreter<T>::fused(const ChainData &input,
                      const Segmentation &segmentation) {
  data = &input;
  final.results.assign(numResults, std::numeric_limits<T>::quiet_NaN());
  Fused result;
  for (unsigned pass = 0; pass < numPasses; ++pass) {
    State whole;
    size_t row = 0;
    for (size_t s = 0; s < segmentation.segments.size(); ++s) {
      State part = start();
      for (Stage &stage : stages)
        if (stage.pass == pass) {
          updateReferences(stage, part);
          updateResult(stage, part);
        }
      for (unsigned tile : segmentation.segments[s]) {
        part = step(pass, part, row, tile);
        row += tile;
      }
      whole = s == 0 ? std::move(part) : merge(pass, whole, part);
    }
    for (size_t i = 0; i < stages.size() && !result.replay; ++i)
      if (stages[i].pass == pass && !stages[i].plain)
        result.replay = watch(*sources[i], stages[i], whole);
    for (Stage &stage : stages)
      if (stage.pass == pass)
        final.results[stage.id] = whole.results[stage.id];
  }
  result.results.assign(final.results.begin(),
                        final.results.begin() + numStages);
  return result;
}

template class Interpreter<double>;
template class Interpreter<long double>;

} // namespace cascade::algebra
