//===- l2.cu - Reading again what the L2 cache may hold -------------------===//
//
// The footprint is a number of units; one access of every thread of the grid
// reads one. The grid goes over the footprint again and again: with shift 0
// every multiprocessor reads what it has read before, with another shift what
// others have.
//
//===----------------------------------------------------------------------===//

#include "data.h"
#include "sections.h"

#include <algorithm>
#include <numeric>
#include <random>

using namespace calibrate;

static constexpr int loads = 4;

/// `steps` units, a multiple of `loads`, of a footprint of `units`.
static __global__ void __launch_bounds__(readerThreads)
    readAgain(const uint4 *data, int units, int steps, int shift,
              uint32_t *sums) {
  const size_t unit = size_t(gridDim.x) * blockDim.x;
  int place = 0; // in units
  int block = int(blockIdx.x);
  uint32_t sum = 0;
#pragma unroll 1
  for (int step = 0; step < steps; step += loads) {
    uint4 values[loads];
#pragma unroll
    for (int i = 0; i < loads; ++i) {
      values[i] = loadL2(data + size_t(place) * unit +
                         size_t(block) * blockDim.x + threadIdx.x);
      place = place + 1 == units ? 0 : place + 1;
      block += shift;
      block -= block >= int(gridDim.x) ? int(gridDim.x) : 0;
    }
#pragma unroll
    for (int i = 0; i < loads; ++i)
      sum += sumOf(values[i]);
  }
  storeWarpSum(sums, sum);
}

/// Word 0 of line order[i] becomes the number of line order[i + 1].
static __global__ void linkLines(uint32_t *lines, const uint32_t *order,
                                 int count) {
  constexpr size_t words = 32; // of a line
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 1 < count)
    lines[size_t(order[i]) * words] = order[i + 1];
}

/// Follows `hops` links from line `start`: cycles, and the line at the end.
static __global__ void followLines(const uint32_t *lines, uint32_t start,
                                   int hops, long long *cycles, uint32_t *end) {
  constexpr size_t words = 32;
  uint32_t line = start;
  const long long begin = readClock();
#pragma unroll 1
  for (int i = 0; i < hops; ++i)
    line = loadL2(lines + size_t(line) * words);
  *end = line; // the clock is read after the last load
  *cycles = readClock() - begin;
}

/// The footprint whose figures go into #cluster.target: 16.5 MiB of 132 SMs.
static constexpr int fieldUnits = 4;

namespace {
class L2 {
public:
  L2(const Device &device, Timer &timer, Report &report)
      : device(device), timer(timer), report(report),
        grid{device.sms * readerBlocks, readerThreads},
        unit(size_t(grid.blocks) * size_t(grid.threads) * sizeof(uint4)),
        sums(size_t(grid.blocks) * size_t(grid.threads) / warpThreads) {}

  void measureBandwidth();
  void measureLatency();

private:
  void readFootprint(const Buffer<uint4> &data, int units, int shift);
  /// Cycles of a link in `bytes` of lines, which `prepare` has read or not.
  double follow(Buffer<uint4> &data, size_t bytes, const std::string &name,
                const std::function<void()> &prepare);

  const Device &device;
  Timer &timer;
  Report &report;
  Shape grid;
  size_t unit; ///< bytes
  Buffer<uint32_t> sums;
};
} // namespace

static std::string textOfMiB(size_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MiB", double(bytes) / double(mib));
  return text;
}

void L2::readFootprint(const Buffer<uint4> &data, int units, int shift) {
  constexpr int passes = 2;
  const int steps = (passes * units + loads - 1) / loads * loads;
  launch(readAgain, grid, data.get(), units, steps, shift, sums.get());
}

void L2::measureBandwidth() {
  constexpr int steps = 64, largest = 15;
  Buffer<uint4> data(largest * unit / sizeof(uint4));
  fill(device, data.get(), largest * unit);
  // The sum of the units that are read, whoever reads them.
  auto expected = [&](int units) {
    const uint64_t words = unit / sizeof(uint32_t);
    uint32_t sum = 0;
    for (int step = 0; step < steps; ++step) {
      const uint64_t place = uint64_t(step % units);
      sum += sumOfWords((place + 1) * words) - sumOfWords(place * words);
    }
    return sum;
  };
  for (int shift : {0, 37}) {
    report.progress(shift == 0 ? "read again by the same multiprocessor"
                               : "read again by another multiprocessor");
    for (int units = 1; units <= largest; ++units) {
      TimeOptions options;
      options.cache = Cache::AsIs;
      options.prepare = [&] { readFootprint(data, units, shift); };
      options.delay = 30;
      const std::vector<double> times = timer.time(
          "reading again",
          [&] {
            launch(readAgain, grid, data.get(), units, steps, shift,
                   sums.get());
          },
          options);
      const double bandwidth = report.add(
          shift == 0 ? "read again, by the same SM"
                     : "read again, by another SM",
          "GB/s", "footprint " + textOfMiB(size_t(units) * unit),
          bandwidthOf(double(steps * unit), times,
                      timer.emptyKernel(Cache::AsIs)),
          {100, 20000}, compareSums(total(sums, sums.size()), expected(units)));
      if (shift == 0 && units == fieldUnits)
        report.setField("l2_gbps", bandwidth);
    }
  }
}

double L2::follow(Buffer<uint4> &data, size_t bytes, const std::string &name,
                  const std::function<void()> &prepare) {
  constexpr int hops = 512, samples = 16;
  constexpr size_t lineBytes = 128;
  // A chain over random lines, each of them once.
  std::vector<uint32_t> order(bytes / lineBytes);
  std::iota(order.begin(), order.end(), 0u);
  std::mt19937 random(1);
  constexpr int count = hops * samples + 1;
  for (size_t i = 0; i < count; ++i)
    std::swap(order[i], order[i + random() % (order.size() - i)]);
  order.resize(count);
  Buffer<uint32_t> places(count), end(1);
  Buffer<long long> cycles(1);
  places.write(order);
  uint32_t *lines = reinterpret_cast<uint32_t *>(data.get());
  launch(linkLines, {(count + 255) / 256, 256}, lines, places.get(), count);

  std::vector<double> perHop;
  std::string failure;
  for (int i = 0; i < samples; ++i) {
    prepare();
    launch(followLines, {1, 1}, lines, order[size_t(i * hops)], hops,
           cycles.get(), end.get());
    perHop.push_back(double(cycles.read(1)[0]) / hops);
    if (end.read(1)[0] != order[size_t((i + 1) * hops)])
      failure = "the chain of lines ends elsewhere";
  }
  return report.add(name, "cycles", "footprint " + textOfMiB(bytes), perHop,
                    {50, 5000}, failure);
}

void L2::measureLatency() {
  report.progress("latency");
  constexpr int largest = 15;
  Buffer<uint4> data(largest * unit / sizeof(uint4));
  for (int units = 1; units <= largest; ++units) {
    const double cycles =
        follow(data, size_t(units) * unit, "load after a read of the footprint",
               [&] { readFootprint(data, units, 37); });
    if (units == fieldUnits)
      report.setField("l2_latency", cycles);
  }
  for (int units : {1, largest}) {
    const double cycles =
        follow(data, size_t(units) * unit, "load of what is not in the cache",
               [&] { timer.setCache(Cache::Clean); });
    if (units == largest)
      report.setField("memory_latency", cycles);
  }
}

void calibrate::measureL2(const Device &device, Timer &timer, Report &report) {
  L2 l2(device, timer, report);
  l2.measureBandwidth();
  l2.measureLatency();
}
