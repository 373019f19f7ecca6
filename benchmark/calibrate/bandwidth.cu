//===- bandwidth.cu - Reading, writing and copying memory -----------------===//
//
// A block reads a batch of threads x loads x 16 bytes, adds it up, and takes
// its next one; a grid of `blocks a multiprocessor` does so until all is read.
// Dynamic shared memory keeps more blocks than that from one multiprocessor.
// Bandwidth is bytes / (time - empty kernel).
//
//===----------------------------------------------------------------------===//

#include "data.h"
#include "sections.h"

#include <algorithm>
#include <map>

using namespace calibrate;

/// A device of HBM3e moves less; more is an error of measurement.
static constexpr Bounds believable = {1, 5000};
/// The end of a copy may still be in the L2 cache when it counts as done.
static constexpr Bounds believableCopy = {1, 8000};

/// Each warp leaves a sum, each block its multiprocessor.
template <int loads>
static __global__ void __launch_bounds__(1024)
    readBatches(const uint4 *data, size_t count, uint32_t *sums,
                uint32_t *places) {
  const size_t batch = size_t(blockDim.x) * loads;
  uint32_t sum = 0;
#pragma unroll 1
  for (size_t start = blockIdx.x * batch; start < count;
       start += gridDim.x * batch) {
    const uint4 *from = data + start + threadIdx.x;
    uint4 values[loads];
#pragma unroll
    for (int i = 0; i < loads; ++i)
      values[i] = loadOnce(from + size_t(i) * blockDim.x);
#pragma unroll
    for (int i = 0; i < loads; ++i)
      sum += sumOf(values[i]);
  }
  storeWarpSum(sums, sum);
  if (threadIdx.x == 0)
    places[blockIdx.x] = multiprocessor();
}

template <int loads>
static __global__ void __launch_bounds__(1024)
    copyBatches(const uint4 *data, size_t count, uint4 *to) {
  const size_t batch = size_t(blockDim.x) * loads;
#pragma unroll 1
  for (size_t start = blockIdx.x * batch; start < count;
       start += gridDim.x * batch) {
    const size_t first = start + threadIdx.x;
    uint4 values[loads];
#pragma unroll
    for (int i = 0; i < loads; ++i)
      values[i] = loadOnce(data + first + size_t(i) * blockDim.x);
#pragma unroll
    for (int i = 0; i < loads; ++i)
      to[first + size_t(i) * blockDim.x] = values[i];
  }
}

using Reader = void (*)(const uint4 *, size_t, uint32_t *, uint32_t *);

static Reader readerOf(int loads) {
  switch (loads) {
  case 1:
    return readBatches<1>;
  case 2:
    return readBatches<2>;
  case 4:
    return readBatches<4>;
  default:
    return readBatches<8>;
  }
}

namespace {
/// How a read is spread over the device.
struct Spread {
  int sms;
  int blocks; ///< of a multiprocessor
  int threads;
  int loads;
};

class Bandwidth {
public:
  Bandwidth(const Device &device, Timer &timer, Report &report)
      : device(device), timer(timer), report(report),
        data(std::max(bytesPerSM * size_t(device.sms), mostCopied / 2) /
             sizeof(uint4)),
        target(data.size()),
        sums(size_t(device.sms) * size_t(device.threadsPerSM) / warpThreads),
        places(size_t(device.sms) * 32) {
    fill(device, data.get(), data.size() * sizeof(uint4));
  }

  void measureInFlight();
  void measureSMs();
  void measureCopies();

private:
  /// GB/s of reading this much for each multiprocessor used.
  std::vector<double> read(const Spread &spread, Cache cache,
                           std::string &failure);
  /// Empty if the blocks were where `spread` wants them, else a reason.
  std::string checkPlaces(const Spread &spread) const;
  void copy(size_t bytes, Cache cache, const char *before);

  static constexpr size_t bytesPerSM = 4 * mib;
  static constexpr size_t mostCopied = 1024 * mib; ///< read and written
  const Device &device;
  Timer &timer;
  Report &report;
  Buffer<uint4> data, target;
  Buffer<uint32_t> sums;
  Buffer<uint32_t> places;
};
} // namespace

std::string Bandwidth::checkPlaces(const Spread &spread) const {
  std::map<uint32_t, int> blocks;
  for (uint32_t place : places.read(size_t(spread.sms) * size_t(spread.blocks)))
    ++blocks[place];
  if (int(blocks.size()) == spread.sms)
    return "";
  return "the blocks ran on " + std::to_string(blocks.size()) +
         " multiprocessors instead of " + std::to_string(spread.sms);
}

std::vector<double> Bandwidth::read(const Spread &spread, Cache cache,
                                    std::string &failure) {
  const Reader reader = readerOf(spread.loads);
  Shape shape;
  shape.blocks = spread.sms * spread.blocks;
  shape.threads = spread.threads;
  // As much as lets exactly so many blocks fit; the system takes 1 KiB a block.
  shape.shared = (device.sharedPerSM / size_t(spread.blocks) - kib) / 128 * 128;
  shape.shared = std::min(shape.shared, device.sharedPerBlock);
  allow(reinterpret_cast<const void *>(reader), shape);
  const size_t count = bytesPerSM * size_t(spread.sms) / sizeof(uint4);
  TimeOptions options;
  options.cache = cache;
  const std::vector<double> times = timer.time(
      "reading",
      [&] {
        launch(reader, shape, data.get(), count, sums.get(), places.get());
      },
      options);
  const size_t warps =
      size_t(shape.blocks) * size_t(shape.threads) / warpThreads;
  failure = compareSums(total(sums, warps), sumOfWords(count * 4));
  if (failure.empty())
    failure = checkPlaces(spread);
  return bandwidthOf(double(count * sizeof(uint4)), times,
                     timer.emptyKernel(cache));
}

void Bandwidth::measureInFlight() {
  double best = 0;
  for (int threads : {128, 256, 512, 1024}) {
    report.progress("read, blocks of " + std::to_string(threads));
    for (int blocks = 1;
         blocks * threads <= device.threadsPerSM && blocks <= 16; blocks *= 2)
      for (int loads : {1, 2, 4, 8}) {
        // 1024 threads with 8 vectors each take half of the registers.
        if (loads == 8 && blocks * threads > device.threadsPerSM / 2)
          continue;
        const int bytes = blocks * threads * loads * int(sizeof(uint4));
        std::string failure;
        const std::vector<double> rates =
            read({device.sms, blocks, threads, loads}, Cache::Clean, failure);
        best = std::max(
            best,
            report.add("read", "GB/s",
                       std::to_string(bytes / int(kib)) +
                           " KiB in flight an SM: " + std::to_string(blocks) +
                           " blocks x " + std::to_string(threads) +
                           " threads x " + std::to_string(loads) + " loads",
                       rates, believable, failure));
      }
  }
  report.setField("hbm_gbps", best);
}

void Bandwidth::measureSMs() {
  report.progress("read, by multiprocessors");
  std::vector<int> counts;
  for (int sms = 1; sms < 16; sms *= 2)
    counts.push_back(sms);
  for (int sms = 16; sms < device.sms; sms += 16)
    counts.push_back(sms);
  counts.push_back(device.sms);
  for (int sms : counts) {
    std::string failure;
    const std::vector<double> rates =
        read({sms, 1, 1024, 4}, Cache::Clean, failure);
    const double bandwidth = report.add(
        "read", "GB/s", std::to_string(sms) + " SMs, 64 KiB in flight each",
        rates, believable, failure);
    if (sms == 1)
      report.setField("sm_gbps", bandwidth);
  }
  std::string failure;
  const std::vector<double> rates =
      read({device.sms, 1, 1024, 4}, Cache::Dirty, failure);
  report.add("read behind a write of 256 MiB", "GB/s",
             std::to_string(device.sms) + " SMs, 64 KiB in flight each", rates,
             believable, failure);
}

void Bandwidth::copy(size_t bytes, Cache cache, const char *before) {
  const size_t half = bytes / 2 / sizeof(uint4);
  const Shape shape = {device.sms * 2, 1024};
  TimeOptions options;
  options.cache = cache;
  const std::string depends =
      std::to_string(bytes / mib) + " MiB read and written, " + before;
  const double empty = timer.emptyKernel(cache);
  auto add = [&](const std::string &name, const std::function<void()> &work) {
    check(cudaMemset(target.get(), 0, target.size() * sizeof(uint4)),
          "clearing the target of a copy");
    const std::vector<double> times = timer.time(name, work, options);
    launch(readBatches<1>, shape, target.get(), half, sums.get(), places.get());
    const size_t warps = size_t(shape.blocks) * 1024 / warpThreads;
    report.add(name, "GB/s", depends, bandwidthOf(double(bytes), times, empty),
               believableCopy,
               compareSums(total(sums, warps), sumOfWords(half * 4)));
  };
  add("copy by a kernel",
      [&] { launch(copyBatches<4>, shape, data.get(), half, target.get()); });
  add("copy by cudaMemcpy", [&] {
    check(cudaMemcpyAsync(target.get(), data.get(), half * sizeof(uint4),
                          cudaMemcpyDeviceToDevice),
          "copying on the device");
  });
}

void Bandwidth::measureCopies() {
  report.progress("copy");
  for (size_t bytes : {32 * mib, 128 * mib, 256 * mib, mostCopied}) {
    copy(bytes, Cache::Dirty, "behind a write of 256 MiB");
    copy(bytes, Cache::Clean, "behind a read of 256 MiB");
  }
}

void calibrate::measureBandwidth(const Device &device, Timer &timer,
                                 Report &report) {
  Bandwidth bandwidth(device, timer, report);
  bandwidth.measureInFlight();
  bandwidth.measureSMs();
  bandwidth.measureCopies();
}
