//===- ptx.h - Instructions that CUDA C++ has no words for ----------------===//
//
// Loads with a cache policy, clusters, mbarriers, st.async and bulk copies.
// Addresses of shared memory are 32-bit, in the window shared::cta or, after
// mapa, shared::cluster.
//
//===----------------------------------------------------------------------===//

#ifndef CALIBRATE_PTX_H
#define CALIBRATE_PTX_H

#include <cuda_runtime.h>

#include <cstdint>

namespace calibrate {

//===----------------------------------------------------------------------===//
// Loads, sums, clocks
//===----------------------------------------------------------------------===//

/// Loads without leaving a line in the L1 cache.
inline __device__ uint4 loadOnce(const uint4 *address) {
  uint4 v;
  asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(__cvta_generic_to_global(address)));
  return v;
}

/// Loads from the L2 cache, past the L1 cache.
inline __device__ uint4 loadL2(const uint4 *address) {
  uint4 v;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(__cvta_generic_to_global(address)));
  return v;
}

/// Loads a word from the L2 cache, past the L1 cache.
inline __device__ uint32_t loadL2(const uint32_t *address) {
  uint32_t v;
  asm volatile("ld.global.cg.u32 %0, [%1];"
               : "=r"(v)
               : "l"(__cvta_generic_to_global(address)));
  return v;
}

inline __device__ uint32_t sumOf(uint4 v) { return v.x + v.y + v.z + v.w; }

/// Stores the sum over the warp to `sums`, at the number of the warp in the
/// grid. Blocks are whole warps.
inline __device__ void storeWarpSum(uint32_t *sums, uint32_t sum) {
  sum = __reduce_add_sync(0xffffffffu, sum);
  if (threadIdx.x % 32 == 0)
    sums[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = sum;
}

/// The clock of the multiprocessor; ordered with all memory accesses.
inline __device__ long long readClock() {
  long long ticks;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(ticks) : : "memory");
  return ticks;
}

/// Nanoseconds; it advances in steps of about a microsecond.
inline __device__ uint64_t globalTimer() {
  uint64_t time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time) : : "memory");
  return time;
}

/// The number of the multiprocessor.
inline __device__ uint32_t multiprocessor() {
  uint32_t number;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  return number;
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

inline __device__ uint32_t clusterRank() {
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

inline __device__ uint32_t clusterSize() {
  uint32_t size;
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  return size;
}

inline __device__ void arriveRelease() {
  asm volatile("barrier.cluster.arrive.release;" : : : "memory");
}
inline __device__ void arriveRelaxed() {
  asm volatile("barrier.cluster.arrive.relaxed;" : : : "memory");
}
inline __device__ void waitAcquire() {
  asm volatile("barrier.cluster.wait.acquire;" : : : "memory");
}
inline __device__ void clusterBarrier() {
  arriveRelease();
  waitAcquire();
}

inline __device__ uint32_t sharedAddress(const void *pointer) {
  return uint32_t(__cvta_generic_to_shared(pointer));
}

/// The address in block `rank` of what `address` is in this block.
inline __device__ uint32_t mapToRank(uint32_t address, uint32_t rank) {
  uint32_t mapped;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(mapped)
               : "r"(address), "r"(rank));
  return mapped;
}

inline __device__ uint32_t loadShared(uint32_t address) {
  uint32_t v;
  asm volatile("ld.shared::cta.u32 %0, [%1];"
               : "=r"(v)
               : "r"(address)
               : "memory");
  return v;
}

inline __device__ uint32_t loadCluster(uint32_t address) {
  uint32_t v;
  asm volatile("ld.shared::cluster.u32 %0, [%1];"
               : "=r"(v)
               : "r"(address)
               : "memory");
  return v;
}

inline __device__ uint4 loadClusterVector(uint32_t address) {
  uint4 v;
  asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"(address)
               : "memory");
  return v;
}

//===----------------------------------------------------------------------===//
// Mbarriers and what completes on them
//===----------------------------------------------------------------------===//

/// A barrier that one arrival and the bytes that it expects complete.
inline __device__ void initBarrier(uint32_t barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;"
               :
               : "r"(barrier)
               : "memory");
}

/// Makes initialised barriers visible to the cluster and to bulk copies.
inline __device__ void fenceBarrierInit() {
  asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
}

/// Orders accesses of this thread before asynchronous ones to shared memory.
inline __device__ void fenceAsync() {
  asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
}

inline __device__ void arriveExpect(uint32_t barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(barrier), "r"(bytes)
               : "memory");
}

/// Waits for the phase of `parity`; false if it did not complete in many tries,
/// so that an error ends the program instead of hanging it.
inline __device__ bool waitBarrier(uint32_t barrier, uint32_t parity) {
  constexpr int mostTries = 1 << 14;
#pragma unroll 1
  for (int i = 0; i < mostTries; ++i) {
    uint32_t complete;
    asm volatile(
        "{\n"
        ".reg .pred complete;\n"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 complete, "
        "[%1], %2;\n"
        "selp.u32 %0, 1, 0, complete;\n"
        "}"
        : "=r"(complete)
        : "r"(barrier), "r"(parity)
        : "memory");
    if (complete)
      return true;
  }
  return false;
}

/// Stores `value` to a block of the cluster and completes 4 bytes on the
/// barrier of the same block.
inline __device__ void storeAsync(uint32_t address, uint32_t value,
                                  uint32_t barrier) {
  asm volatile(
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, "
      "[%2];"
      :
      : "r"(address), "r"(value), "r"(barrier)
      : "memory");
}

/// Copies `bytes`, a multiple of 16, from global memory to this block.
inline __device__ void copyBulk(uint32_t to, const void *from, uint32_t bytes,
                                uint32_t barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
               "bytes [%0], [%1], %2, [%3];"
               :
               : "r"(to), "l"(__cvta_generic_to_global(from)), "r"(bytes),
                 "r"(barrier)
               : "memory");
}

} // namespace calibrate

#endif // CALIBRATE_PTX_H
