//===- Sweep.cpp - Fused against unfused over many inputs -----------------===//

#include "Sweep.h"
#include "cascade/Runtime/Compare.h"
#include "cascade/Runtime/Spec.h"
#include "cascade/Target/CPU/HostCall.h"
#include "cascade/Target/CPU/HostModule.h"
#include "cascade/Target/CPU/Shapes.h"
#include <algorithm>
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace cascade;
using namespace cascade::test;
using runtime::Tensor;

namespace {
/// The compiled forms of one module.
struct Compiled {
  /// U, in the segments of the options: the order of combining is free, and
  /// where it decides (an overflow, a cancellation), every order is right. R.
  std::vector<std::unique_ptr<HostModule>> references;
  std::vector<std::pair<int64_t, std::unique_ptr<HostModule>>> fused;
};

/// One set of inputs, and what it is called in a failure.
struct Inputs {
  std::string name, pattern;
  uint64_t seed;
  std::vector<Tensor> tensors;
};

class FunctionSweep {
public:
  FunctionSweep(func::FuncOp function, const Compiled &compiled,
                const SweepOptions &options, SweepCounts &counts)
      : function(function), compiled(compiled), options(options),
        counts(counts), reduced(reducedAxes(function)) {}

  LogicalResult run();

private:
  LogicalResult runShape(int64_t length, int64_t rows);
  LogicalResult runInputs(const Inputs &inputs, const CallShapes &shapes,
                          int64_t length, int64_t rows);
  FailureOr<Inputs> makeInputs(const CallShapes &shapes, int64_t length,
                               StringRef pattern, uint64_t seed,
                               bool firstOnly);
  LogicalResult fail(const Twine &message) {
    return function.emitError() << message;
  }

  /// Adds to `errors` what one set of inputs gives.
  LogicalResult measure(const Inputs &inputs, const CallShapes &shapes);
  void printErrors();

  func::FuncOp function;
  const Compiled &compiled;
  const SweepOptions &options;
  SweepCounts &counts;
  llvm::StringMap<bool> reduced;
  /// Against R: the worst of the fused forms and of U, one an output.
  std::vector<std::pair<runtime::RelativeError, runtime::RelativeError>> errors;
};
} // namespace

/// Inputs of one pattern. `special` rows beside others are special in the first
/// argument only if `firstOnly`, else in all.
FailureOr<Inputs> FunctionSweep::makeInputs(const CallShapes &shapes,
                                            int64_t length, StringRef pattern,
                                            uint64_t seed, bool firstOnly) {
  Inputs inputs;
  inputs.pattern = pattern.str();
  inputs.seed = seed;
  inputs.name = (pattern + (firstOnly ? " first" : "")).str();
  for (auto [number, argument] : llvm::enumerate(function.getArguments())) {
    auto type = elementTypeFor(argument.getType());
    if (!type)
      return fail(type.error().message());
    bool isTensor = isa<RankedTensorType>(argument.getType());
    std::string text = pattern.str();
    if (*type == runtime::ElementType::I1)
      text = "uniform";
    else if (!runtime::isFloat(*type)) // A label or a length.
      text = "randint:" + std::to_string(length + 1);
    else if (!isTensor || (firstOnly && number > 0))
      text = "rand";
    auto spec = runtime::parseSpec(text);
    if (!spec)
      return fail(spec.error().message());
    runtime::Shape shape(shapes.arguments[number].begin(),
                         shapes.arguments[number].end());
    auto tensor =
        runtime::makeTensor(*spec, *type, shape, seed + 5 * number, number);
    if (!tensor)
      return fail(tensor.error().message());
    inputs.tensors.push_back(std::move(*tensor));
  }
  return inputs;
}

/// How far the finite values of element `i` of the references lie apart: what
/// rounding alone does to it.
static double spreadOf(ArrayRef<const Tensor *> references, int64_t i) {
  double low = INFINITY, high = -INFINITY;
  for (const Tensor *reference : references)
    if (double value = reference->get(i); std::isfinite(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  return low <= high ? high - low : 0;
}

/// Whether element `i` is NaN, an infinity or finite depends on rounding: the
/// logarithm of a sum that cancels.
static bool isClassOpen(ArrayRef<const Tensor *> references, int64_t i) {
  auto classOf = [&](const Tensor *reference) {
    double value = reference->get(i);
    return std::isnan(value) ? 2 : std::isinf(value) ? (value > 0 ? 1 : -1) : 0;
  };
  return !llvm::all_equal(llvm::map_range(references, classOf));
}

/// A tensor of element `i` of `tensor` alone.
static Tensor elementOf(const Tensor &tensor, int64_t i) {
  Tensor element = *Tensor::create(tensor.type(), {});
  std::memcpy(element.data(),
              tensor.data() + i * runtime::byteSize(tensor.type()),
              runtime::byteSize(tensor.type()));
  return element;
}

/// Compares every element on its own, with eight times the spread of its
/// references as the absolute tolerance, or eight times the spread of R and
/// what `perturbed` gives: R for inputs that differ in their last bit. So a sum
/// whose terms cancel, to 0 even, may be off by what its terms are rounded by.
/// Returns what is wrong, or "".
static std::string
compareElements(const Tensor &actual,
                const std::vector<const Tensor *> &references,
                std::optional<double> givenTolerance,
                llvm::function_ref<std::vector<const Tensor *>()> perturbed,
                llvm::function_ref<double(int64_t)> narrowNoise) {
  double rtol =
      givenTolerance.value_or(runtime::defaultRelativeTolerance(actual.type()));
  double tiny = runtime::isFloat(actual.type())
                    ? 4096 * runtime::smallestSubnormal(actual.type())
                    : 0;
  // R is no wider than f64, so the root of what underflows there is noise.
  bool isWidest = actual.type() == runtime::ElementType::F64;
  if (isWidest)
    tiny = std::sqrt(tiny);
  auto all = runtime::compare(actual, references, rtol, tiny);
  if (!all || all->passed)
    return all ? "" : all.error().message();
  for (int64_t i = 0; i < actual.size(); ++i) {
    std::vector<Tensor> elements;
    std::vector<const Tensor *> pointers;
    for (const Tensor *reference : references)
      elements.push_back(elementOf(*reference, i));
    for (const Tensor &element : elements)
      pointers.push_back(&element);
    double noise = spreadOf(references, i);
    auto one = runtime::compare(elementOf(actual, i), pointers, rtol,
                                tiny + 8 * noise);
    if (one && !one->passed) {
      std::vector<const Tensor *> moved = perturbed();
      const Tensor *small = moved.back();
      moved.back() = references[0];
      // Nor does it tell where f64 overflows only on the way.
      if (isWidest && !std::isfinite(references[0]->get(i)) &&
          std::isfinite(small->get(i)))
        continue;
      if (isClassOpen(moved, i))
        continue;
      // A pole of a quotient or of a logarithm, whose place depends on
      // rounding.
      double size = std::fabs(references[0]->get(i));
      if (std::isinf(actual.get(i)) &&
          spreadOf(moved, i) > (size < 1000 ? 0.5 : size / 2))
        continue;
      // One over what overflows in some order.
      if (isClassOpen(references, i))
        tiny = std::max(tiny, 4 / runtime::infoOf(actual.type()).largest);
      noise = std::max({noise, spreadOf(moved, i), narrowNoise(i)});
      one = runtime::compare(elementOf(actual, i), pointers, rtol,
                             tiny + 8 * noise);
    }
    if (!one || !one->passed)
      return runtime::formatIndex(actual.shape(), i) + " " +
             (one ? one->text : one.error().message());
  }
  return "";
}

LogicalResult FunctionSweep::runInputs(const Inputs &inputs,
                                       const CallShapes &shapes, int64_t length,
                                       int64_t rows) {
  using Outputs = std::vector<Tensor>;
  auto call = [&](HostModule &module) {
    return callFunction(module, function, inputs.tensors, shapes);
  };
  std::vector<Outputs> references, perturbed, coarse;
  double coarseness = 0;
  for (auto &module : compiled.references) {
    runtime::Expected<Outputs> outputs = call(*module);
    if (!outputs)
      return fail(outputs.error().message());
    references.push_back(std::move(*outputs));
  }
  for (auto &[segments, module] : compiled.fused) {
    runtime::Expected<Outputs> fused = call(*module);
    if (!fused)
      return fail(fused.error().message());
    bool passed = true;
    for (auto [number, output] : llvm::enumerate(*fused)) {
      std::vector<const Tensor *> expected;
      for (const Outputs &reference : references)
        expected.push_back(&reference[number]);
      std::string wrong = compareElements(
          output, expected, options.rtol,
          [&, n = number] {
            if (perturbed.empty()) {
              auto evaluate = [&](const std::vector<Tensor> &others) {
                if (auto outputs = callFunction(*compiled.references[0],
                                                function, others, shapes))
                  perturbed.push_back(std::move(*outputs));
              };
              // Inputs that are rounded to f32 first move by its last place.
              bool narrows = false;
              function->walk([&](arith::TruncFOp op) {
                narrows |= op.getIn().getType().isF64();
              });
              for (int kind : {0, 1, 2, 3, 4, 5})
                evaluate(runtime::moveByOneUlp(inputs.tensors, kind, narrows));
              evaluate(runtime::scale(inputs.tensors, 0x1p-600));
            }
            std::vector<const Tensor *> pointers;
            for (const Outputs &outputs : perturbed)
              pointers.push_back(&outputs[n]);
            return pointers;
          },
          [&, n = number](int64_t i) {
            // Inputs of narrow types cannot move by what rounding to f32 does;
            // the spread of larger moves is scaled down.
            if (coarse.empty()) {
              coarse.push_back(references[0]);
              for (int kind : {0, 1, 2, 3, 4, 5}) {
                std::vector<Tensor> moved = inputs.tensors;
                auto bits = runtime::moveNarrowByOneUlp(moved, kind);
                if (!bits)
                  return 0.0;
                coarseness = std::ldexp(1, int(*bits) - 23);
                if (auto outputs = callFunction(*compiled.references[0],
                                                function, moved, shapes))
                  coarse.push_back(std::move(*outputs));
              }
            }
            std::vector<const Tensor *> pointers;
            for (const Outputs &outputs : coarse)
              pointers.push_back(&outputs[n]);
            return coarseness * spreadOf(pointers, i);
          });
      if (wrong.empty())
        continue;
      passed = false;
      Failure failure{function.getName().str(),
                      unsigned(number),
                      length,
                      rows,
                      segments,
                      inputs.pattern,
                      inputs.seed,
                      inputs.name,
                      wrong};
      if (options.onFailure)
        options.onFailure(failure);
      else
        llvm::outs() << failure.text() << "\n";
    }
    ++(passed ? counts.passed : counts.failed);
  }
  return success();
}

LogicalResult FunctionSweep::measure(const Inputs &inputs,
                                     const CallShapes &shapes) {
  std::vector<Tensor> exact;
  auto add = [&](HostModule &module, bool isFused) -> LogicalResult {
    auto outputs = callFunction(module, function, inputs.tensors, shapes);
    if (!outputs)
      return fail(outputs.error().message());
    if (exact.empty()) // R comes first.
      exact = std::move(*outputs);
    else
      for (auto [number, output] : llvm::enumerate(*outputs)) {
        auto &[fused, unfused] = errors[number];
        (isFused ? fused : unfused)
            .add(runtime::relativeError(output, exact[number]));
      }
    return success();
  };
  errors.resize(function.getNumResults());
  for (auto &module : compiled.references)
    if (failed(add(*module, false)))
      return failure();
  for (auto &[segments, module] : compiled.fused)
    if (failed(add(*module, true)))
      return failure();
  return success();
}

void FunctionSweep::printErrors() {
  llvm::outs() << function.getName() << ":";
  for (auto [number, error] : llvm::enumerate(errors))
    llvm::outs() << (number ? ";" : "") << " output " << number << " fused "
                 << error.first.text() << " unfused " << error.second.text();
  llvm::outs() << "\n";
}

std::string Failure::text() const {
  return "FAILED " + function + " output " + std::to_string(output) +
         ", length " + std::to_string(length) + ", rows " +
         std::to_string(rows) + ", " + inputs + ", segments " +
         std::to_string(segments) + ": " + problem;
}

LogicalResult FunctionSweep::runShape(int64_t length, int64_t rows) {
  llvm::StringMap<int64_t> dims;
  for (auto [number, argument] : llvm::enumerate(function.getArguments()))
    if (auto tensor = dyn_cast<RankedTensorType>(argument.getType()))
      for (int64_t dim = 0; dim < tensor.getRank(); ++dim) {
        std::string name = nameOfDimension(function, number, dim);
        dims[name] = reduced.contains(name) ? length : rows;
      }
  auto arguments = chooseShapes(function, {}, dims);
  if (!arguments)
    return fail(llvm::toString(arguments.takeError()));
  auto shapes = checkShapes(function, *arguments);
  if (!shapes)
    return fail(llvm::toString(shapes.takeError()));

  auto runOne = [&](StringRef pattern, uint64_t seed,
                    bool firstOnly) -> LogicalResult {
    auto inputs = makeInputs(*shapes, length, pattern, seed, firstOnly);
    if (failed(inputs))
      return failure();
    inputs->name += ", seed " + std::to_string(seed);
    if (options.inputsAs)
      inputs->tensors =
          runtime::roundTo(std::move(inputs->tensors), *options.inputsAs);
    if (options.errors)
      return measure(*inputs, *shapes);
    return runInputs(*inputs, *shapes, length, rows);
  };
  for (const std::string &pattern : options.patterns) {
    if (pattern != "special") {
      if (failed(runOne(pattern, options.seed, false)))
        return failure();
      continue;
    }
    // Every special pattern comes up in some row of the first argument.
    int64_t step = std::clamp<int64_t>(rows, 1, runtime::numSpecialPatterns);
    for (int64_t s = 0; s < runtime::numSpecialPatterns; s += step)
      for (bool firstOnly : {true, false})
        if ((firstOnly || function.getNumArguments() > 1) &&
            failed(runOne(pattern, options.seed + s, firstOnly)))
          return failure();
  }
  return success();
}

LogicalResult FunctionSweep::run() {
  for (int64_t length : options.lengths)
    for (int64_t rows : options.rows)
      if (failed(runShape(length, rows)))
        return failure();
  if (options.errors)
    printErrors();
  return success();
}

FailureOr<SweepCounts> cascade::test::sweep(ModuleOp module,
                                            const SweepOptions &options) {
  Compiled compiled;
  auto reference = compileForHost(module, Variant::Reference);
  if (failed(reference))
    return failure();
  compiled.references.push_back(std::move(*reference));
  // A replayed row is evaluated in one segment.
  if (!llvm::is_contained(options.segments, 1)) {
    auto whole = compileForHost(module, Variant::Unfused);
    if (failed(whole))
      return failure();
    compiled.references.push_back(std::move(*whole));
  }
  for (int64_t segments : options.segments) {
    auto unfused = compileForHost(module, Variant::Unfused, segments);
    if (failed(unfused))
      return failure();
    compiled.references.push_back(std::move(*unfused));
    auto fused =
        compileForHost(module, Variant::Fused, segments, [&](ModuleOp chains) {
          if (options.mutate)
            options.mutate(chains);
        });
    if (failed(fused))
      return failure();
    compiled.fused.emplace_back(segments, std::move(*fused));
  }
  SweepCounts counts;
  for (auto function : module.getOps<func::FuncOp>())
    if (failed(FunctionSweep(function, compiled, options, counts).run()))
      return failure();
  return counts;
}
