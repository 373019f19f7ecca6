//===- CombinerCheck.cpp - The laws of a combiner region ------------------===//
//
// A difference between two sides of a law is rounding if it shrinks with the
// precision: every sample is evaluated with 53 and with 64 bits, and refutes
// the law only where both say the same.
//
//===----------------------------------------------------------------------===//

#include "cascade/Analysis/CombinerCheck.h"
#include "SampledValues.h"
#include "cascade/Analysis/ExprBridge.h"
#include "llvm/Support/Format.h"
#include <algorithm>
#include <array>
#include <cmath>

using namespace mlir;
using namespace cascade;
namespace alg = cascade::algebra;

namespace {

/// Triples of states in one domain. The first ones are small integers, which
/// meet ties and make readable counter-examples.
constexpr unsigned kTriples = 256, kIntegerTriples = 96;
/// The first of those are single elements.
constexpr unsigned kSingles = 32;
/// Attempts at a state that is finite.
constexpr unsigned kAttempts = 8;
/// Differences below this, relative to the values, refute nothing.
constexpr double kFloor = 1e-6;

/// splitmix64: the same numbers on every machine.
class Random {
public:
  uint64_t below(uint64_t bound) { return next() % bound; }
  double uniform() { return double(next() >> 11) * 0x1p-53; }

private:
  uint64_t next() {
    uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  uint64_t state = 1;
};

/// A state, or a value of the elements that makes one, in both precisions.
struct State {
  std::vector<double> narrow;
  std::vector<long double> wide;

  bool isFinite() const {
    return llvm::all_of(narrow, [](double v) { return std::isfinite(v); });
  }
};

struct CounterExample {
  std::string law;  ///< "associative"
  std::string text; ///< values and both results
  std::string remedy;
};

/// The laws, the one to report first in front.
enum Law { Commutative, Associative, Empty, Neutral };
using Findings = std::array<std::optional<CounterExample>, 4>;

class CombinerChecker {
public:
  explicit CombinerChecker(ReduceOp reduce)
      : reduce(reduce), chain(reduce->getParentOfType<ChainOp>()),
        axes(chain, chain.getBody()),
        bridge(exprs, axes, axes.reducedBy(reduce), noResults) {}

  LogicalResult run();

private:
  /// Translates the combiner, its init values and the elements. Returns why
  /// that cannot be done, or "".
  std::string translate();
  std::optional<CounterExample> refute(bool nonNegative);
  void refuteOnce(bool nonNegative, unsigned triple, Findings &found);
  std::optional<CounterExample> compare(StringRef law, StringRef remedy,
                                        const State &left, const State &right,
                                        bool isIdentity, StringRef leftText,
                                        StringRef rightText,
                                        ArrayRef<const State *> states);

  double draw(alg::Expr symbol, bool nonNegative, bool integers);
  void drawFixed(bool nonNegative, bool integers);
  State drawElement(bool nonNegative, bool integers);
  /// Several elements combined; none where they are not finite.
  std::optional<State> drawState(bool nonNegative, bool integers, bool several);
  State runInit();
  State combine(const State &a, const State &b);
  std::string format(ArrayRef<double> values) const;

  ReduceOp reduce;
  ChainOp chain;
  AxisAnalysis axes;
  alg::ExprContext exprs;
  DenseMap<Value, unsigned> noResults;
  ExprBridge bridge;
  std::unique_ptr<SampledProgram> combiner, inits, elements;
  llvm::DenseMap<alg::Expr, unsigned> arguments; ///< symbols of the combiner's
  llvm::DenseSet<alg::Expr> indices, extents;
  /// Values of what does not vary over the reduced axes, for one triple.
  llvm::DenseMap<alg::Expr, double> fixed;
  Random random;
  unsigned conclusive = 0;
  int64_t nextIndex = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Translation
//===----------------------------------------------------------------------===//

std::string CombinerChecker::translate() {
  auto translateAll = [&](ValueRange values, std::vector<alg::Expr> &list) {
    for (Value value : values)
      list.push_back(bridge.translate(value));
    return !llvm::is_contained(list, nullptr);
  };
  std::vector<alg::Expr> symbols, merged, initial, values;
  Block &block = reduce.getCombiner().front();
  if (!translateAll(block.getArguments(), symbols) ||
      !translateAll(block.getTerminator()->getOperands(), merged) ||
      !translateAll(reduce.getInits(), initial) ||
      !translateAll(reduce.getValues(), values))
    return "it holds a type that cannot be sampled";
  for (auto [number, symbol] : llvm::enumerate(symbols))
    arguments[symbol] = number;
  for (Operation &op : *chain.getBodyBlock())
    if (isa<IndexOp, ExtentOp>(op))
      if (alg::Expr symbol = bridge.translate(op.getResult(0)))
        (isa<IndexOp>(op) ? indices : extents).insert(symbol);
  combiner = std::make_unique<SampledProgram>(merged, /*lenient=*/false);
  if (alg::Expr unknown = combiner->unknown)
    return "'" + unknown->name.substr(0, unknown->name.find('{')) +
           "' cannot be evaluated at compile time";
  inits = std::make_unique<SampledProgram>(initial, /*lenient=*/true);
  elements = std::make_unique<SampledProgram>(values, /*lenient=*/true);
  return "";
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

double CombinerChecker::draw(alg::Expr symbol, bool nonNegative,
                             bool integers) {
  if (extents.contains(symbol))
    return double(1 + random.below(8));
  if (indices.contains(symbol)) // An iteration has its indices to itself.
    return double(nextIndex++);
  if (symbol->type == alg::Type::I1)
    return double(random.below(2));
  int64_t low = nonNegative ? 0 : -3;
  if (integers || !alg::isFloat(symbol->type) || random.below(4) == 0)
    return double(low + int64_t(random.below(4 - low)));
  double size = (0.5 + random.uniform()) * std::exp2(random.uniform() * 10 - 5);
  return !nonNegative && random.below(2) ? -size : size;
}

/// Draws what the combiner, the init values and the elements share.
void CombinerChecker::drawFixed(bool nonNegative, bool integers) {
  fixed.clear();
  nextIndex = int64_t(random.below(4));
  for (const SampledProgram *program :
       {combiner.get(), inits.get(), elements.get()})
    for (unsigned input : program->inputs) {
      alg::Expr node = program->nodes[input];
      bool varies = node->contains(alg::Kind::Element);
      if (arguments.contains(node) || fixed.contains(node) ||
          (varies && program == elements.get()))
        continue;
      double value = draw(node, nonNegative, integers);
      fixed[node] = value;
    }
}

/// Runs `program` in both precisions on the inputs that `valueOf` gives.
static State runBoth(const SampledProgram &program,
                     llvm::function_ref<double(alg::Expr)> valueOf) {
  std::vector<double> narrow(program.nodes.size());
  for (unsigned input : program.inputs)
    narrow[input] = valueOf(program.nodes[input]);
  std::vector<long double> wide(narrow.begin(), narrow.end());
  return {program.run(narrow), program.run(wide)};
}

State CombinerChecker::runInit() {
  return runBoth(*inits, [&](alg::Expr node) { return fixed.lookup(node); });
}

State CombinerChecker::drawElement(bool nonNegative, bool integers) {
  return runBoth(*elements, [&](alg::Expr node) {
    auto it = fixed.find(node);
    return it != fixed.end() ? it->second : draw(node, nonNegative, integers);
  });
}

State CombinerChecker::combine(const State &a, const State &b) {
  unsigned half = a.narrow.size();
  std::vector<double> narrow(combiner->nodes.size());
  std::vector<long double> wide(combiner->nodes.size());
  for (unsigned input : combiner->inputs) {
    auto argument = arguments.find(combiner->nodes[input]);
    if (argument == arguments.end()) {
      wide[input] = narrow[input] = fixed.lookup(combiner->nodes[input]);
      continue;
    }
    unsigned number = argument->second;
    const State &from = number < half ? a : b;
    narrow[input] = from.narrow[number % half];
    wide[input] = from.wide[number % half];
  }
  return {combiner->run(narrow), combiner->run(wide)};
}

std::optional<State> CombinerChecker::drawState(bool nonNegative, bool integers,
                                                bool several) {
  static constexpr unsigned sizes[] = {1, 1, 2, 3};
  for (unsigned attempt = 0; attempt < kAttempts; ++attempt) {
    State state = drawElement(nonNegative, integers);
    unsigned size = several ? sizes[random.below(4)] : 1;
    for (; size > 1; --size)
      state = combine(state, drawElement(nonNegative, integers));
    if (state.isFinite())
      return state;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The laws
//===----------------------------------------------------------------------===//

std::string CombinerChecker::format(ArrayRef<double> values) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(values, os, [&](double value) {
    if (std::isnan(value))
      os << "nan"; // Its sign says nothing.
    else
      os << llvm::format("%.6g", value + 0.0); // No -0.
  });
  return values.size() == 1 ? text : "(" + text + ")";
}

/// A counter-example where `left` and `right` differ by more than rounding. A
/// side that is not finite refutes an identity, while in the other laws an
/// overflow on the way may explain it.
std::optional<CounterExample>
CombinerChecker::compare(StringRef law, StringRef remedy, const State &left,
                         const State &right, bool isIdentity,
                         StringRef leftText, StringRef rightText,
                         ArrayRef<const State *> states) {
  bool differs = false, isFinite = left.isFinite() && right.isFinite();
  if (!isFinite && !isIdentity)
    return std::nullopt;
  for (unsigned i = 0; i < left.narrow.size(); ++i) {
    double x = left.narrow[i], y = right.narrow[i];
    if (x == y || (std::isnan(x) && std::isnan(y)))
      continue;
    if (!std::isfinite(x) || !std::isfinite(y)) {
      differs = true;
      continue;
    }
    double size = std::max(std::fabs(x), std::fabs(y));
    for (const State *state : states)
      size = std::max(size, std::fabs(state->narrow[i]));
    double narrow = std::fabs(x - y);
    double wide = double(std::fabs(left.wide[i] - right.wide[i]));
    differs |= wide > kFloor * size && std::fabs(wide - narrow) <= 0.25 * wide;
  }
  if (!differs)
    return std::nullopt;
  CounterExample found{law.str(), "with ", remedy.str()};
  for (auto [number, state] : llvm::enumerate(states))
    found.text += (number ? ", " : "") + std::string(1, char('a' + number)) +
                  " = " + format(state->narrow);
  if (states.empty())
    found.text.clear();
  found.text += (states.empty() ? "" : ", ") + leftText.str() + " gives " +
                format(left.narrow) +
                (rightText.empty() ? ""
                                   : " and " + rightText.str() + " gives " +
                                         format(right.narrow));
  return found;
}

static constexpr llvm::StringLiteral
    kSymmetric("make it symmetric in its two arguments, ties included"),
    kGroupings("carry a state that can be merged in any grouping: sums and "
               "counts, not averages or differences"),
    kIdentity("give as init the state that changes nothing: 0 of a sum, an "
              "infinity of an extremum"),
    kEmpty("select the other argument where one is empty; segments without "
           "iterations are merged too");

void CombinerChecker::refuteOnce(bool nonNegative, unsigned triple,
                                 Findings &found) {
  bool integers = triple < kIntegerTriples;
  drawFixed(nonNegative, integers);
  State init = runInit();
  auto enter = [&](Law law, std::optional<CounterExample> example) {
    if (!found[law])
      found[law] = std::move(example);
  };
  enter(Empty, compare("neutral with itself", kEmpty, combine(init, init), init,
                       true, "init . init", "init", {}));
  std::optional<State> states[3];
  for (std::optional<State> &state : states) {
    state = drawState(nonNegative, integers, /*several=*/triple >= kSingles);
    if (!state)
      return;
  }
  auto &[a, b, c] = states;
  if (random.below(8) == 0 && indices.empty())
    b = a; // A tie of whole states.
  State ab = combine(*a, *b), bc = combine(*b, *c);
  if (ab.isFinite() && bc.isFinite())
    ++conclusive;
  enter(Commutative, compare("commutative", kSymmetric, ab, combine(*b, *a),
                             false, "a . b", "b . a", {&*a, &*b}));
  enter(Associative,
        compare("associative", kGroupings, combine(ab, *c), combine(*a, bc),
                false, "(a . b) . c", "a . (b . c)", {&*a, &*b, &*c}));
  enter(Neutral, compare("neutral", kIdentity, combine(init, *a), *a, true,
                         "init " + format(init.narrow) + " . a", "", {&*a}));
}

std::optional<CounterExample> CombinerChecker::refute(bool nonNegative) {
  Findings found;
  for (unsigned triple = 0; triple < kTriples && !found[0]; ++triple)
    refuteOnce(nonNegative, triple, found);
  for (std::optional<CounterExample> &example : found)
    if (example)
      return example;
  return std::nullopt;
}

/// "combiner is not associative" or "init is not neutral".
static std::string failureOf(const CounterExample &found) {
  bool isInit = StringRef(found.law).starts_with("neutral");
  return std::string(isInit ? "init" : "combiner") + " is not " + found.law +
         ": " + found.text;
}

LogicalResult CombinerChecker::run() {
  std::string obstacle = translate();
  std::optional<CounterExample> found;
  if (obstacle.empty()) {
    found = refute(/*nonNegative=*/false);
    if (!found && !conclusive)
      obstacle = "no sampled state is finite";
  }
  if (!obstacle.empty()) {
    reduce.emitRemark() << "combiner is taken to be commutative and "
                           "associative without a check: "
                        << obstacle;
    return success();
  }
  if (!found)
    return success();
  conclusive = 0;
  std::optional<CounterExample> always = refute(/*nonNegative=*/true);
  if (!always && conclusive) {
    reduce.emitRemark() << failureOf(*found)
                        << "; no negative values are taken to occur: it "
                           "holds without them";
    return success();
  }
  return reduce.emitOpError() << failureOf(*found) << "; " << found->remedy;
}

LogicalResult cascade::checkCombiner(ReduceOp reduce) {
  if (reduce.getCombiner().empty())
    return success();
  return CombinerChecker(reduce).run();
}

LogicalResult cascade::checkCombiners(ChainOp chain) {
  for (auto reduce : chain.getBodyBlock()->getOps<ReduceOp>())
    if (failed(checkCombiner(reduce)))
      return failure();
  return success();
}
