//===- TargetConstants.cpp - The fields of a target and the presets -------===//

#include "cascade/Dialect/Cluster/IR/TargetConstants.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace cascade::cluster;

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

using T = TargetConstants;

/// In the order in which they are printed.
static constexpr TargetScalar scalars[] = {
    {"sms", &T::sms},
    {"portable_cluster", &T::portableCluster},
    {"max_cluster", &T::maxCluster},
    {"shared_per_block", &T::sharedPerBlock},
    {"shared_per_sm", &T::sharedPerSm},
    {"shared_reserved", &T::sharedReserved},
    {"registers_per_sm", &T::registersPerSm},
    {"registers_per_thread", &T::registersPerThread},
    {"threads_per_sm", &T::threadsPerSm},
    {"blocks_per_sm", &T::blocksPerSm},
    {"schedulers_per_sm", &T::schedulersPerSm},
    {"l2_bytes", &T::l2Bytes},
    {"l2_usable_bytes", &T::l2UsableBytes},
    {"clock_khz", &T::clockKhz},
    {"hbm_gbps", &T::hbmGbps},
    {"sm_gbps", &T::smGbps},
    {"l2_gbps", &T::l2Gbps},
    {"bulk_bytes_per_cycle", &T::bulkBytesPerCycle},
    {"blocks_per_us", &T::blocksPerUs},
    {"empty_kernel_ns", &T::emptyKernelNs},
    {"shared_latency", &T::sharedLatency},
    {"dsmem_latency", &T::dsmemLatency},
    {"l2_latency", &T::l2Latency},
    {"memory_latency", &T::memoryLatency},
    {"store_async_cycles", &T::storeAsyncCycles},
    {"bulk_cycles", &T::bulkCycles},
    {"block_barrier_cycles", &T::blockBarrierCycles},
    {"block_barrier_slope", &T::blockBarrierSlope},
    {"cluster_barrier_cycles", &T::clusterBarrierCycles},
    {"cluster_barrier_slope", &T::clusterBarrierSlope},
    {"relaxed_barrier_cycles", &T::relaxedBarrierCycles},
    {"lane_merge_cycles", &T::laneMergeCycles},
    {"warp_merge_cycles", &T::warpMergeCycles},
    {"warp_merge_slope", &T::warpMergeSlope},
    {"block_merge_cycles", &T::blockMergeCycles},
    {"block_merge_slope", &T::blockMergeSlope},
    {"grid_merge_cycles", &T::gridMergeCycles},
    {"grid_merge_slope", &T::gridMergeSlope},
    {"lane_round_cycles", &T::laneRoundCycles},
    {"lane_word_cycles", &T::laneWordCycles},
    {"warp_buffer_cycles", &T::warpBufferCycles},
    {"word_merge_cycles", &T::wordMergeCycles},
    {"scattered_merge_cycles", &T::scatteredMergeCycles},
    {"send_millicycles", &T::sendMillicycles},
    {"receive_millicycles", &T::receiveMillicycles},
    {"next_message_cycles", &T::nextMessageCycles},
    {"packet_bytes_per_kcycle", &T::packetBytesPerKcycle},
    {"one_sided_cycles", &T::oneSidedCycles},
    {"ring_hop_cycles", &T::ringHopCycles},
    {"tree_hop_cycles", &T::treeHopCycles},
    {"close_barrier_cycles", &T::closeBarrierCycles},
    {"slice_barrier_cycles", &T::sliceBarrierCycles},
    {"remote_word_cycles", &T::remoteWordCycles},
    {"remote_tuple_bytes_per_kcycle", &T::remoteTupleBytesPerKcycle},
    {"global_word_cycles", &T::globalWordCycles},
    {"global_store_millicycles", &T::globalStoreMillicycles},
    {"global_load_millicycles", &T::globalLoadMillicycles},
    {"remote_turn_cycles", &T::remoteTurnCycles},
    {"remote_peer_cycles", &T::remotePeerCycles},
    {"remote_read_bytes_per_kcycle", &T::remoteReadBytesPerKcycle},
    {"remote_lone_bytes_per_kcycle", &T::remoteLoneBytesPerKcycle},
    {"copy_cycles", &T::copyCycles},
    {"copy_next_cycles", &T::copyNextCycles},
    {"copy_hop_cycles", &T::copyHopCycles},
    {"copy_send_bytes_per_kcycle", &T::copySendBytesPerKcycle},
    {"copy_receive_bytes_per_kcycle", &T::copyReceiveBytesPerKcycle},
};

static constexpr TargetList lists[] = {
    {"residency", &T::residency, 0},
    {"dsmem_gbps", &T::dsmemGbps, 1},
    {"copy_to_all_bytes_per_kcycle", &T::copyToAllBytesPerKcycle, 1},
    {"mailbox_cycles", &T::mailboxCycles, 1},
    {"tree_cycles", &T::treeCycles, 1},
};

llvm::ArrayRef<TargetScalar> cascade::cluster::getTargetScalars() {
  return scalars;
}

llvm::ArrayRef<TargetList> cascade::cluster::getTargetLists() { return lists; }

int64_t TargetConstants::at(const ByClusterSize &list, int64_t blocks) {
  unsigned step = llvm::Log2_64_Ceil(uint64_t(std::max<int64_t>(blocks, 1)));
  return list[std::min<size_t>(step, list.size() - 1)];
}

bool cascade::cluster::operator==(const TargetConstants &lhs,
                                  const TargetConstants &rhs) {
  return llvm::all_of(scalars,
                      [&](const TargetScalar &field) {
                        return lhs.*field.member == rhs.*field.member;
                      }) &&
         llvm::all_of(lists, [&](const TargetList &field) {
           return lhs.*field.member == rhs.*field.member;
         });
}

llvm::hash_code cascade::cluster::hash_value(const TargetConstants &constants) {
  llvm::hash_code hash(0);
  for (const TargetScalar &field : scalars)
    hash = llvm::hash_combine(hash, constants.*field.member);
  for (const TargetList &field : lists)
    for (int64_t value : constants.*field.member)
      hash = llvm::hash_combine(hash, value);
  return hash;
}

//===----------------------------------------------------------------------===//
// Presets
//===----------------------------------------------------------------------===//

static constexpr int64_t KiB = 1 << 10, MiB = 1 << 20;

/// The driver's figures, and what benchmark/calibrate measured on one H200
/// (docs/Calibration.md).
static TargetConstants makeH200() {
  TargetConstants gpu;
  gpu.sms = 132;
  gpu.portableCluster = 8;
  gpu.maxCluster = 16;
  gpu.sharedPerBlock = 227 * KiB;
  gpu.sharedPerSm = 228 * KiB;
  gpu.sharedReserved = 1 * KiB;
  gpu.registersPerSm = 65536;
  gpu.registersPerThread = 255;
  gpu.threadsPerSm = 2048;
  gpu.blocksPerSm = 32;
  gpu.schedulersPerSm = 4;
  gpu.l2Bytes = 60 * MiB;
  gpu.l2UsableBytes = 36 * MiB;
  gpu.residency = {132, 132, 120, 120, 112};
  gpu.clockKhz = 1967562;
  gpu.hbmGbps = 4570;
  gpu.smGbps = 66;
  gpu.l2Gbps = 7864;
  gpu.dsmemGbps = {0, 4127, 2652, 2252, 2437};
  gpu.bulkBytesPerCycle = 107;
  gpu.blocksPerUs = 1665;
  gpu.emptyKernelNs = 3040;
  gpu.sharedLatency = 23;
  gpu.dsmemLatency = 206;
  gpu.l2Latency = 295;
  gpu.memoryLatency = 553;
  gpu.storeAsyncCycles = 280;
  gpu.bulkCycles = 350;
  gpu.blockBarrierCycles = 31;
  gpu.blockBarrierSlope = 2;
  gpu.clusterBarrierCycles = 388;
  gpu.clusterBarrierSlope = 10;
  gpu.relaxedBarrierCycles = 117;
  gpu.mailboxCycles = {0, 251, 271, 293, 348};
  gpu.treeCycles = {0, 555, 1110, 1665, 2204};
  gpu.laneMergeCycles = 108;
  gpu.warpMergeCycles = 157;
  gpu.warpMergeSlope = 55;
  gpu.blockMergeCycles = 508;
  gpu.blockMergeSlope = 31;
  gpu.gridMergeCycles = 3400;
  gpu.gridMergeSlope = 12; // Not measured.
  gpu.laneRoundCycles = 26;
  gpu.laneWordCycles = 5;
  gpu.warpBufferCycles = 54;
  gpu.wordMergeCycles = 3;
  gpu.scatteredMergeCycles = 7;
  gpu.sendMillicycles = 1600;
  gpu.receiveMillicycles = 900;
  gpu.nextMessageCycles = 20;
  gpu.packetBytesPerKcycle = 20000;
  gpu.oneSidedCycles = 155;
  gpu.ringHopCycles = 210;
  gpu.treeHopCycles = 160;
  gpu.closeBarrierCycles = 292;
  gpu.sliceBarrierCycles = 270;
  gpu.remoteWordCycles = 8;
  gpu.remoteTupleBytesPerKcycle = 8000;
  gpu.globalWordCycles = 14;
  gpu.globalStoreMillicycles = 2000;
  gpu.globalLoadMillicycles = 950;
  gpu.remoteTurnCycles = 200;
  gpu.remotePeerCycles = 64;
  gpu.remoteReadBytesPerKcycle = 16000;
  gpu.remoteLoneBytesPerKcycle = 24000;
  gpu.copyCycles = 275;
  gpu.copyNextCycles = 60;
  gpu.copyHopCycles = 170;
  gpu.copySendBytesPerKcycle = 20500;
  gpu.copyReceiveBytesPerKcycle = 32000;
  gpu.copyToAllBytesPerKcycle = {0, 20000, 16000, 14400, 11000};
  return gpu;
}

/// The SXM5 module, not measured: the multiprocessors of an H200 and as many of
/// them, the same chip and so the same cache and network, less of the cache,
/// and HBM3 with 3.35 TB/s, of which the part is taken to be reached that an
/// H200 reaches of its 4.8 TB/s.
static TargetConstants makeH100() {
  constexpr int64_t nominalH200 = 4800, nominalH100 = 3350;
  TargetConstants gpu = makeH200();
  gpu.hbmGbps = gpu.hbmGbps * nominalH100 / nominalH200;
  gpu.l2UsableBytes = gpu.l2UsableBytes * 50 / 60;
  gpu.l2Bytes = 50 * MiB;
  return gpu;
}

llvm::ArrayRef<llvm::StringLiteral> cascade::cluster::getTargetPresetNames() {
  static constexpr llvm::StringLiteral names[] = {"h200", "h100"};
  return names;
}

const TargetConstants *cascade::cluster::getTargetPreset(llvm::StringRef name) {
  static const TargetConstants presets[] = {makeH200(), makeH100()};
  for (auto [index, known] : llvm::enumerate(getTargetPresetNames()))
    if (known == name)
      return &presets[index];
  return nullptr;
}

std::string cascade::cluster::describeTargetPresets() {
  return llvm::join(getTargetPresetNames(), " or ");
}
