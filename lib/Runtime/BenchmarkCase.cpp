//===- BenchmarkCase.cpp - Times one case ---------------------------------===//

#include "LaunchJson.h"
#include "cascade/Runtime/Benchmark.h"
#include "cascade/Runtime/Compare.h"
#include "cascade/Runtime/LaunchTool.h"

#include <cstdio>

using namespace cascade::runtime;

/// The random elements that a larger input repeats: a prime number, so that
/// the rows of a matrix start at different ones, whatever their length.
static constexpr int64_t randomElements = 1048573;

namespace {
/// What is measured of a case.
struct CaseTimes {
  TimeSummary kernel;
  std::optional<double> copy, empty; ///< Medians.
  int64_t bytes = 0;
};
} // namespace

BenchmarkOptions
cascade::runtime::benchmarkSettings(const LaunchOptions &options) {
  BenchmarkOptions settings;
  settings.warmup = options.warmup;
  settings.repeat = options.repeat.value_or(settings.repeat);
  settings.flushL2 = options.flushL2;
  return settings;
}

Expected<std::vector<std::unique_ptr<Invocation>>>
cascade::runtime::makeSets(Driver &driver, const LaunchCase &one,
                           const LaunchOptions &options,
                           const BenchmarkOptions &settings) {
  Expected<std::vector<Tensor>> inputs =
      makeInputs(one, options, randomElements);
  if (!inputs)
    return inputs.error();
  std::vector<std::unique_ptr<Invocation>> sets;
  do {
    Expected<std::unique_ptr<Invocation>> set =
        Invocation::create(driver, one.plan, *inputs);
    if (!set)
      return set.error();
    sets.push_back(std::move(*set));
  } while (sets.size() < settings.sets(sets.front()->bytesMoved()));
  return sets;
}

static Expected<CaseTimes> timeCase(Driver &driver, ModuleCache &modules,
                                    void *module, const LaunchCase &one,
                                    const LaunchOptions &options,
                                    const BenchmarkOptions &settings) {
  CaseTimes result;
  Expected<Timer> timer = Timer::create(driver);
  if (!timer)
    return timer.error();
  {
    Expected<std::vector<std::unique_ptr<Invocation>>> sets =
        makeSets(driver, one, options, settings);
    if (!sets)
      return sets.error();
    result.bytes = sets->front()->bytesMoved();
    Expected<std::vector<double>> times = Invocation::benchmark(
        *sets, module, one.plan.kernels, *timer, settings);
    if (!times)
      return times.error();
    result.kernel = summarise(std::move(*times));
  }
  if (options.copy) {
    Expected<std::vector<double>> times =
        timeCopy(driver, *timer, result.bytes, settings);
    if (!times)
      return times.error();
    result.copy = summarise(std::move(*times)).median;
  }
  if (options.empty) {
    Expected<std::vector<double>> times =
        timeEmptyKernel(driver, modules, *timer, settings);
    if (!times)
      return times.error();
    result.empty = summarise(std::move(*times)).median;
  }
  return result;
}

Error cascade::runtime::benchmarkCase(Driver &driver, ModuleCache &modules,
                                      void *module, const LaunchCase &one,
                                      const LaunchOptions &options) {
  const BenchmarkOptions settings = benchmarkSettings(options);
  Expected<CaseTimes> times =
      timeCase(driver, modules, module, one, options, settings);
  if (!times)
    return times.error();
  const TimeSummary &kernel = times->kernel;
  const double terabytes =
      kernel.median > 0 ? double(times->bytes) / kernel.median * 1e-6 : 0;
  if (options.json) {
    nlohmann::ordered_json json = describeCase(one.plan);
    json["device"] = driver.deviceName();
    json["runs"] = settings.repeat;
    json["flush_l2"] = settings.flushL2;
    json["median_us"] = kernel.median;
    json["min_us"] = kernel.least;
    json["p10_us"] = kernel.p10;
    json["p90_us"] = kernel.p90;
    json["bytes"] = times->bytes;
    json["tb_per_s"] = terabytes;
    if (times->copy)
      json["copy_us"] = *times->copy;
    if (times->empty)
      json["empty_us"] = *times->empty;
    printLine(json);
    return Error::success();
  }
  const std::string dims = formatDims(one.plan.dims);
  char text[160];
  std::snprintf(text, sizeof(text),
                ": median %.2f us, min %.2f, p10 %.2f, p90 %.2f, %lld bytes, "
                "%.3f TB/s",
                kernel.median, kernel.least, kernel.p10, kernel.p90,
                static_cast<long long>(times->bytes), terabytes);
  std::cout << one.plan.function->name << (dims.empty() ? "" : " ") << dims
            << text;
  for (auto [name, time] : {std::pair("copy", times->copy),
                            std::pair("empty kernel", times->empty)})
    if (time) {
      std::snprintf(text, sizeof(text), ", %s %.2f us", name, *time);
      std::cout << text;
    }
  std::cout << std::endl;
  return Error::success();
}
