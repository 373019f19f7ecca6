//===- issue.cu - Rates of instructions, and the clock --------------------===//
//
// Every thread runs eight chains side by side, one block an SM, on all SMs at
// once. A rate is threads x operations / cycles between two barriers of the
// block: lanes a cycle of one SM.
//
//===----------------------------------------------------------------------===//

#include "sections.h"

#include <set>

using namespace calibrate;

static constexpr int chains = 8;
static constexpr int unroll = 8;
static constexpr int turns = 64;

namespace {
/// Cycles of a block and the multiprocessor it ran on.
struct Sample {
  long long cycles;
  uint32_t place;
};
} // namespace

//===----------------------------------------------------------------------===//
// One step of all chains
//===----------------------------------------------------------------------===//
// Assembly, so that the compiler neither folds steps nor drops them. `count` is
// the number of operations of a step for each chain.

namespace {
struct Exponential {
  static constexpr int count = 1;
  static __device__ void step(uint32_t (&x)[chains]) {
#pragma unroll
    for (int i = 0; i < chains; ++i) {
      float f = __uint_as_float(x[i]);
      asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(f));
      x[i] = __float_as_uint(f);
    }
  }
};

struct MultiplyAdd {
  static constexpr int count = 1;
  static __device__ void step(uint32_t (&x)[chains]) {
#pragma unroll
    for (int i = 0; i < chains; ++i) {
      float f = __uint_as_float(x[i]);
      asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(f));
      x[i] = __float_as_uint(f);
    }
  }
};

struct IntegerAdd {
  static constexpr int count = 1;
  static __device__ void step(uint32_t (&x)[chains]) {
#pragma unroll
    for (int i = 0; i < chains; ++i)
      asm volatile("add.u32 %0, %0, %1;"
                   : "+r"(x[i])
                   : "r"(x[(i + 1) % chains]));
  }
};

/// Chains that multiply and chains that add, half of each.
struct FloatAndInteger {
  static constexpr int count = 1;
  static __device__ void step(uint32_t (&x)[chains]) {
#pragma unroll
    for (int i = 0; i < chains; i += 2) {
      float f = __uint_as_float(x[i]);
      asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(f));
      x[i] = __float_as_uint(f);
      asm volatile("add.u32 %0, %0, %1;"
                   : "+r"(x[i + 1])
                   : "r"(x[(i + 3) % chains]));
    }
  }
};

struct Maximum {
  static constexpr int count = 1;
  static __device__ void step(uint32_t (&x)[chains]) {
#pragma unroll
    for (int i = 0; i < chains; ++i) {
      float f = __uint_as_float(x[i]);
      asm volatile("max.f32 %0, %0, %1;"
                   : "+f"(f)
                   : "f"(__uint_as_float(x[(i + 1) % chains])));
      x[i] = __float_as_uint(f);
    }
  }
};

struct Shuffle {
  static constexpr int count = 1;
  static __device__ void step(uint32_t (&x)[chains]) {
#pragma unroll
    for (int i = 0; i < chains; ++i)
      asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, 0xffffffff;"
                   : "+r"(x[i]));
  }
};

struct Redux {
  static constexpr int count = 1;
  static __device__ void step(uint32_t (&x)[chains]) {
#pragma unroll
    for (int i = 0; i < chains; ++i)
      asm volatile("redux.sync.add.u32 %0, %0, 0xffffffff;" : "+r"(x[i]));
  }
};

/// From bf16 to f32, and added: the conversion alone is a move of bits, which
/// the assembler would fold.
struct Widen {
  static constexpr int count = 1;
  static __device__ void step(uint32_t (&x)[chains]) {
#pragma unroll
    for (int i = 0; i < chains; ++i)
      asm volatile("{\n"
                   ".reg .b16 low, high;\n"
                   ".reg .f32 wide, sum;\n"
                   "mov.b32 {low, high}, %0;\n"
                   "cvt.f32.bf16 wide, low;\n"
                   "mov.b32 sum, %0;\n"
                   "add.f32 sum, sum, wide;\n"
                   "mov.b32 %0, sum;\n"
                   "}"
                   : "+r"(x[i]));
  }
};

/// From two f32 to two bf16 in one instruction.
struct Narrow {
  static constexpr int count = 2;
  static __device__ void step(uint32_t (&x)[chains]) {
#pragma unroll
    for (int i = 0; i < chains; ++i)
      asm volatile("cvt.rn.bf16x2.f32 %0, %1, %2;"
                   : "=r"(x[i])
                   : "f"(__uint_as_float(x[i])),
                     "f"(__uint_as_float(x[(i + 1) % chains])));
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

template <typename Operation>
static __global__ void __launch_bounds__(1024)
    repeatSteps(int turns, uint32_t *results, Sample *samples) {
  uint32_t x[chains];
#pragma unroll
  for (int i = 0; i < chains; ++i) // near 1 as f32
    x[i] = __float_as_uint(1.0f + float(i) / 16) + threadIdx.x;
  __syncthreads();
  const long long begin = readClock();
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn)
#pragma unroll
    for (int i = 0; i < unroll; ++i)
      Operation::step(x);
  uint32_t sum = 0;
#pragma unroll
  for (int i = 0; i < chains; ++i)
    sum ^= x[i];
  results[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0)
    samples[blockIdx.x] = {readClock() - begin, multiprocessor()};
}

static constexpr int tileBytes = 32 * 1024;

/// 16-byte loads from shared memory, eight of a turn independent of each other;
/// results are the sums of what was read, all words being 1.
static __global__ void __launch_bounds__(1024)
    repeatLoads(int turns, uint32_t *results, Sample *samples) {
  __shared__ uint4 tile[tileBytes / sizeof(uint4)];
  constexpr uint32_t rows = 16 * 1024, row = warpThreads * sizeof(uint4);
  for (uint32_t i = threadIdx.x; i < tileBytes / sizeof(uint4); i += blockDim.x)
    tile[i] = make_uint4(1, 1, 1, 1);
  const uint32_t base = sharedAddress(tile);
  uint32_t offset = threadIdx.x * uint32_t(sizeof(uint4)) % rows;
  uint32_t sum = 0;
  __syncthreads();
  const long long begin = readClock();
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
    uint4 values[chains];
#pragma unroll
    for (int i = 0; i < chains; ++i)
      asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(values[i].x), "=r"(values[i].y), "=r"(values[i].z),
                     "=r"(values[i].w)
                   : "r"(base + offset + uint32_t(i) * (rows / chains)));
#pragma unroll
    for (int i = 0; i < chains; ++i)
      sum += sumOf(values[i]);
    offset = (offset + row) % rows;
  }
  results[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0)
    samples[blockIdx.x] = {readClock() - begin, multiprocessor()};
}

//===----------------------------------------------------------------------===//
// The section
//===----------------------------------------------------------------------===//

using Kernel = void (*)(int, uint32_t *, Sample *);

namespace {
class Issue {
public:
  Issue(const Device &device, Timer &timer, Report &report)
      : device(device), timer(timer), report(report),
        results(size_t(device.sms) * 1024), samples(size_t(device.sms)) {}

  /// Adds the rate of `kernel`, which executes `operations` in each thread and
  /// turn. Lanes of `bytes` bytes, if not 0, are added up to a rate of bytes.
  void measureRate(const std::string &name, Kernel kernel, int turns,
                   int operations, int bytes = 0);
  void measureClock();

private:
  /// Shared memory that keeps a second block from a multiprocessor.
  Shape shapeOf(Kernel kernel, int threads) const;
  std::string checkResults(Kernel kernel, int threads, int turns);

  const Device &device;
  Timer &timer;
  Report &report;
  Buffer<uint32_t> results;
  Buffer<Sample> samples;
};
} // namespace

Shape Issue::shapeOf(Kernel kernel, int threads) const {
  Shape shape = {device.sms, threads, 0, 128 * kib};
  allow(reinterpret_cast<const void *>(kernel), shape);
  return shape;
}

/// Every block had an SM of its own; loads read what was there.
std::string Issue::checkResults(Kernel kernel, int threads, int turns) {
  std::set<uint32_t> places;
  for (const Sample &one : samples.read(samples.size()))
    places.insert(one.place);
  if (places.size() != samples.size())
    return "the blocks ran on " + std::to_string(places.size()) +
           " multiprocessors instead of " + std::to_string(samples.size());
  if (kernel != Kernel(repeatLoads))
    return "";
  const uint32_t expected = uint32_t(turns) * chains * 4;
  for (uint32_t sum : results.read(size_t(device.sms) * size_t(threads)))
    if (sum != expected)
      return "the sum of what was loaded is " + std::to_string(sum) +
             " instead of " + std::to_string(expected);
  return "";
}

void Issue::measureRate(const std::string &name, Kernel kernel, int turns,
                        int operations, int bytes) {
  report.progress(name);
  constexpr int launches = 4; // of which the first does not count
  for (int threads : {128, 256, 512, 1024}) {
    const Shape shape = shapeOf(kernel, threads);
    std::vector<double> lanes;
    std::string failure;
    for (int i = 0; i < launches; ++i) {
      launch(kernel, shape, turns, results.get(), samples.get());
      const std::vector<Sample> values = samples.read(samples.size());
      for (const Sample &one : values)
        if (i > 0 && one.cycles > 0)
          lanes.push_back(double(threads) * turns * operations *
                          (bytes > 0 ? bytes : 1) / double(one.cycles));
    }
    failure = checkResults(kernel, threads, turns);
    report.add(name, bytes > 0 ? "bytes/clock/SM" : "lanes/clock/SM",
               std::to_string(threads / warpThreads) + " warps an SM", lanes,
               {0.1, bytes > 0 ? 256.0 : 300.0}, failure);
  }
}

/// Cycles of a long kernel over its time, all multiprocessors at work.
void Issue::measureClock() {
  report.progress("clock");
  constexpr int longer = 64;
  const Kernel kernel = repeatSteps<MultiplyAdd>;
  const Shape shape = shapeOf(kernel, 1024);
  // The cycles of the run that was timed: one run a measurement.
  std::vector<double> clocks;
  for (int i = 0; i < 15; ++i) {
    TimeOptions options;
    options.repeat = 1;
    const double time = timer.time(
                            "multiplications",
                            [&] {
                              launch(kernel, shape, longer * turns,
                                     results.get(), samples.get());
                            },
                            options)[0] -
                        timer.emptyKernel(options.cache);
    double cycles = 0;
    for (const Sample &one : samples.read(samples.size()))
      cycles += double(one.cycles) / double(samples.size());
    clocks.push_back(cycles / time); // in MHz
  }
  const double clock =
      report.add("clock", "MHz", "FFMA on all SMs", clocks, {300, 4000});
  report.setField("clock_khz", clock * 1e3);
}

void calibrate::measureIssue(const Device &device, Timer &timer,
                             Report &report) {
  Issue issue(device, timer, report);
  issue.measureClock();
  auto measure = [&](const std::string &name, Kernel kernel, int count) {
    issue.measureRate(name, kernel, turns, chains * unroll * count);
  };
  measure("ex2.approx.ftz.f32", repeatSteps<Exponential>, Exponential::count);
  measure("FFMA", repeatSteps<MultiplyAdd>, MultiplyAdd::count);
  measure("IADD", repeatSteps<IntegerAdd>, IntegerAdd::count);
  measure("FFMA and IADD in turn", repeatSteps<FloatAndInteger>,
          FloatAndInteger::count);
  measure("max.f32", repeatSteps<Maximum>, Maximum::count);
  measure("shfl.bfly", repeatSteps<Shuffle>, Shuffle::count);
  measure("redux.add.u32", repeatSteps<Redux>, Redux::count);
  measure("cvt bf16 to f32, with an add", repeatSteps<Widen>, Widen::count);
  measure("cvt f32 to bf16, in pairs", repeatSteps<Narrow>, Narrow::count);
  issue.measureRate("LDS.128", repeatLoads, turns * unroll, chains,
                    int(sizeof(uint4)));
}
