//===- writeback.cu - What dirty lines cost the kernel that follows -------===//
//
// From a cache of clean lines: a kernel writes N MiB; the next one, which is
// timed, reads 128 MiB of other data, and so evicts what was written. With a
// delay between both, lines that are written back without being evicted do not
// count.
//
//===----------------------------------------------------------------------===//

#include "data.h"
#include "sections.h"

using namespace calibrate;

static constexpr int loads = 4;

/// Each warp leaves a sum.
static __global__ void __launch_bounds__(readerThreads)
    readOther(const uint4 *data, size_t count, uint32_t *sums) {
  const size_t batch = size_t(blockDim.x) * loads;
  uint32_t sum = 0;
#pragma unroll 1
  for (size_t start = blockIdx.x * batch; start < count;
       start += gridDim.x * batch) {
    uint4 values[loads];
#pragma unroll
    for (int i = 0; i < loads; ++i)
      values[i] = loadOnce(data + start + size_t(i) * blockDim.x + threadIdx.x);
#pragma unroll
    for (int i = 0; i < loads; ++i)
      sum += sumOf(values[i]);
  }
  storeWarpSum(sums, sum);
}

void calibrate::measureWriteBack(const Device &device, Timer &timer,
                                 Report &report) {
  constexpr size_t readBytes = 128 * mib, mostWritten = 512 * mib;
  constexpr size_t readCount = readBytes / sizeof(uint4);
  const Shape grid = {device.sms * readerBlocks, readerThreads};
  const size_t warps = size_t(grid.blocks) * size_t(grid.threads) / warpThreads;
  Buffer<uint4> data(readCount), written(mostWritten / sizeof(uint4));
  Buffer<uint32_t> sums(warps);
  fill(device, data.get(), readBytes);

  for (double delay : {0.0, 30.0}) {
    const std::string when = delay > 0 ? ", 30 us later" : "";
    report.progress("read behind a write" + when);
    double clean = 0;
    for (size_t size : {0, 4, 8, 16, 24, 32, 40, 48, 60, 96, 128, 256}) {
      TimeOptions options;
      options.delay = delay;
      options.prepare = [&] {
        if (size > 0)
          fill(device, written.get(), size * mib);
      };
      const std::vector<double> times = timer.time(
          "a read behind a write",
          [&] { launch(readOther, grid, data.get(), readCount, sums.get()); },
          options);
      const std::string depends = std::to_string(size) + " MiB written" + when;
      const double time = report.add(
          "read of 128 MiB", "us", depends, times, {25, 1000},
          compareSums(total(sums, warps), sumOfWords(readCount * 4)));
      if (size == 0) {
        clean = time;
        continue;
      }
      std::vector<double> cost;
      for (double one : times)
        cost.push_back((one - clean) / double(size));
      // Within its spread the difference may be negative.
      report.add("added by a MiB written", "us", depends, cost, {-1, 5},
                 time > 0 && clean > 0 ? "" : "one of both reads failed");
    }
  }

  report.progress("write");
  for (size_t size : {4, 8, 16, 24, 32, 40, 48, 60, 128, 256, 512}) {
    const std::vector<double> times = timer.time(
        "a write", [&] { fill(device, written.get(), size * mib); }, {});
    launch(readOther, grid, written.get(), size * mib / sizeof(uint4),
           sums.get());
    // A write that fits into the cache may end before it reaches the memory.
    report.add(
        "write", "GB/s", std::to_string(size) + " MiB, from a clean cache",
        bandwidthOf(double(size * mib), times, timer.emptyKernel(Cache::Clean)),
        {100, 20000},
        compareSums(total(sums, warps), sumOfWords(size * mib / 4)));
  }
}
