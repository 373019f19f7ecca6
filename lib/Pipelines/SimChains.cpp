//===- SimChains.cpp - Simulates the kernels of chains --------------------===//
//
// The phases of cascade-compile up to `expanded`; then every function at every
// combination of dimensions, patterns and interleavings. All interleavings give
// the same bits.
//
//===----------------------------------------------------------------------===//

#include "SimRun.h"
#include "cascade/Dialect/Cascade/IR/Cascade.h"
#include "cascade/Runtime/Compare.h"
#include "cascade/Runtime/Npy.h"
#include "cascade/Runtime/Plan.h"
#include "cascade/Runtime/Print.h"
#include "cascade/Runtime/Spec.h"
#include "cascade/Target/CPU/HostCall.h"
#include "cascade/Target/Launch/Manifest.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>
#include <iostream>

using namespace mlir;
using namespace cascade;
using runtime::Error;
using runtime::Role;
using runtime::Tensor;
using Tensors = std::vector<Tensor>;

namespace {
class ChainRunner {
public:
  ChainRunner(ModuleOp module, const RunOptions &options,
              const SimRunOptions &sim, SimCounts &counts)
      : module(module), options(options), sim(sim), counts(counts) {}
  Error run();

private:
  Error chooseFunctions();
  Error compile();
  runtime::Expected<std::vector<runtime::DimBindings>> parseDims();
  Error runCases(const runtime::Function &function);
  runtime::Expected<Tensors> makeInputs(const runtime::Plan &plan,
                                        const std::string &pattern);
  /// The outputs, or none where the device reported something.
  runtime::Expected<std::optional<Tensors>>
  simulate(const runtime::Plan &plan, const Tensors &inputs, uint64_t seed);
  Error finish(const runtime::Plan &plan, const Tensors &inputs,
               const Tensors &outputs, bool &isWrong);
  runtime::Expected<Tensors>
  evaluate(Variant variant, const runtime::Plan &plan, const Tensors &inputs);
  Error checkReferences(const runtime::Plan &plan, const Tensors &inputs,
                        const Tensors &outputs, bool &isWrong);
  void report(unsigned output, const char *what,
              const runtime::Comparison &comparison, bool &isWrong);

  ModuleOp module;
  const RunOptions &options;
  const SimRunOptions &sim;
  SimCounts &counts;
  OwningOpRef<ModuleOp> source, expanded;
  runtime::Manifest manifest;
  std::map<std::string, sim::Kernel> kernels;
  std::unique_ptr<HostModule> hosts[2]; ///< U and R
  bool isSingle = false;                ///< one case: print everything
  std::string caseName;
};
} // namespace

/// Leaves the functions that are asked for: others need not become kernels.
Error ChainRunner::chooseFunctions() {
  bool found = false;
  std::string names;
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    if (function.getOps<ChainOp>().empty())
      continue;
    names += (names.empty() ? "" : ", ") + function.getName().str();
    if (!options.entry.empty() && function.getName() != options.entry)
      function.erase();
    else
      found = true;
  }
  if (!found)
    return Error::input(options.file + ": no function '" + options.entry +
                        "' with a cascade.chain; there is " + names);
  return Error::success();
}

Error ChainRunner::compile() {
  source = module.clone();
  expanded = module.clone();
  OwningOpRef<ModuleOp> mapped;
  auto visit = [&](Phase phase, ModuleOp current) -> LogicalResult {
    if (phase == Phase::Mapped)
      mapped = current.clone();
    return success();
  };
  Error failure =
      Error::input(options.file + ": cannot be compiled to kernels");
  if (failed(runPhases(*expanded, Phase::Expanded, sim.pipeline, visit)))
    return failure;
  ManifestOptions names{"simulated",         "sm_90",
                        sim.pipeline.target, "simulated.ptx",
                        /*reference=*/"",
                        /*shared=*/{},
                        /*workspace=*/{}};
  names.addKernels(*expanded);
  auto object = buildManifest(*mapped, nullptr, names);
  if (failed(object))
    return failure;
  std::string text =
      llvm::formatv("{0}", llvm::json::Value(std::move(*object))).str();
  auto parsed = runtime::parseManifest(text, options.file);
  if (!parsed)
    return parsed.error();
  manifest = std::move(*parsed);
  LogicalResult all = success();
  expanded->walk([&](gpu::GPUFuncOp func) {
    auto kernel = sim::Kernel::compile(func);
    if (failed(kernel))
      all = mlir::failure();
    else
      kernels.emplace(func.getName().str(), std::move(*kernel));
  });
  return failed(all) ? failure : Error::success();
}

/// All combinations of the values of --dim.
runtime::Expected<std::vector<runtime::DimBindings>> ChainRunner::parseDims() {
  std::vector<runtime::DimBindings> all(1);
  for (const std::string &text : options.dims) {
    auto [name, values] = StringRef(text).split('=');
    SmallVector<StringRef> parts;
    values.split(parts, ',');
    std::vector<runtime::DimBindings> next;
    for (const runtime::DimBindings &dims : all)
      for (StringRef part : parts) {
        int64_t size;
        if (name.empty() || part.getAsInteger(10, size) || size < 0)
          return Error::input("--dim=" + text + " is not NAME=SIZE[,SIZE...]");
        runtime::DimBindings more = dims;
        if (!more.emplace(name.str(), size).second)
          return Error::input("--dim=" + name.str() + " is given twice");
        next.push_back(std::move(more));
      }
    all = std::move(next);
  }
  return all;
}

runtime::Expected<Tensors> ChainRunner::makeInputs(const runtime::Plan &plan,
                                                   const std::string &pattern) {
  Tensors inputs;
  const auto &arguments = plan.function->arguments;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].role == Role::Output)
      break;
    std::string text = i < options.inputs.size()    ? options.inputs[i]
                       : i == 0 && !pattern.empty() ? pattern
                                                    : "rand";
    std::string context = "--input " + std::to_string(i);
    auto spec = runtime::parseSpec(text);
    if (!spec)
      return spec.error().in(context);
    auto tensor = runtime::makeTensor(*spec, arguments[i].type, plan.shapes[i],
                                      options.seed, i);
    if (!tensor)
      return tensor.error().in(context);
    inputs.push_back(std::move(*tensor));
  }
  return inputs;
}

runtime::Expected<std::optional<Tensors>>
ChainRunner::simulate(const runtime::Plan &plan, const Tensors &inputs,
                      uint64_t seed) {
  Tensors memory = inputs;
  const auto &arguments = plan.function->arguments;
  for (size_t i = inputs.size(); i < arguments.size(); ++i) {
    auto tensor = Tensor::create(arguments[i].type, plan.shapes[i]);
    if (!tensor)
      return tensor.error();
    std::memset(tensor->data(), simPoison, tensor->sizeInBytes());
    memory.push_back(std::move(*tensor));
  }
  // Clusters that there is room for at once: results do not depend on it.
  auto residentBlocks = [&](const runtime::Launch &launch) {
    return (1 + int64_t(seed % 4)) * launch.cluster[0] * launch.cluster[1] *
           launch.cluster[2];
  };
  int64_t mostResident = 0;
  for (const runtime::Launch *launch : plan.kernels.launches)
    mostResident = std::max(mostResident, residentBlocks(*launch));
  const runtime::Workspace &needs = plan.kernels.program->workspace;
  auto workspaceBytes = needs.bytes.evaluate(plan.dims, mostResident);
  if (!workspaceBytes)
    return workspaceBytes.error().in("workspace");
  auto workspace =
      Tensor::create(runtime::ElementType::I32, {*workspaceBytes / 4});
  if (!workspace)
    return workspace.error().in("workspace");
  if (!needs.zero)
    std::memset(workspace->data(), simPoison, workspace->sizeInBytes());
  for (const runtime::Launch *launch : plan.kernels.launches) {
    int64_t resident = residentBlocks(*launch);
    auto shape = runtime::evaluateLaunch(*launch, plan.dims, resident);
    if (!shape)
      return shape.error();
    if (runtime::isEmpty(*shape))
      continue;
    std::vector<sim::Argument> values;
    for (const runtime::Parameter &parameter : launch->parameters) {
      if (parameter.kind == runtime::Parameter::Kind::Workspace) {
        auto offset = parameter.expr.evaluate(plan.dims, resident);
        if (!offset)
          return offset.error().in("workspace");
        // A kernel that reads what it has not written relies on what another
        // launch has left.
        sim::Argument part =
            bufferOf(*workspace, "workspace", /*isWritable=*/true,
                     /*isInitialised=*/false, /*offset=*/0);
        part.buffer.data += *offset;
        part.buffer.bytes -= *offset;
        values.push_back(part);
        continue;
      }
      if (parameter.kind == runtime::Parameter::Kind::Dim) {
        auto value = parameter.expr.evaluate(plan.dims, std::nullopt);
        if (!value)
          return value.error();
        sim::Argument scalar;
        scalar.value = parameter.type == runtime::ElementType::I32
                           ? uint64_t(uint32_t(*value))
                           : uint64_t(*value);
        values.push_back(scalar);
        continue;
      }
      const runtime::Argument &argument = arguments[parameter.argument];
      Tensor &tensor = memory[parameter.argument];
      bool isOutput = argument.role == Role::Output;
      values.push_back(argument.role == Role::Scalar
                           ? scalarOf(tensor)
                           : bufferOf(tensor, argument.name, isOutput,
                                      !isOutput, plan.offsetElements));
    }
    auto kernel = kernels.find(launch->kernel);
    if (kernel == kernels.end())
      return Error::input("no kernel '" + launch->kernel + "'");
    sim::LaunchSize size{shape->grid, shape->block, shape->cluster};
    sim::Options simOptions;
    simOptions.seed = seed;
    if (failed(kernel->second.run(size, values, simOptions)))
      return std::optional<Tensors>();
  }
  Tensors outputs(std::make_move_iterator(memory.begin() + inputs.size()),
                  std::make_move_iterator(memory.end()));
  return std::optional<Tensors>(std::move(outputs));
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void ChainRunner::report(unsigned output, const char *what,
                         const runtime::Comparison &comparison, bool &isWrong) {
  isWrong |= !comparison.passed;
  if (isSingle || !comparison.passed)
    std::cout << (isSingle ? "" : caseName + ": ") << "result" << output
              << (comparison.passed ? ": agrees with " : ": DIFFERS from ")
              << what << ": " << comparison.text << "\n";
}

/// An unfused evaluation on the CPU.
runtime::Expected<Tensors> ChainRunner::evaluate(Variant variant,
                                                 const runtime::Plan &plan,
                                                 const Tensors &inputs) {
  auto &host = hosts[variant == Variant::Reference];
  if (!host) {
    auto compiled = compileForHost(*source, variant);
    if (failed(compiled))
      return Error::input(options.file + ": cannot be compiled for the CPU");
    host = std::move(*compiled);
  }
  auto function = source->lookupSymbol<func::FuncOp>(plan.function->name);
  SmallVector<Shape> shapes;
  for (const Tensor &input : inputs)
    shapes.push_back(Shape(input.shape().begin(), input.shape().end()));
  auto checked = checkShapes(function, shapes);
  if (!checked)
    return Error::input(llvm::toString(checked.takeError()));
  return callFunction(*host, function, inputs, *checked);
}

/// Against U and R; where that fails, with what they give for other inputs
/// (Runtime/Compare.h).
Error ChainRunner::checkReferences(const runtime::Plan &plan,
                                   const Tensors &inputs,
                                   const Tensors &outputs, bool &isWrong) {
  Tensors references[2];
  for (Variant variant : {Variant::Unfused, Variant::Reference}) {
    auto values = evaluate(variant, plan, inputs);
    if (!values)
      return values.error();
    references[variant == Variant::Reference] = std::move(*values);
  }
  std::vector<Tensors> probed;
  for (unsigned i = 0; i < outputs.size(); ++i) {
    std::vector<const Tensor *> pointers{&references[0][i], &references[1][i]};
    auto result =
        runtime::compare(outputs[i], pointers, options.rtol, options.atol);
    if (result && !result->passed) {
      if (probed.empty()) {
        std::pair<Variant, Tensors> others[] = {
            {Variant::Reference, runtime::moveByOneUlp(inputs, 0)},
            {Variant::Reference, runtime::moveByOneUlp(inputs, 1)},
            {Variant::Unfused, runtime::scale(inputs, 16)},
            {Variant::Reference, runtime::scale(inputs, 0x1p-80)}};
        for (auto &[variant, other] : others) {
          auto values = evaluate(variant, plan, other);
          if (!values)
            return values.error();
          probed.push_back(std::move(*values));
        }
      }
      runtime::Probes probes{
          {&probed[0][i], &probed[1][i]}, &probed[2][i], &probed[3][i]};
      result = runtime::compare(outputs[i], pointers, options.rtol,
                                options.atol, probes);
    }
    if (!result)
      return result.error();
    report(i, "the unfused evaluation", *result, isWrong);
  }
  return Error::success();
}

/// Prints, writes and compares the results of the first interleaving.
Error ChainRunner::finish(const runtime::Plan &plan, const Tensors &inputs,
                          const Tensors &outputs, bool &isWrong) {
  if (options.outputs.size() > outputs.size() ||
      options.expected.size() > outputs.size())
    return Error::input("'" + plan.function->name + "' has " +
                        std::to_string(outputs.size()) +
                        " results; more outputs are named");
  for (auto [number, path] : llvm::enumerate(options.outputs)) {
    if (!StringRef(path).starts_with("@") || path.size() < 2)
      return Error::input("--output=" + path +
                          " is not a file; write --output=@NAME.npy");
    if (Error error = runtime::writeNpy(path.substr(1), outputs[number]))
      return error;
  }
  bool quiet = options.check || !options.expected.empty() || !isSingle;
  for (unsigned i = options.outputs.size(); i < outputs.size() && !quiet; ++i)
    std::cout << runtime::formatOutput("result" + std::to_string(i), outputs[i])
              << "\n";
  for (auto [number, text] : llvm::enumerate(options.expected)) {
    std::string context = "--expected-output " + std::to_string(number);
    auto spec = runtime::parseSpec(text);
    if (!spec)
      return spec.error().in(context);
    auto expected =
        runtime::makeTensor(*spec, outputs[number].type(),
                            outputs[number].shape(), options.seed, number);
    if (!expected)
      return expected.error().in(context);
    auto result = runtime::compare(outputs[number], {&*expected}, options.rtol,
                                   options.atol);
    if (!result)
      return result.error().in(context);
    report(number, "what is expected", *result, isWrong);
  }
  return options.check ? checkReferences(plan, inputs, outputs, isWrong)
                       : Error::success();
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

Error ChainRunner::runCases(const runtime::Function &function) {
  auto combinations = parseDims();
  if (!combinations)
    return combinations.error();
  SmallVector<StringRef> patterns;
  StringRef(sim.patterns).split(patterns, ',');
  isSingle = manifest.functions.size() == 1 && combinations->size() == 1 &&
             patterns.size() == 1;
  std::vector<std::optional<runtime::Shape>> given;
  for (const std::string &text : options.inputs) {
    auto spec = runtime::parseSpec(text);
    if (!spec)
      return spec.error().in("--input");
    auto shape = runtime::shapeOf(*spec);
    if (!shape)
      return shape.error().in("--input");
    given.push_back(*shape);
  }
  for (const runtime::DimBindings &wanted : *combinations)
    for (StringRef pattern : patterns) {
      auto dims = runtime::bindDims(function, wanted, given);
      if (!dims)
        return dims.error().in("function '" + function.name + "'");
      auto plan =
          runtime::makePlan(manifest, function, *dims, sim.offsetElements);
      if (!plan)
        return plan.error();
      auto inputs = makeInputs(*plan, pattern.str());
      if (!inputs)
        return inputs.error();
      caseName = function.name + " " + runtime::formatDims(*dims) +
                 (pattern.empty() ? "" : " " + pattern.str());
      std::optional<Tensors> first;
      for (int64_t k = 0; k < sim.interleavings; ++k) {
        auto outputs = simulate(*plan, *inputs, options.seed + k);
        if (!outputs)
          return outputs.error();
        ++counts.cases;
        if (!*outputs) {
          ++counts.reports;
          std::cerr << "note: in " << caseName << " seed=" << options.seed + k
                    << "\n";
          continue;
        }
        bool isWrong = false;
        if (!first) {
          first = std::move(**outputs);
          if (Error error = finish(*plan, *inputs, *first, isWrong))
            return error;
        } else {
          for (unsigned i = 0; i < first->size(); ++i) {
            auto same = runtime::compareBits((*first)[i], (**outputs)[i]);
            if (same && !same->passed)
              report(i, "another interleaving", *same, isWrong);
          }
        }
        counts.differing += isWrong;
      }
    }
  return Error::success();
}

Error ChainRunner::run() {
  if (Error error = chooseFunctions())
    return error;
  if (Error error = compile())
    return error;
  for (const runtime::Function &function : manifest.functions)
    if (Error error = runCases(function))
      return error;
  return Error::success();
}

Error cascade::runChains(ModuleOp module, const RunOptions &options,
                         const SimRunOptions &sim, SimCounts &counts) {
  return ChainRunner(module, options, sim, counts).run();
}
