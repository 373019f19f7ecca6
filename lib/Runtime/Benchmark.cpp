//===- Benchmark.cpp - Times work on a device -----------------------------===//

#include "cascade/Runtime/Benchmark.h"
#include "cascade/Runtime/Launcher.h"

#include <algorithm>
#include <cmath>

using namespace cascade::runtime;

/// More than any L2 cache, so that writing it evicts everything.
static constexpr size_t flushBytes = size_t(256) << 20;
/// Runs that are queued behind one head start, and the number of fills of
/// flushBytes (about 0.1 ms each) that give it.
static constexpr int batchSize = 32;
static constexpr int headStartFills = 8;
/// Sets of buffers that runs take in turn, if they take no more memory than
/// this.
static constexpr size_t mostSets = 3;
static constexpr int64_t mostSetBytes = int64_t(8) << 30;

size_t BenchmarkOptions::sets(int64_t bytes) const {
  return flushL2 && bytes <= mostSetBytes / int64_t(mostSets) ? mostSets : 1;
}

Expected<Timer> Timer::create(Driver &driver) {
  Timer timer(driver);
  Expected<DeviceBuffer> scratch = driver.allocate(flushBytes);
  if (!scratch)
    return scratch.error();
  timer.scratch = std::move(*scratch);
  for (int i = 0; i < batchSize; ++i) {
    Expected<void *> begin = driver.createEvent(), end = driver.createEvent();
    if (!begin)
      return begin.error();
    if (!end)
      return end.error();
    timer.events.emplace_back(*begin, *end);
  }
  return timer;
}

Error Timer::flush(int times) {
  Error error = Error::success();
  for (int i = 0; i < times && !error; ++i)
    error = driver->fill(scratch.address(), uint8_t(i), flushBytes);
  return error;
}

Error Timer::runOnce(const TimedWork &work, const BenchmarkOptions &options,
                     const std::pair<void *, void *> *between) {
  const size_t run = number++;
  Error error = work.prepare ? work.prepare(run) : Error::success();
  if (!error && options.flushL2)
    error = flush(1);
  if (!error && between)
    error = driver->record(between->first);
  if (!error)
    error = work.run(run);
  if (!error && between)
    error = driver->record(between->second);
  return error;
}

/// An event is recorded when the device reaches it, so a device that waits for
/// the next launch counts the host's time as the kernel's. Therefore launches
/// are queued while the device is busy with something else: with the flush of
/// the L2 before each run, or with a head start before a batch, whose first run
/// warms the cache and does not count.
Expected<std::vector<double>> Timer::time(const TimedWork &work,
                                          const BenchmarkOptions &options) {
  const std::string what = "timing " + work.name;
  number = 0;
  for (int i = 0; i < options.warmup; ++i)
    if (Error error = runOnce(work, options, nullptr))
      return error;
  if (Error error = driver->synchronize(what))
    return error;

  std::vector<double> times;
  while (int(times.size()) < options.repeat) {
    const int count = std::min(batchSize, options.repeat - int(times.size()));
    Error error = flush(headStartFills);
    if (!error)
      error = runOnce(work, options, nullptr);
    for (int i = 0; i < count && !error; ++i)
      error = runOnce(work, options, &events[size_t(i)]);
    if (!error)
      error = driver->synchronize(what);
    if (error)
      return error;
    for (int i = 0; i < count; ++i) {
      Expected<double> time =
          driver->elapsed(events[size_t(i)].first, events[size_t(i)].second);
      if (!time)
        return time.error();
      times.push_back(*time);
    }
  }
  return times;
}

Expected<std::vector<double>>
Invocation::benchmark(const std::vector<std::unique_ptr<Invocation>> &sets,
                      void *module, const ProgramPlan &program, Timer &timer,
                      const BenchmarkOptions &options) {
  std::vector<std::vector<Ready>> launches;
  for (const std::unique_ptr<Invocation> &set : sets) {
    Expected<std::vector<Ready>> ready = set->makeReady(module, program);
    if (!ready)
      return ready.error();
    launches.push_back(std::move(*ready));
    if (Error error = set->poisonOutputs())
      return error;
  }
  TimedWork work;
  work.name = "function '" + sets.front()->plan.function->name + "'";
  work.prepare = [&](size_t run) {
    return sets[run % sets.size()]->readyWorkspace(program);
  };
  work.run = [&](size_t run) {
    const size_t set = run % sets.size();
    return sets[set]->launchAll(launches[set]);
  };
  return timer.time(work, options);
}

Expected<std::vector<double>>
cascade::runtime::timeCopy(Driver &driver, Timer &timer, int64_t bytes,
                           const BenchmarkOptions &options) {
  const size_t half = std::max<size_t>(size_t(bytes) / 2, 1);
  std::vector<DeviceBuffer> from, to;
  for (size_t set = options.sets(bytes); set > 0; --set)
    for (std::vector<DeviceBuffer> *list : {&from, &to}) {
      Expected<DeviceBuffer> buffer = driver.allocate(half);
      if (!buffer)
        return buffer.error().in("--copy");
      list->push_back(std::move(*buffer));
      if (Error error = driver.fill(list->back().address(), uint8_t(set), half))
        return error;
    }
  TimedWork work;
  work.name = "a copy of the device";
  work.run = [&](size_t run) {
    const size_t set = run % from.size();
    return driver.copy(to[set].address(), from[set].address(), half);
  };
  return timer.time(work, options);
}

static const char *const emptyKernel = R"(
.version 7.8
.target sm_90
.address_size 64
.visible .entry cascade_empty() { ret; }
)";

Expected<std::vector<double>>
cascade::runtime::timeEmptyKernel(Driver &driver, ModuleCache &modules,
                                  Timer &timer,
                                  const BenchmarkOptions &options) {
  const std::string name = "cascade_empty";
  Expected<void *> module = modules.loadText(name, emptyKernel);
  if (!module)
    return module.error();
  Expected<void *> kernel = driver.getKernel(*module, name);
  if (!kernel)
    return kernel.error();
  std::vector<void *> parameters;
  LaunchShape shape;
  shape.block = {32, 1, 1};
  TimedWork work;
  work.name = "kernel '" + name + "'";
  work.run = [&](size_t) {
    return driver.launch(*kernel, name, shape, parameters);
  };
  return timer.time(work, options);
}

TimeSummary cascade::runtime::summarise(std::vector<double> times) {
  TimeSummary summary;
  if (times.empty())
    return summary;
  std::sort(times.begin(), times.end());
  auto quantile = [&](double q) {
    const double rank = std::ceil(q * double(times.size())) - 1;
    return times[size_t(std::max(rank, 0.0))];
  };
  summary.least = times.front();
  summary.median = quantile(0.5);
  summary.p10 = quantile(0.1);
  summary.p90 = quantile(0.9);
  return summary;
}
