//===- LaunchCase.cpp - Runs, checks and times one case -------------------===//

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
  Error makeInputs();
  Error benchmark();
  Error checkBitwise();
  /// Compares with the references, or with the expected outputs.
  Error check();
  Error writeOutputs();
  void printOutputs();
  void report(const Argument &output, const Comparison &result,
              const char *kind);
  nlohmann::ordered_json describe() const;
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
  std::vector<Tensor> outputs; ///< Of the first run.
};
} // namespace

/// A number JSON can hold; it has no infinities.
static nlohmann::ordered_json jsonNumber(double value) {
  if (std::isfinite(value))
    return value;
  return formatValue(ElementType::F64, value);
}

static void printLine(const nlohmann::ordered_json &json) {
  std::cout << json.dump(-1, ' ', false,
                         nlohmann::json::error_handler_t::replace)
            << std::endl;
}

std::vector<const Argument *> CaseRunner::outputArguments() const {
  std::vector<const Argument *> list;
  for (const Argument &argument : plan.function->arguments)
    if (argument.role == Role::Output)
      list.push_back(&argument);
  return list;
}

nlohmann::ordered_json CaseRunner::describe() const {
  nlohmann::ordered_json json;
  json["manifest"] = plan.manifest->path;
  json["function"] = plan.function->name;
  json["dims"] = nlohmann::ordered_json::object();
  for (const auto &[name, value] : plan.dims)
    json["dims"][name] = value;
  return json;
}

Error CaseRunner::makeInputs() {
  uint64_t number = 0;
  for (size_t i = 0; i < plan.shapes.size(); ++i) {
    const Argument &argument = plan.function->arguments[i];
    inputs.emplace_back();
    if (argument.role == Role::Output)
      continue;
    Expected<Tensor> tensor = makeTensor(one.inputs[i], argument.type,
                                         plan.shapes[i], options.seed, number);
    if (!tensor)
      return tensor.error().in("argument '" + argument.name + "'");
    inputs.back() = std::move(*tensor);
    ++number;
  }
  return Error::success();
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

Error CaseRunner::check() {
  // references[k] are the outputs of one way to evaluate the chain.
  std::vector<std::vector<Tensor>> references;
  std::vector<const Argument *> arguments = outputArguments();
  if (!options.expected.empty()) {
    for (size_t i = 0; i < options.expected.size(); ++i) {
      Expected<Tensor> tensor =
          makeTensor(options.expected[i], outputs[i].type(), outputs[i].shape(),
                     options.seed, inputs.size() + i);
      if (!tensor)
        return tensor.error().in("output '" + arguments[i]->name + "'");
      if (references.empty())
        references.emplace_back();
      references[0].push_back(std::move(*tensor));
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
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::vector<const Tensor *> list;
    for (const std::vector<Tensor> &values : references)
      if (i < values.size())
        list.push_back(&values[i]);
    if (list.empty())
      continue;
    Expected<Comparison> result =
        compare(outputs[i], list, options.rtol, options.atol);
    if (!result)
      return result.error().in("output '" + arguments[i]->name + "'");
    report(*arguments[i], *result, "values");
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

Error CaseRunner::benchmark() {
  BenchmarkOptions settings;
  settings.warmup = options.warmup;
  settings.repeat = options.repeat.value_or(settings.repeat);
  settings.flushL2 = options.flushL2;
  Expected<std::vector<double>> times =
      invocation->benchmark(module, plan.kernels, settings);
  if (!times)
    return times.error();
  std::sort(times->begin(), times->end());
  // Nearest rank.
  auto quantile = [&](double q) {
    const double rank = std::ceil(q * double(times->size())) - 1;
    return (*times)[size_t(std::max(rank, 0.0))];
  };
  const double median = quantile(0.5), p10 = quantile(0.1), p90 = quantile(0.9);
  const int64_t bytes = invocation->bytesMoved();
  const double terabytes = median > 0 ? double(bytes) / median * 1e-6 : 0;
  if (options.json) {
    nlohmann::ordered_json json = describe();
    json["device"] = driver.deviceName();
    json["runs"] = settings.repeat;
    json["flush_l2"] = settings.flushL2;
    json["median_us"] = median;
    json["p10_us"] = p10;
    json["p90_us"] = p90;
    json["bytes"] = bytes;
    json["tb_per_s"] = terabytes;
    printLine(json);
    return Error::success();
  }
  const std::string dims = formatDims(plan.dims);
  char text[160];
  std::snprintf(text, sizeof(text),
                ": median %.2f us, p10 %.2f, p90 %.2f, %lld bytes, %.3f TB/s",
                median, p10, p90, static_cast<long long>(bytes), terabytes);
  std::cout << plan.function->name << (dims.empty() ? "" : " ") << dims << text
            << std::endl;
  return Error::success();
}

Error CaseRunner::writeOutputs() {
  for (size_t i = 0; i < options.outputs.size(); ++i)
    if (Error error = writeNpy(options.outputs[i], outputs[i]))
      return error.in("--output");
  return Error::success();
}

void CaseRunner::printOutputs() {
  std::vector<const Argument *> arguments = outputArguments();
  for (size_t i = options.outputs.size(); i < outputs.size(); ++i) {
    if (!options.json) {
      std::cout << formatOutput(arguments[i]->name, outputs[i]) << std::endl;
      continue;
    }
    nlohmann::ordered_json json = describe();
    json["output"] = arguments[i]->name;
    json["value"] = formatSpec(outputs[i]);
    printLine(json);
  }
}

Error CaseRunner::run() {
  Expected<void *> loaded = modules.load(plan.manifest->module);
  if (!loaded)
    return loaded.error();
  module = *loaded;
  if (Error error = makeInputs())
    return error;
  Expected<std::unique_ptr<Invocation>> created =
      Invocation::create(driver, plan, inputs);
  if (!created)
    return created.error();
  invocation = std::move(*created);
  if (options.benchmark)
    return benchmark();

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
    return check();
  if (!options.checkBitwise)
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
