//===- TargetAttr.cpp - Descriptions of GPUs with clusters ----------------===//

#include "cascade/Dialect/Cluster/IR/Cluster.h"

using namespace mlir;
using namespace cascade::cluster;

LogicalResult
TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef name,
                   int32_t sms, int32_t portableCluster, int32_t maxCluster,
                   int64_t sharedPerBlock, int64_t registersPerSM,
                   int64_t threadsPerSM, int64_t l2Bytes, int64_t clockKHz,
                   int64_t hbmGBps, int64_t dsmemGBps, int32_t sharedLatency,
                   int32_t dsmemLatency, int32_t clusterBarrierCycles,
                   ArrayRef<int32_t> residency, ArrayRef<int32_t> mailboxCycles,
                   ArrayRef<int32_t> treeCycles) {
  if (sms <= 0 || sharedPerBlock <= 0 || registersPerSM <= 0 ||
      threadsPerSM <= 0 || clockKHz <= 0 || hbmGBps <= 0)
    return emitError() << "the sizes and rates of target '" << name
                       << "' must be positive";
  if (portableCluster < 1 || portableCluster > maxCluster ||
      maxCluster > kMaxClusterSize)
    return emitError() << "target '" << name
                       << "' needs 1 <= portable_cluster <= max_cluster <= "
                       << kMaxClusterSize;
  // One entry a power of two from 1, respectively from 2, to the maximum.
  size_t sizes = llvm::Log2_32(maxCluster) + 1;
  if (residency.size() != sizes)
    return emitError() << "'residency' of target '" << name << "' has "
                       << residency.size() << " entries; give " << sizes
                       << ", one for each power of two up to max_cluster";
  if (mailboxCycles.size() != sizes - 1 || treeCycles.size() != sizes - 1)
    return emitError() << "'mailbox_cycles' and 'tree_cycles' of target '"
                       << name << "' need " << sizes - 1
                       << " entries, one for each power of two from 2 up to "
                          "max_cluster";
  return success();
}

/// Measured on one H200 by benchmark/calibrate (docs/Calibration.md). The rate
/// of the memory is what row kernels reach at best, not the best read.
static TargetAttr getH200(MLIRContext *context, StringRef name, int64_t l2Bytes,
                          int64_t hbmGBps) {
  return TargetAttr::get(
      context, name, /*sms=*/132, /*portable_cluster=*/8, /*max_cluster=*/16,
      /*shared_per_block=*/232448, /*registers_per_sm=*/65536,
      /*threads_per_sm=*/2048, l2Bytes, /*clock_khz=*/1980000, hbmGBps,
      /*dsmem_gbps=*/4127, /*shared_latency=*/23, /*dsmem_latency=*/206,
      /*cluster_barrier_cycles=*/388,
      /*residency=*/{132, 132, 120, 120, 112},
      /*mailbox_cycles=*/{466, 538, 580, 677},
      /*tree_cycles=*/{667, 1308, 1933, 2542});
}

TargetAttr TargetAttr::getPreset(MLIRContext *context, StringRef name) {
  constexpr int64_t kMiB = int64_t(1) << 20;
  if (name == "h200")
    return getH200(context, name, 60 * kMiB, 4400);
  // The same SM with HBM3: 3.35 TB/s nominal, of which about 90 % is reached.
  if (name == "h100")
    return getH200(context, name, 50 * kMiB, 3000);
  return {};
}
