//===- bulk.cu - Latency of a bulk copy to shared memory ------------------===//
//
// One thread of one block: arms an mbarrier, starts cp.async.bulk, waits. Every
// copy is over before the next one starts.
//
//===----------------------------------------------------------------------===//

#include "data.h"
#include "sections.h"

using namespace calibrate;

static constexpr int copies = 16;

/// Copies `bytes` from `data`, `stride` bytes further each time; the sum of the
/// first and the last word of every copy goes to `sum`.
static __global__ void copyInTurn(const uint4 *data, uint32_t bytes,
                                  size_t stride, long long *cycles,
                                  uint32_t *sum) {
  extern __shared__ __align__(128) uint32_t target[];
  __shared__ uint64_t barrier;
  if (threadIdx.x != 0)
    return;
  const uint32_t address = sharedAddress(&barrier);
  initBarrier(address);
  fenceBarrierInit();
  fenceAsync();
  bool came = true;
  uint32_t ends = 0;
#pragma unroll 1
  for (uint32_t i = 0; i < copies && came; ++i) {
    const char *from = reinterpret_cast<const char *>(data) + i * stride;
    const long long begin = readClock();
    arriveExpect(address, bytes);
    copyBulk(sharedAddress(target), from, bytes, address);
    came = waitBarrier(address, i % 2);
    cycles[i] = readClock() - begin;
    ends += loadShared(sharedAddress(target)) +
            loadShared(sharedAddress(target) + bytes - 4);
    fenceAsync(); // these loads come before the next copy
  }
  *sum = came ? ends : 0;
}

void calibrate::measureBulk(const Device &device, Timer &timer,
                            Report &report) {
  constexpr size_t stride = mib;
  report.progress("bulk copy");
  Buffer<uint4> data(copies * stride / sizeof(uint4));
  Buffer<long long> cycles(copies);
  Buffer<uint32_t> sum(1);
  fill(device, data.get(), copies * stride);
  const void *kernel = reinterpret_cast<const void *>(&copyInTurn);

  double cyclesOf32KiB = 0;
  for (bool cached : {true, false})
    for (size_t bytes = kib; bytes <= 128 * kib; bytes *= 2) {
      const Shape shape = {1, warpThreads, 0, bytes};
      allow(kernel, shape);
      const size_t step = cached ? 0 : stride;
      std::vector<double> samples;
      std::string failure;
      uint32_t expected = 0;
      for (size_t i = 0; i < copies; ++i) {
        const uint32_t first = uint32_t(i * step / sizeof(uint32_t));
        expected +=
            (2 * first + uint32_t(bytes / sizeof(uint32_t)) - 1) * scramble;
      }
      // The first launch warms the instruction cache, and the first copy of
      // each launch the L2 cache or the translation of addresses.
      for (int run = 0; run < 4; ++run) {
        if (!cached)
          timer.setCache(Cache::Clean);
        launch(copyInTurn, shape, data.get(), uint32_t(bytes), step,
               cycles.get(), sum.get());
        const std::vector<long long> values = cycles.read(copies);
        for (size_t i = 1; run > 0 && i < copies; ++i)
          samples.push_back(double(values[i]));
        if (sum.read(1)[0] != expected)
          failure = "the ends of what was copied do not add up";
      }
      const double median = report.add(
          cached ? "bulk copy from the L2 cache" : "bulk copy from memory",
          "cycles", std::to_string(bytes / kib) + " KiB, one block", samples,
          {50, 100000}, failure);
      if (!cached)
        continue;
      if (bytes == kib)
        report.setField("bulk_cycles", median);
      if (bytes == 32 * kib)
        cyclesOf32KiB = median;
      // The slope, where both are known.
      if (bytes == 128 * kib && cyclesOf32KiB > 0 && median > cyclesOf32KiB)
        report.setField("bulk_bytes_per_cycle",
                        96.0 * double(kib) / (median - cyclesOf32KiB));
    }
}
