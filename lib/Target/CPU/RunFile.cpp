//===- RunFile.cpp - What cascade-run does --------------------------------===//

#include "cascade/Target/CPU/RunFile.h"
#include "cascade/Runtime/Compare.h"
#include "cascade/Runtime/Npy.h"
#include "cascade/Runtime/Print.h"
#include "cascade/Runtime/Spec.h"
#include "cascade/Target/CPU/HostCall.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"
#include <iostream>

using namespace mlir;
using namespace cascade;
using runtime::Error;
using runtime::Tensor;

namespace {
using Tensors = std::vector<Tensor>;

class Runner {
public:
  Runner(const RunOptions &options, ModuleOp module)
      : options(options), module(module) {}

  /// Runs everything; the number of failed comparisons is in `failures`.
  Error run();
  unsigned failures = 0;

private:
  Error findEntry();
  runtime::Expected<llvm::StringMap<int64_t>> parseDims();
  Error makeInputs();
  runtime::Expected<std::unique_ptr<HostModule>> compile(Variant variant);
  runtime::Expected<Tensors> call(HostModule &host) {
    return callFunction(host, function, inputs, shapes);
  }
  Error writeOutputs(const Tensors &outputs);
  Error checkExpected(const Tensors &outputs);
  Error checkReferences(const Tensors &outputs);
  Error checkBits(HostModule &host, const Tensors &outputs);
  Error report(unsigned output, const char *what,
               const runtime::Expected<runtime::Comparison> &comparison);

  static std::string nameOf(unsigned output) {
    return "result" + std::to_string(output);
  }

  const RunOptions &options;
  ModuleOp module;
  func::FuncOp function;
  CallShapes shapes;
  Tensors inputs;
};
} // namespace

/// The function to run: the one named, or the only one with chains.
Error Runner::findEntry() {
  SmallVector<func::FuncOp> candidates;
  std::string names;
  for (auto candidate : module.getOps<func::FuncOp>()) {
    if (candidate.getOps<ChainOp>().empty())
      continue;
    candidates.push_back(candidate);
    names += (names.empty() ? "" : ", ") + candidate.getName().str();
  }
  if (candidates.empty())
    return Error::input(options.file + ": no function with a cascade.chain");
  for (func::FuncOp candidate : candidates)
    if (candidate.getName() == options.entry ||
        (options.entry.empty() && candidates.size() == 1))
      function = candidate;
  if (!function && options.entry.empty())
    return Error::input(options.file + ": several functions; choose one of " +
                        names + " with --entry=NAME");
  if (!function)
    return Error::input(options.file + ": no function '" + options.entry +
                        "' with a cascade.chain; there is " + names);
  return Error::success();
}

runtime::Expected<llvm::StringMap<int64_t>> Runner::parseDims() {
  llvm::StringMap<bool> known;
  std::string names;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (auto tensor =
            dyn_cast<RankedTensorType>(function.getArgument(i).getType()))
      for (int64_t dim = 0; dim < tensor.getRank(); ++dim)
        if (std::string name = nameOfDimension(function, i, dim);
            tensor.isDynamicDim(dim) && known.try_emplace(name, true).second)
          names += (names.empty() ? "" : ", ") + name;
  llvm::StringMap<int64_t> dims;
  for (const std::string &text : options.dims) {
    auto [name, value] = StringRef(text).split('=');
    int64_t size;
    if (name.empty() || value.getAsInteger(10, size) || size < 0)
      return Error::input("--dim=" + text + " is not NAME=SIZE");
    if (!known.contains(name))
      return Error::input(
          "--dim=" + text + ": '" + function.getName().str() +
          "' has no dynamic dimension '" + name.str() + "'; " +
          (names.empty() ? "all are static" : "there is " + names));
    if (!dims.try_emplace(name, size).second)
      return Error::input("--dim=" + name.str() + " is given twice");
  }
  return dims;
}

/// Chooses the shapes and builds the inputs.
Error Runner::makeInputs() {
  unsigned count = function.getNumArguments();
  if (options.inputs.size() > count)
    return Error::input(std::to_string(options.inputs.size()) +
                        " inputs are given, but '" + function.getName().str() +
                        "' has " + std::to_string(count) + " arguments");
  std::vector<runtime::Spec> specs;
  SmallVector<std::optional<Shape>> given;
  for (unsigned i = 0; i < count; ++i) {
    auto spec = runtime::parseSpec(
        i < options.inputs.size() ? options.inputs[i] : std::string("rand"));
    if (!spec)
      return spec.error().in("--input " + std::to_string(i));
    auto shape = runtime::shapeOf(*spec);
    if (!shape)
      return shape.error().in("--input " + std::to_string(i));
    given.push_back(std::nullopt);
    if (*shape)
      given.back() = Shape((*shape)->begin(), (*shape)->end());
    specs.push_back(std::move(*spec));
  }
  auto dims = parseDims();
  if (!dims)
    return dims.error();
  auto arguments = chooseShapes(function, given, *dims);
  if (!arguments)
    return Error::input(llvm::toString(arguments.takeError()));
  auto checked = checkShapes(function, *arguments);
  if (!checked)
    return Error::input(llvm::toString(checked.takeError()));
  shapes = std::move(*checked);
  for (unsigned i = 0; i < count; ++i) {
    auto type = elementTypeFor(function.getArgument(i).getType());
    if (!type)
      return type.error();
    runtime::Shape shape(shapes.arguments[i].begin(),
                         shapes.arguments[i].end());
    auto tensor = runtime::makeTensor(specs[i], *type, shape, options.seed, i);
    if (!tensor)
      return tensor.error().in("--input " + std::to_string(i));
    inputs.push_back(std::move(*tensor));
  }
  return Error::success();
}

runtime::Expected<std::unique_ptr<HostModule>>
Runner::compile(Variant variant) {
  // Diagnostics have been printed where this fails.
  auto host = compileForHost(module, variant,
                             variant == Variant::Fused ? options.segments : 1);
  if (failed(host))
    return Error::input(options.file + ": '" + function.getName().str() +
                        "' cannot be compiled for the CPU");
  return std::move(*host);
}

/// Prints the results, or writes those that an --output names.
Error Runner::writeOutputs(const Tensors &outputs) {
  if (options.outputs.size() > outputs.size())
    return Error::input(std::to_string(options.outputs.size()) +
                        " outputs are asked for, but '" +
                        function.getName().str() + "' has " +
                        std::to_string(outputs.size()) + " results");
  for (auto [number, path] : llvm::enumerate(options.outputs)) {
    if (!StringRef(path).consume_front("@") || path.size() < 2)
      return Error::input("--output=" + path +
                          " is not a file; write --output=@NAME.npy");
    if (Error error = runtime::writeNpy(path.substr(1), outputs[number]))
      return error;
  }
  bool quiet = options.check || !options.expected.empty();
  for (unsigned i = options.outputs.size(); i < outputs.size() && !quiet; ++i)
    std::cout << runtime::formatOutput(nameOf(i), outputs[i]) << "\n";
  return Error::success();
}

Error Runner::report(unsigned output, const char *what,
                     const runtime::Expected<runtime::Comparison> &comparison) {
  if (!comparison)
    return comparison.error().in(nameOf(output));
  std::cout << nameOf(output)
            << (comparison->passed ? ": agrees with " : ": DIFFERS from ")
            << what << ": " << comparison->text << "\n";
  failures += !comparison->passed;
  return Error::success();
}

Error Runner::checkExpected(const Tensors &outputs) {
  if (options.expected.size() > outputs.size())
    return Error::input(std::to_string(options.expected.size()) +
                        " outputs are expected, but '" +
                        function.getName().str() + "' has " +
                        std::to_string(outputs.size()) + " results");
  for (auto [number, text] : llvm::enumerate(options.expected)) {
    std::string context = "--expected-output " + std::to_string(number);
    auto spec = runtime::parseSpec(text);
    if (!spec)
      return spec.error().in(context);
    const Tensor &output = outputs[number];
    auto expected = runtime::makeTensor(*spec, output.type(), output.shape(),
                                        options.seed, number);
    if (!expected)
      return expected.error().in(context);
    if (Error error = report(
            number, "what is expected",
            runtime::compare(output, {&*expected}, options.rtol, options.atol)))
      return error;
  }
  return Error::success();
}

Error Runner::checkReferences(const Tensors &outputs) {
  std::vector<Tensors> references;
  for (Variant variant : {Variant::Unfused, Variant::Reference}) {
    auto host = compile(variant);
    if (!host)
      return host.error();
    auto results = call(**host);
    if (!results)
      return results.error();
    references.push_back(std::move(*results));
  }
  for (auto [number, output] : llvm::enumerate(outputs)) {
    std::vector<const Tensor *> pointers;
    for (const Tensors &reference : references)
      pointers.push_back(&reference[number]);
    if (Error error = report(
            number, "the unfused evaluation",
            runtime::compare(output, pointers, options.rtol, options.atol)))
      return error;
  }
  return Error::success();
}

/// Further runs; with --check-bitwise they must give the same bits.
Error Runner::checkBits(HostModule &host, const Tensors &outputs) {
  int64_t runs = options.checkBitwise ? std::max<int64_t>(options.repeat, 2)
                                      : options.repeat;
  for (int64_t run = 1; run < runs; ++run) {
    auto again = call(host);
    if (!again)
      return again.error();
    for (unsigned i = 0; i < outputs.size() && options.checkBitwise; ++i) {
      auto comparison = runtime::compareBits(outputs[i], (*again)[i]);
      if (comparison && comparison->passed && run + 1 < runs)
        continue; // One line a result.
      if (Error error = report(i, "the first run", comparison))
        return error;
    }
  }
  return Error::success();
}

Error Runner::run() {
  if (Error error = findEntry())
    return error;
  if (Error error = makeInputs())
    return error;
  auto host = compile(Variant::Fused);
  if (!host)
    return host.error();
  auto outputs = call(**host);
  if (!outputs)
    return outputs.error();
  if (Error error = writeOutputs(*outputs))
    return error;
  if (Error error = checkExpected(*outputs))
    return error;
  if (options.check)
    if (Error error = checkReferences(*outputs))
      return error;
  return checkBits(**host, *outputs);
}

/// Flags that no file can make right.
static Error checkFlags(const RunOptions &options) {
  if (options.segments < 1)
    return Error::input("--segments must be at least 1, got " +
                        std::to_string(options.segments));
  if (options.repeat < 1)
    return Error::input("--repeat must be at least 1, got " +
                        std::to_string(options.repeat));
  return Error::success();
}

int cascade::runOnHost(const RunOptions &options,
                       const DialectRegistry &registry) {
  auto status = [](const Error &error) {
    std::cerr << "error: " << error.message() << "\n";
    return static_cast<int>(error.kind());
  };
  if (Error error = checkFlags(options))
    return status(error);
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(options.file);
  if (!file)
    return status(Error::input("cannot read '" + options.file +
                               "': " + file.getError().message()));
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*file), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  auto module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return static_cast<int>(runtime::ErrorKind::Input);
  Runner runner(options, *module);
  if (Error error = runner.run())
    return status(error);
  return runner.failures ? 1 : 0;
}
