//===- allreduce.cu - Sums over a cluster, which all its blocks get -------===//
//
// One f32 of each block, the same in all of its 128 threads; the sum goes into
// the next round. Mailbox: every rank stores to slot [own rank] of every rank,
// itself included, by st.async, and waits on one mbarrier. Tree: log2(size)
// rounds of a store to the own shared memory, a cluster barrier, and a load
// from rank xor 2^round.
//
//===----------------------------------------------------------------------===//

#include "sections.h"

#include <cmath>

using namespace calibrate;

static constexpr int threads = 128;
static constexpr int clusters = 4;
static constexpr int rounds = 128;
static constexpr int mostRanks = 16;

namespace {
/// Cycles, and the value after all rounds.
struct Sample {
  long long cycles;
  float value;
};
} // namespace

/// What rank `rank` puts in at first; small integers add up exactly.
static __host__ __device__ float firstValue(uint32_t rank) {
  return float(rank + 1);
}

/// Rounds take two mailboxes in turn, each with a barrier: a rank may be one
/// round ahead of another.
static __global__ void __launch_bounds__(threads)
    reduceByMailbox(float scale, Sample *samples) {
  __shared__ uint64_t barriers[2];
  __shared__ float slots[2][mostRanks];
  const uint32_t rank = clusterRank(), size = clusterSize();
  const uint32_t bytes = size * uint32_t(sizeof(float));
  if (threadIdx.x == 0) {
    for (uint64_t &barrier : barriers)
      initBarrier(sharedAddress(&barrier));
    fenceBarrierInit();
    for (uint64_t &barrier : barriers)
      arriveExpect(sharedAddress(&barrier), bytes);
  }
  clusterBarrier();
  float value = firstValue(rank);
  bool came = true;
  const long long begin = readClock();
#pragma unroll 1
  for (uint32_t i = 0; i < rounds; ++i) {
    const uint32_t box = i % 2;
    const uint32_t barrier = sharedAddress(&barriers[box]);
    __syncthreads(); // all threads have read what the round before left
    if (threadIdx.x < size)
      storeAsync(mapToRank(sharedAddress(&slots[box][rank]), threadIdx.x),
                 __float_as_uint(value), mapToRank(barrier, threadIdx.x));
    if (came)
      came = waitBarrier(barrier, i / 2 % 2);
    if (threadIdx.x == 0 && i + 2 < rounds)
      arriveExpect(barrier, bytes);
    float sum = 0;
    for (uint32_t other = 0; other < size; ++other)
      sum += __uint_as_float(loadShared(sharedAddress(&slots[box][other])));
    value = sum * scale;
  }
  const long long end = readClock();
  if (rank == 0 && threadIdx.x == 0)
    samples[blockIdx.x / size] = {end - begin, came ? value : -1};
  clusterBarrier();
}

static __global__ void __launch_bounds__(threads)
    reduceByTree(float scale, Sample *samples) {
  __shared__ float slots[2];
  const uint32_t rank = clusterRank(), size = clusterSize();
  uint32_t turn = 0;
  clusterBarrier();
  float value = firstValue(rank);
  const long long begin = readClock();
#pragma unroll 1
  for (uint32_t i = 0; i < rounds; ++i) {
    float sum = value;
#pragma unroll 1
    for (uint32_t bit = 1; bit < size; bit *= 2) {
      const uint32_t slot = sharedAddress(&slots[turn]);
      if (threadIdx.x == 0)
        slots[turn] = sum;
      clusterBarrier();
      sum += __uint_as_float(loadCluster(mapToRank(slot, rank ^ bit)));
      turn ^= 1;
    }
    value = sum * scale;
  }
  const long long end = readClock();
  if (rank == 0 && threadIdx.x == 0)
    samples[blockIdx.x / size] = {end - begin, value};
  clusterBarrier();
}

/// Adds the line of one kernel and its entry in the list `field`.
static void measure(void (*kernel)(float, Sample *), int cluster,
                    const std::string &name, const std::string &field,
                    Report &report) {
  constexpr int launches = 6; // of which the first does not count
  const Shape shape = {clusters * cluster, threads, cluster};
  const std::string depends =
      "cluster " + std::to_string(cluster) + ", 128 threads";
  if (clustersThatFit(reinterpret_cast<const void *>(kernel), shape) == 0) {
    report.fail(name, "cycles", depends, "such a cluster does not fit");
    report.appendField(field, 0);
    return;
  }
  // The mean: from the second round on all ranks have it, and it stays.
  float expected = 0;
  for (int rank = 0; rank < cluster; ++rank)
    expected += firstValue(uint32_t(rank)) / float(cluster);
  Buffer<Sample> results(clusters);
  std::vector<double> samples;
  std::string failure;
  for (int i = 0; i < launches; ++i) {
    launch(kernel, shape, 1.0f / float(cluster), results.get());
    for (const Sample &one : results.read(clusters)) {
      if (!(std::fabs(one.value - expected) < 1e-3f))
        failure = "the result is " + std::to_string(one.value) +
                  " instead of " + std::to_string(expected);
      if (i > 0)
        samples.push_back(double(one.cycles) / rounds);
    }
  }
  report.appendField(field, report.add(name, "cycles", depends, samples,
                                       {20, 20000}, failure));
}

void calibrate::measureAllReduce(const Device &device, Timer &,
                                 Report &report) {
  report.progress("mailbox and tree");
  for (int cluster : device.clusterSizes()) {
    if (cluster == 1)
      continue;
    measure(reduceByMailbox, cluster, "all-reduce of an f32, mailbox",
            "mailbox_cycles", report);
    measure(reduceByTree, cluster, "all-reduce of an f32, tree", "tree_cycles",
            report);
  }
}
