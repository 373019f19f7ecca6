//===- Benchmark.cpp - Times a plan on a device ---------------------------===//

#include "cascade/Runtime/Launcher.h"

#include <algorithm>

using namespace cascade::runtime;

/// More than any L2 cache, so that writing it evicts everything.
static constexpr size_t flushBytes = size_t(256) << 20;
/// Runs that are queued behind one head start, and the number of fills of
/// flushBytes (about 0.1 ms each) that give it.
static constexpr int batchSize = 32;
static constexpr int headStartFills = 8;

/// An event is recorded when the device reaches it, so a device that waits for
/// the next launch counts the host's time as the kernel's. Therefore launches
/// are queued while the device is busy with something else: with the flush of
/// the L2 before each run, or with a head start before a batch, whose first run
/// warms the cache and does not count.
Expected<std::vector<double>>
Invocation::benchmark(void *module, const ProgramPlan &program,
                      const BenchmarkOptions &options) {
  Expected<std::vector<Ready>> launches = makeReady(module, program);
  if (!launches)
    return launches.error();
  Expected<DeviceBuffer> scratch = driver.allocate(flushBytes);
  if (!scratch)
    return scratch.error();
  std::vector<std::pair<void *, void *>> events;
  for (int i = 0; i < batchSize; ++i) {
    Expected<void *> begin = driver.createEvent(), end = driver.createEvent();
    if (!begin)
      return begin.error();
    if (!end)
      return end.error();
    events.emplace_back(*begin, *end);
  }

  auto flush = [&](int times) {
    Error error = Error::success();
    for (int i = 0; i < times && !error; ++i)
      error = driver.fill(scratch->address(), uint8_t(i), flushBytes);
    return error;
  };
  auto runOnce = [&](std::pair<void *, void *> *between) {
    Error error = clearWorkspace(program);
    if (!error && options.flushL2)
      error = flush(1);
    if (!error && between)
      error = driver.record(between->first);
    if (!error)
      error = launchAll(*launches);
    if (!error && between)
      error = driver.record(between->second);
    return error;
  };
  const std::string what = "timing function '" + plan.function->name + "'";

  if (Error error = poisonOutputs())
    return error;
  for (int i = 0; i < options.warmup; ++i)
    if (Error error = runOnce(nullptr))
      return error;
  if (Error error = driver.synchronize(what))
    return error;

  std::vector<double> times;
  while (int(times.size()) < options.repeat) {
    const int count = std::min(batchSize, options.repeat - int(times.size()));
    Error error = flush(headStartFills);
    if (!error)
      error = runOnce(nullptr);
    for (int i = 0; i < count && !error; ++i)
      error = runOnce(&events[size_t(i)]);
    if (!error)
      error = driver.synchronize(what);
    if (error)
      return error;
    for (int i = 0; i < count; ++i) {
      Expected<double> time =
          driver.elapsed(events[size_t(i)].first, events[size_t(i)].second);
      if (!time)
        return time.error();
      times.push_back(*time);
    }
  }
  return times;
}
