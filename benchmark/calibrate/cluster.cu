//===- cluster.cu - Between the blocks of a cluster -----------------------===//
//
// Latencies are cycles in the kernel, over a chain of which each link needs the
// one before. Four clusters run at once; each gives a sample a launch.
//
//===----------------------------------------------------------------------===//

#include "sections.h"

#include <functional>

using namespace calibrate;

static constexpr int clusters = 4;
static constexpr int rounds = 256;
/// The cluster whose latencies go into #cluster.target.
static constexpr int portable = 8;

namespace {
/// Cycles and the result of the chain, which shows that it ran as meant.
struct Sample {
  long long cycles;
  uint32_t result;
};
} // namespace

/// The number of the cluster in the grid.
static __device__ uint32_t clusterOfGrid() {
  return blockIdx.x / clusterSize();
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

enum class Window { Block, Cluster };

/// Rank 0 follows addresses through the shared memory of rank `peer`, itself
/// in the window of the block. The result is 1 if they lead back to the first.
template <Window window>
static __global__ void chaseShared(uint32_t peer, Sample *samples) {
  __shared__ uint32_t next[warpThreads];
  const uint32_t follower =
      sharedAddress(&next[(threadIdx.x + 1) % warpThreads]);
  next[threadIdx.x] =
      window == Window::Block ? follower : mapToRank(follower, clusterRank());
  clusterBarrier();
  if (clusterRank() == 0 && threadIdx.x == 0) {
    const uint32_t own = sharedAddress(&next[0]);
    const uint32_t first = window == Window::Block ? own : mapToRank(own, peer);
    uint32_t address = first;
    const long long begin = readClock();
#pragma unroll 8
    for (int i = 0; i < rounds; ++i)
      address =
          window == Window::Block ? loadShared(address) : loadCluster(address);
    const uint32_t result = address == first;
    samples[clusterOfGrid()] = {readClock() - begin, result};
  }
  clusterBarrier(); // no block ends while another reads its memory
}

//===----------------------------------------------------------------------===//
// Stores that complete on an mbarrier
//===----------------------------------------------------------------------===//

/// Rank 0 and rank `peer` send each other a number, one more each time:
/// st.async to the other, wait on the own mbarrier, load what came. The result
/// is 2 * rounds.
static __global__ void pingPong(uint32_t peer, Sample *samples) {
  __shared__ uint64_t barrier;
  __shared__ uint32_t slot;
  const uint32_t ownBarrier = sharedAddress(&barrier);
  const uint32_t ownSlot = sharedAddress(&slot);
  const uint32_t rank = clusterRank();
  if (threadIdx.x == 0) {
    initBarrier(ownBarrier);
    fenceBarrierInit();
  }
  clusterBarrier();
  if (threadIdx.x == 0 && (rank == 0 || rank == peer)) {
    const uint32_t other = rank == 0 ? peer : 0;
    const uint32_t barrierOfOther = mapToRank(ownBarrier, other);
    const uint32_t slotOfOther = mapToRank(ownSlot, other);
    uint32_t value = 0;
    bool came = true;
    const long long begin = readClock();
    if (rank == 0) {
#pragma unroll 1
      for (uint32_t i = 0; i < rounds && came; ++i) {
        storeAsync(slotOfOther, value, barrierOfOther);
        arriveExpect(ownBarrier, sizeof slot);
        came = waitBarrier(ownBarrier, i % 2);
        value = loadShared(ownSlot) + 1;
      }
      samples[clusterOfGrid()] = {readClock() - begin, value};
    } else {
      arriveExpect(ownBarrier, sizeof slot);
#pragma unroll 1
      for (uint32_t i = 0; i < rounds && came; ++i) {
        came = waitBarrier(ownBarrier, i % 2);
        value = loadShared(ownSlot) + 1;
        storeAsync(slotOfOther, value, barrierOfOther);
        if (i + 1 < rounds)
          arriveExpect(ownBarrier, sizeof slot);
      }
    }
  }
  clusterBarrier();
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

enum class Kind { Block, Relaxed, AcquireRelease };

/// All threads meet again and again. The result is the number of rounds.
template <Kind kind>
static __global__ void meet(uint32_t, Sample *samples) {
  clusterBarrier();
  uint32_t count = 0;
  const long long begin = readClock();
#pragma unroll 1
  for (int i = 0; i < rounds; ++i) {
    if (kind == Kind::Block) {
      __syncthreads();
    } else if (kind == Kind::Relaxed) {
      arriveRelaxed();
      waitAcquire();
    } else {
      clusterBarrier();
    }
    ++count;
  }
  const long long end = readClock();
  if (clusterRank() == 0 && threadIdx.x == 0)
    samples[clusterOfGrid()] = {end - begin, count};
}

//===----------------------------------------------------------------------===//
// Bandwidth
//===----------------------------------------------------------------------===//

static constexpr uint32_t tileBytes = 64 * 1024;
static constexpr int tileThreads = 1024;

/// Every block reads the tile of its neighbour `passes` times; each warp leaves
/// a sum. Word i of a tile is i.
static __global__ void __launch_bounds__(tileThreads)
    readNeighbour(int passes, uint32_t *sums) {
  extern __shared__ uint4 tile[];
  constexpr uint32_t step = tileThreads * uint32_t(sizeof(uint4));
  for (uint32_t i = threadIdx.x; i < tileBytes / sizeof(uint4);
       i += tileThreads)
    tile[i] = make_uint4(4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3);
  clusterBarrier();
  const uint32_t base =
      mapToRank(sharedAddress(tile), (clusterRank() + 1) % clusterSize());
  uint32_t offset = threadIdx.x * uint32_t(sizeof(uint4));
  uint32_t sum = 0;
#pragma unroll 1
  for (int pass = 0; pass < passes; ++pass) {
    uint4 values[tileBytes / step];
#pragma unroll
    for (uint32_t i = 0; i < tileBytes / step; ++i)
      values[i] = loadClusterVector(base + (offset + i * step) % tileBytes);
#pragma unroll
    for (uint32_t i = 0; i < tileBytes / step; ++i)
      sum += sumOf(values[i]);
    // The next warp's part, so that no pass repeats the addresses of another.
    offset += warpThreads * uint32_t(sizeof(uint4));
  }
  clusterBarrier();
  storeWarpSum(sums, sum);
}

//===----------------------------------------------------------------------===//
// The section
//===----------------------------------------------------------------------===//

namespace {
using Kernel = void (*)(uint32_t, Sample *);

class ClusterSection {
public:
  ClusterSection(const Device &device, Timer &timer, Report &report)
      : device(device), timer(timer), report(report) {}

  void measureLoads();
  void measureStores();
  void measureBarriers();
  void measureBandwidth();

private:
  /// Appends cycles / `parts` of each cluster and launch to `samples`. Returns
  /// a reason if a result is not `expected` or the cluster does not fit.
  std::string run(Kernel kernel, int cluster, int threads, uint32_t peer,
                  uint32_t expected, double parts,
                  std::vector<double> &samples);
  /// The same for each rank but 0 as the peer.
  std::string runPeers(Kernel kernel, int cluster, uint32_t expected,
                       double parts, std::vector<double> &samples);

  const Device &device;
  Timer &timer;
  Report &report;
  Buffer<Sample> results{clusters};
};
} // namespace

std::string ClusterSection::run(Kernel kernel, int cluster, int threads,
                                uint32_t peer, uint32_t expected, double parts,
                                std::vector<double> &samples) {
  constexpr int launches = 6; // of which the first does not count
  const Shape shape = {clusters * cluster, threads, cluster};
  if (clustersThatFit(reinterpret_cast<const void *>(kernel), shape) == 0)
    return "such a cluster does not fit";
  for (int i = 0; i < launches; ++i) {
    launch(kernel, shape, peer, results.get());
    const std::vector<Sample> values = results.read(clusters);
    for (const Sample &one : values) {
      if (one.result != expected)
        return "the chain ended with " + std::to_string(one.result) +
               " instead of " + std::to_string(expected);
      if (i > 0)
        samples.push_back(double(one.cycles) / parts);
    }
  }
  return "";
}

std::string ClusterSection::runPeers(Kernel kernel, int cluster,
                                     uint32_t expected, double parts,
                                     std::vector<double> &samples) {
  std::string failure;
  for (int peer = 1; peer < cluster && failure.empty(); ++peer)
    failure = run(kernel, cluster, warpThreads, uint32_t(peer), expected, parts,
                  samples);
  return failure;
}

void ClusterSection::measureLoads() {
  report.progress("loads");
  constexpr Bounds latency = {5, 2000};
  std::vector<double> own;
  std::string failure =
      run(chaseShared<Window::Block>, 1, warpThreads, 0, 1, rounds, own);
  report.setField("shared_latency",
                  report.add("load of shared memory", "cycles", "own block",
                             own, latency, failure));
  own.clear();
  failure =
      run(chaseShared<Window::Cluster>, 1, warpThreads, 0, 1, rounds, own);
  report.add("load through mapa", "cycles", "own block", own, latency, failure);
  std::vector<double> all;
  for (int cluster : device.clusterSizes()) {
    if (cluster == 1)
      continue;
    std::vector<double> samples;
    failure =
        runPeers(chaseShared<Window::Cluster>, cluster, 1, rounds, samples);
    report.add("load through mapa", "cycles",
               "another block, cluster " + std::to_string(cluster), samples,
               latency, failure);
    if (failure.empty())
      all.insert(all.end(), samples.begin(), samples.end());
  }
  report.setField("dsmem_latency", summarise(all).median);
}

void ClusterSection::measureStores() {
  report.progress("st.async");
  for (int cluster : device.clusterSizes()) {
    if (cluster == 1)
      continue;
    std::vector<double> samples;
    const std::string failure =
        runPeers(pingPong, cluster, 2 * rounds, 2 * rounds, samples);
    const double cycles = report.add(
        "st.async, mbarrier wait, load; one way", "cycles",
        "cluster " + std::to_string(cluster), samples, {20, 5000}, failure);
    if (cluster == portable)
      report.setField("store_async_cycles", cycles);
  }
}

void ClusterSection::measureBarriers() {
  constexpr Bounds latency = {5, 20000};
  constexpr int fewest = 128, most = 1024;
  constexpr double furtherWarps = (most - fewest) / double(warpThreads);
  double fewestOfBlock = 0, fewestOfCluster = 0;
  report.progress("barriers");
  for (int threads : {fewest, 512, most}) {
    const std::string ofThreads = std::to_string(threads) + " threads";
    std::vector<double> samples;
    std::string failure =
        run(meet<Kind::Block>, 1, threads, 0, rounds, rounds, samples);
    const double ofBlock = report.add("__syncthreads", "cycles", ofThreads,
                                      samples, latency, failure);
    if (threads == fewest) {
      report.setField("block_barrier_cycles", ofBlock);
      fewestOfBlock = ofBlock;
    } else if (threads == most && fewestOfBlock > 0 &&
               ofBlock > fewestOfBlock) {
      report.setField("block_barrier_slope",
                      (ofBlock - fewestOfBlock) / furtherWarps);
    }
    for (int cluster : device.clusterSizes()) {
      const std::string depends =
          ofThreads + ", cluster " + std::to_string(cluster);
      samples.clear();
      failure = run(meet<Kind::Relaxed>, cluster, threads, 0, rounds, rounds,
                    samples);
      const double relaxed =
          report.add("cluster barrier, arrive relaxed", "cycles", depends,
                     samples, latency, failure);
      samples.clear();
      failure = run(meet<Kind::AcquireRelease>, cluster, threads, 0, rounds,
                    rounds, samples);
      const double cycles =
          report.add("cluster barrier, release and acquire", "cycles", depends,
                     samples, latency, failure);
      if (threads == fewest && cluster == portable) {
        report.setField("relaxed_barrier_cycles", relaxed);
        report.setField("cluster_barrier_cycles", cycles);
        fewestOfCluster = cycles;
      } else if (threads == most && cluster == portable &&
                 fewestOfCluster > 0 && cycles > fewestOfCluster) {
        report.setField("cluster_barrier_slope",
                        (cycles - fewestOfCluster) / furtherWarps);
      }
    }
  }
}

void ClusterSection::measureBandwidth() {
  constexpr int passes = 64;
  const void *kernel = reinterpret_cast<const void *>(&readNeighbour);
  report.progress("bandwidth");
  for (int cluster : device.clusterSizes()) {
    Shape shape = {cluster, tileThreads, cluster, tileBytes};
    const int fit = clustersThatFit(kernel, shape);
    const std::string depends = "cluster " + std::to_string(cluster) + ", " +
                                std::to_string(fit * cluster) + " blocks of " +
                                std::to_string(tileThreads);
    if (fit == 0) {
      report.fail("read of a neighbour", "GB/s", depends,
                  "such a cluster does not fit");
      report.appendField("dsmem_gbps", 0);
      continue;
    }
    shape.blocks = fit * cluster;
    const size_t warps = size_t(shape.blocks) * tileThreads / warpThreads;
    Buffer<uint32_t> sums(warps);
    auto timesOf = [&](int count) {
      return timer.time(
          "reading a neighbour",
          [&] { launch(readNeighbour, shape, count, sums.get()); }, {});
    };
    const double without = summarise(timesOf(0)).median;
    const std::vector<double> times = timesOf(passes);
    uint32_t sum = 0, expected = 0;
    for (uint32_t value : sums.read(warps))
      sum += value;
    for (uint32_t i = 0; i < tileBytes / sizeof(uint32_t); ++i)
      expected += i;
    expected *= uint32_t(shape.blocks) * passes;
    const double bandwidth = report.add(
        cluster == 1 ? "read of the own block through mapa"
                     : "read of a neighbour",
        "GB/s", depends,
        bandwidthOf(double(shape.blocks) * passes * tileBytes, times, without),
        {100, 50000}, sum == expected ? "" : "what was read does not add up");
    if (cluster > 1)
      report.appendField("dsmem_gbps", bandwidth);
  }
}

void calibrate::measureCluster(const Device &device, Timer &timer,
                               Report &report) {
  ClusterSection section(device, timer, report);
  section.measureLoads();
  section.measureStores();
  section.measureBarriers();
  section.measureBandwidth();
}
