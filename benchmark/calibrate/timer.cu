//===- timer.cu - Times one launch between two events ---------------------===//

#include "timer.h"

#include "ptx.h"
#include "report.h"

#include <algorithm>

using namespace calibrate;

/// More than any L2 cache, so that it evicts everything.
static constexpr size_t scratchBytes = 256 * mib;
/// Fills of the scratch buffer (about 0.1 ms each) before the first run, and
/// the runs whose times do not count.
static constexpr int headStart = 4;
static constexpr int warmups = 3;
/// Nanoseconds after which a kernel that waits gives up.
static constexpr uint64_t longestDelay = 10000000;

static __global__ void emptyKernelOfOneWarp() {}

/// Reads `count` vectors; each warp leaves a sum.
static __global__ void readScratch(const uint4 *data, size_t count,
                                   uint32_t *sums) {
  const size_t step = size_t(gridDim.x) * blockDim.x;
  uint32_t sum = 0;
#pragma unroll 4
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step)
    sum += sumOf(loadOnce(data + i));
  storeWarpSum(sums, sum);
}

/// Waits for `nanoseconds`.
static __global__ void wait(uint64_t nanoseconds, uint32_t *ticks) {
  const uint64_t start = globalTimer();
  uint64_t now = start;
  uint32_t turns = 0;
  while (now - start < nanoseconds && now - start < longestDelay) {
    now = globalTimer();
    ++turns;
  }
  *ticks = turns;
}

Timer::Timer(const Device &device)
    : device(device), scratch(scratchBytes / sizeof(uint4)),
      sums(size_t(device.sms) * readerBlocks * readerThreads / warpThreads),
      ticks(1) {}

Timer::~Timer() {
  for (const Events &pair : events) {
    (void)cudaEventDestroy(pair.begin);
    (void)cudaEventDestroy(pair.end);
  }
}

void Timer::setCache(Cache cache) {
  if (cache == Cache::Dirty)
    check(cudaMemsetAsync(scratch.get(), 1, scratchBytes),
          "writing the scratch buffer");
  if (cache == Cache::Clean)
    launch(readScratch, {device.sms * readerBlocks, readerThreads},
           scratch.get(), scratch.size(), sums.get());
}

void Timer::runOnce(const std::function<void()> &work,
                    const TimeOptions &options, const Events *between) {
  setCache(options.cache);
  if (options.prepare)
    options.prepare();
  if (options.delay > 0)
    launch(wait, {}, uint64_t(options.delay * 1e3), ticks.get());
  if (between)
    check(cudaEventRecord(between->begin), "recording an event");
  work();
  if (between)
    check(cudaEventRecord(between->end), "recording an event");
}

std::vector<double> Timer::time(const std::string &what,
                                const std::function<void()> &work,
                                const TimeOptions &options) {
  while (events.size() < size_t(options.repeat)) {
    events.push_back({});
    check(cudaEventCreate(&events.back().begin), "creating an event");
    check(cudaEventCreate(&events.back().end), "creating an event");
  }
  // The first launch loads the kernel, which may wait for the device.
  runOnce(work, options, nullptr);
  synchronize(what);

  for (int i = 0; i < headStart; ++i)
    setCache(Cache::Dirty);
  for (int i = 0; i < warmups; ++i)
    runOnce(work, options, nullptr);
  for (int i = 0; i < options.repeat; ++i)
    runOnce(work, options, &events[size_t(i)]);
  synchronize(what);

  std::vector<double> times;
  for (int i = 0; i < options.repeat; ++i) {
    float milliseconds = 0;
    const Events &pair = events[size_t(i)];
    check(cudaEventElapsedTime(&milliseconds, pair.begin, pair.end),
          "reading the time of " + what);
    times.push_back(double(milliseconds) * 1e3);
  }
  return times;
}

double Timer::emptyKernel(Cache cache) {
  auto found = emptyTimes.find(cache);
  if (found != emptyTimes.end())
    return found->second;
  TimeOptions options;
  options.cache = cache;
  options.delay = cache == Cache::AsIs ? 50 : 0;
  const std::vector<double> times = time(
      "an empty kernel", [] { launch(emptyKernelOfOneWarp, {}); }, options);
  return emptyTimes[cache] = summarise(times).median;
}

std::vector<double>
calibrate::bandwidthOf(double bytes, const std::vector<double> &microseconds,
                       double overhead) {
  std::vector<double> rates;
  for (double time : microseconds)
    rates.push_back(time > overhead ? bytes / (time - overhead) / 1e3 : 0);
  return rates;
}
