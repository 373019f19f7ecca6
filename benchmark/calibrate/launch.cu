//===- launch.cu - The empty kernel, and how fast blocks start ------------===//
//
// The rate of launching is a slope, (more - fewer blocks) / (their times'
// difference), so that what every launch takes cancels out.
//
//===----------------------------------------------------------------------===//

#include "sections.h"

using namespace calibrate;

static __global__ void empty() {}

/// The last block leaves the size of the grid.
static __global__ void countBlocks(uint32_t *count) {
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
    *count = gridDim.x;
}

/// Counts the blocks that are on the device at once: `now` of them, at most
/// `most`; each stays for `nanoseconds`.
static __global__ void countResidents(uint32_t *now, uint32_t *most,
                                      uint64_t nanoseconds) {
  if (threadIdx.x != 0)
    return;
  atomicMax(most, atomicAdd(now, 1u) + 1);
  const uint64_t start = globalTimer();
  while (globalTimer() - start < nanoseconds)
    ;
  atomicSub(now, 1u);
}

static void measureEmpty(const Device &device, Timer &timer, Report &report) {
  report.progress("empty kernel");
  struct Case {
    Cache cache;
    double delay;
    const char *depends;
  };
  const Case cases[] = {
      {Cache::Dirty, 0, "right behind a write of 256 MiB"},
      {Cache::Clean, 0, "right behind a read of 256 MiB"},
      {Cache::AsIs, 50, "behind one thread that waits"},
  };
  struct Grid {
    const char *name;
    Shape shape;
  };
  const Grid grids[] = {
      {"empty kernel, 1 block of 32", {1, 32}},
      {"empty kernel, a block of 1024 an SM", {device.sms, 1024}},
  };
  for (const Grid &grid : grids)
    for (const Case &one : cases) {
      TimeOptions options;
      options.cache = one.cache;
      options.delay = one.delay;
      const double time = report.add(
          grid.name, "us", one.depends,
          timer.time(
              grid.name, [&] { launch(empty, grid.shape); }, options),
          {0.5, 100});
      if (one.cache == Cache::Dirty && grid.shape.blocks == 1)
        report.setField("empty_kernel_ns", time * 1e3);
    }
}

static void measureRate(Timer &timer, Report &report, int threads,
                        int cluster) {
  constexpr int fewer = 4096, more = 32768;
  const std::string depends =
      std::to_string(threads) + " threads a block, " +
      (cluster == 1 ? "no cluster" : "cluster " + std::to_string(cluster));
  // Kernels of single blocks are launched without the attribute.
  Shape shape = {fewer, threads, cluster == 1 ? 0 : cluster};
  const void *kernel = reinterpret_cast<const void *>(&countBlocks);
  if (cluster > 1 && clustersThatFit(kernel, shape) == 0) {
    report.fail("blocks launched", "blocks/us", depends,
                "such a cluster does not fit");
    return;
  }
  Buffer<uint32_t> count(1);
  std::string failure;
  auto timesOf = [&](int blocks) {
    shape.blocks = blocks;
    TimeOptions options;
    std::vector<double> times = timer.time(
        "blocks of " + depends,
        [&] { launch(countBlocks, shape, count.get()); }, options);
    if (count.read(1)[0] != uint32_t(blocks))
      failure = "the last block did not run";
    return times;
  };
  const double base = summarise(timesOf(fewer)).median;
  std::vector<double> rates;
  for (double time : timesOf(more))
    rates.push_back(time > base ? (more - fewer) / (time - base) : 0);
  const double rate = report.add("blocks launched", "blocks/us", depends, rates,
                                 {1, 1e4}, failure);
  if (threads == 128 && cluster == 1)
    report.setField("blocks_per_us", rate);
}

/// Blocks of full shared memory that are on the device at once.
static void measureResidency(const Device &device, Report &report,
                             int cluster) {
  constexpr uint64_t stay = 50000; // nanoseconds
  const std::string depends = std::to_string(device.sharedPerBlock) +
                              " bytes a block, cluster " +
                              std::to_string(cluster);
  const void *kernel = reinterpret_cast<const void *>(&countResidents);
  Shape shape = {cluster, warpThreads, cluster, device.sharedPerBlock};
  const int said = clustersThatFit(kernel, shape) * cluster;
  shape.blocks = (2 * device.sms + cluster - 1) / cluster * cluster;
  std::vector<double> counts;
  for (int i = 0; said > 0 && i < 15; ++i) {
    Buffer<uint32_t> now(1), most(1);
    launch(countResidents, shape, now.get(), most.get(), stay);
    counts.push_back(double(most.read(1)[0]));
  }
  const double fit = report.add("blocks at once", "blocks", depends, counts,
                                {cluster - 0.5, device.sms + 0.5},
                                said > 0 ? "" : "such a cluster does not fit");
  report.appendField("residency", fit);
  report.add("blocks at once, as the driver says", "blocks", depends,
             {double(said)}, {0, device.sms + 0.5});
}

void calibrate::measureLaunch(const Device &device, Timer &timer,
                              Report &report) {
  measureEmpty(device, timer, report);
  for (int cluster : device.clusterSizes()) {
    report.progress("launch rate, cluster " + std::to_string(cluster));
    for (int threads : {32, 128, 256, 512, 1024})
      measureRate(timer, report, threads, cluster);
  }
  report.progress("blocks at once");
  for (int cluster : device.clusterSizes())
    measureResidency(device, report, cluster);
}
