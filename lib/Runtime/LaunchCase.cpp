//===- LaunchCase.cpp - Runs, checks and times one case -------------------===//

#include "LaunchJson.h"
#include "cascade/Runtime/Compare.h"
#include "cascade/Runtime/LaunchTool.h"
#include "cascade/Runtime/Npy.h"
#include "cascade/Runtime/Print.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

using namespace cascade::runtime;

namespace {
/// One case on its way.
class CaseRunner {
public:
  CaseRunner(Driver &driver, ModuleCache &modules, const LaunchCase &one,
             const LaunchOptions &options, CheckCounts &counts)
      : driver(driver), modules(modules), one(one), plan(one.plan),
        options(options), counts(counts) {}

  Error run();

private:
  Error checkBitwise();
  /// Compares with the references, or with the expected outputs.
  Error evaluateProbe(const ProgramPlan &program,
                      const std::vector<Tensor> &probeInputs);
  Expected<Probes> probesOf(size_t output);
  Error check();
  Error printErrors();
  Error writeOutputs();
  void printOutputs();
  void report(const Argument &output, const Comparison &result,
              const char *kind);
  nlohmann::ordered_json describe() const { return describeCase(plan); }
  std::vector<const Argument *> outputArguments() const;

  Driver &driver;
  ModuleCache &modules;
  const LaunchCase &one;
  const Plan &plan;
  const LaunchOptions &options;
  CheckCounts &counts;
  std::vector<Tensor> inputs; ///< One an argument.
  std::unique_ptr<Invocation> invocation;
  void *module = nullptr;
  std::vector<Tensor> outputs;             ///< Of the first run.
  std::vector<std::vector<Tensor>> probed; ///< References of other inputs.
};
} // namespace

/// A number JSON can hold; it has no infinities.
static nlohmann::ordered_json jsonNumber(double value) {
  if (std::isfinite(value))
    return value;
  return formatValue(ElementType::F64, value);
}

std::vector<const Argument *> CaseRunner::outputArguments() const {
  std::vector<const Argument *> list;
  for (const Argument &argument : plan.function->arguments)
    if (argument.role == Role::Output)
      list.push_back(&argument);
  return list;
}

Expected<std::vector<Tensor>>
cascade::runtime::makeInputs(const LaunchCase &one,
                             const LaunchOptions &options,
                             std::optional<int64_t> mostRandom) {
  const Plan &plan = one.plan;
  std::vector<Tensor> inputs;
  uint64_t number = 0;
  for (size_t i = 0; i < plan.shapes.size(); ++i) {
    const Argument &argument = plan.function->arguments[i];
    inputs.emplace_back();
    if (argument.role == Role::Output)
      continue;
    Spec spec = one.inputs[i];
    Shape shape = plan.shapes[i];
    Expected<int64_t> count = countElements(shape, argument.type);
    if (mostRandom && spec.kind == SpecKind::Rand && count &&
        *count > *mostRandom) {
      spec.shape.reset();
      spec.type.reset();
      shape = {*mostRandom};
    }
    Expected<Tensor> tensor =
        makeTensor(spec, argument.type, shape, options.seed, number++);
    if (!tensor)
      return tensor.error().in("argument '" + argument.name + "'");
    inputs.back() = std::move(*tensor);
  }
  if (options.inputsAs)
    inputs = roundTo(std::move(inputs), *options.inputsAs);
  return inputs;
}

void CaseRunner::report(const Argument &output, const Comparison &result,
                        const char *kind) {
  (result.passed ? counts.passed : counts.failed) += 1;
  if (!options.json) {
    const std::string dims = formatDims(plan.dims);
    std::cout << (result.passed ? "PASS " : "FAIL ") << plan.function->name
              << ' ' << output.name << (dims.empty() ? "" : " ") << dims << ": "
              << result.text << std::endl;
    return;
  }
  nlohmann::ordered_json json = describe();
  json["check"] = kind;
  json["output"] = output.name;
  json["passed"] = result.passed;
  json["elements"] = result.count;
  json["differ"] = result.failed;
  json["worst_relative_error"] = jsonNumber(result.maxRelativeError);
  if (!result.passed) {
    json["index"] = result.worstIndex;
    json["actual"] = jsonNumber(result.worstActual);
    json["expected"] = jsonNumber(result.worstExpected);
  }
  json["text"] = result.text;
  printLine(json);
}

/// Runs a reference on other inputs and keeps its outputs.
Error CaseRunner::evaluateProbe(const ProgramPlan &program,
                                const std::vector<Tensor> &probeInputs) {
  Expected<void *> reference = modules.load(plan.manifest->reference);
  if (!reference)
    return reference.error();
  Expected<std::unique_ptr<Invocation>> other =
      Invocation::create(driver, plan, probeInputs);
  if (!other)
    return other.error();
  if (Error error = (*other)->run(*reference, program))
    return error.in("reference");
  Expected<std::vector<Tensor>> values = (*other)->outputs();
  if (!values)
    return values.error();
  probed.push_back(std::move(*values));
  return Error::success();
}

/// The probes of Compare.h for output `output`.
Expected<Probes> CaseRunner::probesOf(size_t output) {
  constexpr double larger = 16, smaller = 0x1p-80;
  if (plan.referenceU.launches.empty() || plan.referenceR.launches.empty())
    return Probes();
  if (probed.empty()) {
    Error error = evaluateProbe(plan.referenceR, moveByOneUlp(inputs, 0));
    if (!error)
      error = evaluateProbe(plan.referenceR, moveByOneUlp(inputs, 1));
    if (!error)
      error = evaluateProbe(plan.referenceU, scale(inputs, larger));
    if (!error)
      error = evaluateProbe(plan.referenceR, scale(inputs, smaller));
    if (error)
      return error;
  }
  return Probes{{&probed[0][output], &probed[1][output]},
                &probed[2][output],
                &probed[3][output]};
}

Error CaseRunner::check() {
  // references[k] are the outputs of one way to evaluate the chain.
  std::vector<std::vector<Tensor>> references;
  std::vector<size_t> given; // Numbers of the outputs to compare.
  std::vector<const Argument *> arguments = outputArguments();
  if (!options.expected.empty()) {
    references.emplace_back();
    for (size_t i = 0; i < one.expected.size(); ++i) {
      if (plan.function->arguments[i].role != Role::Output)
        continue;
      references[0].emplace_back();
      if (!one.expected[i])
        continue;
      const size_t k = references[0].size() - 1;
      Expected<Tensor> tensor =
          makeTensor(*one.expected[i], outputs[k].type(), outputs[k].shape(),
                     options.seed, inputs.size() + k);
      if (!tensor)
        return tensor.error().in("output '" + arguments[k]->name + "'");
      references[0].back() = std::move(*tensor);
      given.push_back(k);
    }
  } else {
    Expected<void *> reference = modules.load(plan.manifest->reference);
    if (!reference)
      return reference.error();
    for (const ProgramPlan *program : {&plan.referenceU, &plan.referenceR}) {
      if (program->launches.empty())
        continue;
      Error error = invocation->run(*reference, *program);
      if (error)
        return error.in("reference");
      Expected<std::vector<Tensor>> values = invocation->outputs();
      if (!values)
        return values.error();
      references.push_back(std::move(*values));
    }
    for (size_t i = 0; i < outputs.size(); ++i)
      given.push_back(i);
  }
  for (size_t i : given) {
    std::vector<const Tensor *> list;
    for (const std::vector<Tensor> &values : references)
      list.push_back(&values[i]);
    Expected<Comparison> result =
        compare(outputs[i], list, options.rtol, options.atol);
    if (result && !result->passed && options.expected.empty()) {
      Expected<Probes> probes = probesOf(i);
      if (!probes)
        return probes.error();
      result = compare(outputs[i], list, options.rtol, options.atol, *probes);
    }
    if (!result)
      return result.error().in("output '" + arguments[i]->name + "'");
    report(*arguments[i], *result, "values");
  }
  return Error::success();
}

/// Relative errors against R, of the kernels and of U.
Error CaseRunner::printErrors() {
  if (plan.referenceU.launches.empty() || plan.referenceR.launches.empty())
    return Error::input("--errors needs the reference module; compile with "
                        "--with-reference");
  Expected<void *> reference = modules.load(plan.manifest->reference);
  if (!reference)
    return reference.error();
  std::vector<std::vector<Tensor>> references;
  for (const ProgramPlan *program : {&plan.referenceR, &plan.referenceU}) {
    if (Error error = invocation->run(*reference, *program))
      return error.in("reference");
    Expected<std::vector<Tensor>> values = invocation->outputs();
    if (!values)
      return values.error();
    references.push_back(std::move(*values));
  }
  std::vector<const Argument *> arguments = outputArguments();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const RelativeError fused = relativeError(outputs[i], references[0][i]);
    const RelativeError unfused =
        relativeError(references[1][i], references[0][i]);
    if (!options.json) {
      const std::string dims = formatDims(plan.dims);
      std::cout << "ERROR " << plan.function->name << ' ' << arguments[i]->name
                << (dims.empty() ? "" : " ") << dims << ": fused "
                << fused.text() << ", unfused " << unfused.text() << std::endl;
      continue;
    }
    nlohmann::ordered_json json = describe();
    json["output"] = arguments[i]->name;
    json["fused_relative_error"] = fused.worst;
    json["fused_differ"] = fused.differ;
    json["unfused_relative_error"] = unfused.worst;
    json["unfused_differ"] = unfused.differ;
    printLine(json);
  }
  return Error::success();
}

Error CaseRunner::checkBitwise() {
  const int runs = options.repeat.value_or(2);
  std::vector<const Argument *> arguments = outputArguments();
  std::vector<Comparison> results(outputs.size());
  for (int k = 1; k < runs; ++k) {
    if (Error error = invocation->run(module, plan.kernels))
      return error;
    Expected<std::vector<Tensor>> again = invocation->outputs();
    if (!again)
      return again.error();
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (results[i].failed != 0)
        continue;
      Expected<Comparison> result = compareBits(outputs[i], (*again)[i]);
      if (!result)
        return result.error();
      results[i] = std::move(*result);
      results[i].text =
          results[i].passed
              ? "same bits in " + std::to_string(k + 1) + " runs"
              : "run " + std::to_string(k + 1) + ": " + results[i].text;
    }
  }
  for (size_t i = 0; i < outputs.size(); ++i)
    report(*arguments[i], results[i], "bits");
  return Error::success();
}

Error CaseRunner::writeOutputs() {
  size_t k = 0; // Number of the output.
  for (size_t i = 0; i < one.files.size(); ++i) {
    if (plan.function->arguments[i].role != Role::Output)
      continue;
    if (one.files[i])
      if (Error error = writeNpy(one.files[i]->path, outputs[k]))
        return error.in("--output");
    ++k;
  }
  return Error::success();
}

void CaseRunner::printOutputs() {
  size_t k = 0; // Number of the output.
  for (size_t i = 0; i < one.files.size(); ++i) {
    const Argument &argument = plan.function->arguments[i];
    if (argument.role != Role::Output)
      continue;
    const Tensor &output = outputs[k++];
    if (one.files[i])
      continue;
    if (!options.json) {
      std::cout << formatOutput(argument.name, output) << std::endl;
      continue;
    }
    nlohmann::ordered_json json = describe();
    json["output"] = argument.name;
    json["value"] = formatSpec(output);
    printLine(json);
  }
}

Error CaseRunner::run() {
  Expected<void *> loaded = modules.load(plan.manifest->module);
  if (!loaded)
    return loaded.error();
  module = *loaded;
  const bool checks =
      options.check || options.checkBitwise || !options.expected.empty();
  if (options.benchmark && !checks && !options.errors &&
      options.outputs.empty())
    return benchmarkCase(driver, modules, module, one, options);

  Expected<std::vector<Tensor>> made = makeInputs(one, options);
  if (!made)
    return made.error();
  inputs = std::move(*made);
  Expected<std::unique_ptr<Invocation>> created =
      Invocation::create(driver, plan, inputs);
  if (!created)
    return created.error();
  invocation = std::move(*created);
  if (Error error = invocation->run(module, plan.kernels))
    return error;
  Expected<std::vector<Tensor>> first = invocation->outputs();
  if (!first)
    return first.error();
  outputs = std::move(*first);
  if (Error error = writeOutputs())
    return error;
  if (options.checkBitwise)
    if (Error error = checkBitwise())
      return error;
  if (options.check || !options.expected.empty())
    if (Error error = check())
      return error;
  if (options.errors)
    if (Error error = printErrors())
      return error;
  if (options.benchmark) {
    invocation.reset();
    return benchmarkCase(driver, modules, module, one, options);
  }
  if (!checks && !options.errors)
    printOutputs();
  return Error::success();
}

Error cascade::runtime::runCase(Driver &driver, ModuleCache &modules,
                                const LaunchCase &one,
                                const LaunchOptions &options,
                                CheckCounts &counts) {
  const std::string dims = formatDims(one.plan.dims);
  return CaseRunner(driver, modules, one, options, counts)
      .run()
      .in(one.plan.manifest->path + ": " + one.plan.function->name +
          (dims.empty() ? "" : " ") + dims);
}
