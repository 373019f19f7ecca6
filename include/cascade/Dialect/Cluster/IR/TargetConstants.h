//===- TargetConstants.h - The numbers of a GPU with clusters ---*- C++ -*-===//
//
// What `#cluster.target` holds beside its name. docs/Dialects/Cluster.md says
// where the numbers of the presets come from.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_DIALECT_CLUSTER_IR_TARGETCONSTANTS_H
#define CASCADE_DIALECT_CLUSTER_IR_TARGETCONSTANTS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cstdint>
#include <string>

namespace cascade::cluster {

/// One value for each power of two of blocks a cluster: [k] is that of 2^k.
/// Entries beyond the largest cluster are 0, and so is [0] where a cluster of
/// one block has no value.
inline constexpr size_t kClusterSteps = 5;
using ByClusterSize = std::array<int64_t, kClusterSteps>;

/// Sizes are in bytes, latencies in cycles of the multiprocessor's clock,
/// bandwidths in GB/s (10^9 bytes); all of them are positive.
struct TargetConstants {
  // Capacities.
  int64_t sms = 0;                ///< streaming multiprocessors
  int64_t portableCluster = 0;    ///< most blocks of any cluster
  int64_t maxCluster = 0;         ///< the same with the non-portable attribute
  int64_t sharedPerBlock = 0;     ///< most shared memory of a block
  int64_t sharedPerSm = 0;        ///< shared memory of all blocks of an SM
  int64_t sharedReserved = 0;     ///< of it, what each block takes besides
  int64_t registersPerSm = 0;     ///< 32-bit registers
  int64_t registersPerThread = 0; ///< most registers of a thread
  int64_t threadsPerSm = 0;
  int64_t blocksPerSm = 0;
  int64_t schedulersPerSm = 0; ///< warps that issue in one cycle
  int64_t l2Bytes = 0;
  int64_t l2UsableBytes = 0;    ///< rows in flight that are found again there
  ByClusterSize residency = {}; ///< blocks that fit at full shared memory

  // Rates.
  int64_t clockKhz = 0;
  int64_t hbmGbps = 0;           ///< best read of the memory
  int64_t smGbps = 0;            ///< the same by one SM alone
  int64_t l2Gbps = 0;            ///< reading the L2 cache again
  ByClusterSize dsmemGbps = {};  ///< all blocks read a neighbour; from 2 blocks
  int64_t bulkBytesPerCycle = 0; ///< a long cp.async.bulk
  int64_t blocksPerUs = 0;       ///< blocks launched a microsecond
  int64_t emptyKernelNs = 0;     ///< a kernel that does nothing, nanoseconds

  // Latencies of one access, in cycles.
  int64_t sharedLatency = 0;    ///< a load of the own shared memory
  int64_t dsmemLatency = 0;     ///< a load of a peer's
  int64_t l2Latency = 0;        ///< a load that the L2 cache has
  int64_t memoryLatency = 0;    ///< a load that it has not
  int64_t storeAsyncCycles = 0; ///< st.async, the wait, the load
  int64_t bulkCycles = 0;       ///< a cp.async.bulk of 1 KiB

  // Barriers and exchanges, in cycles, with 128 threads a block.
  int64_t blockBarrierCycles = 0;
  int64_t blockBarrierSlope = 0;    ///< more for each further warp
  int64_t clusterBarrierCycles = 0; ///< release and acquire
  int64_t clusterBarrierSlope = 0;  ///< more for each further warp
  int64_t relaxedBarrierCycles = 0; ///< an arrival that publishes nothing
  ByClusterSize mailboxCycles = {}; ///< a word of each to all; from 2 blocks
  ByClusterSize treeCycles = {};    ///< the same by rounds of remote loads
  // What it takes in a row kernel to merge states of two words: a constant and,
  // as a slope, something for each warp of a block or block of a cluster.
  int64_t laneMergeCycles = 0;
  int64_t warpMergeCycles = 0;
  int64_t warpMergeSlope = 0;
  int64_t blockMergeCycles = 0;
  int64_t blockMergeSlope = 0;
  // The same over the grid: a state is stored and released, the arrival
  // counted, and all states are loaded; and something for each cluster.
  int64_t gridMergeCycles = 0;
  int64_t gridMergeSlope = 0;

  // What the code of collectives takes, with 128 threads a block: cycles, and
  // bytes in a thousand cycles (docs/TrafficModel.md has the formulas).
  int64_t laneRoundCycles = 0;  ///< a round of a butterfly over lanes: at least
  int64_t laneWordCycles = 0;   ///< and for each word
  int64_t warpBufferCycles = 0; ///< a buffer between warps
  int64_t wordMergeCycles = 0;  ///< a word read from it, merged, by whole warps
  int64_t scatteredMergeCycles = 0; ///< the same by each lane group another
  int64_t sendMillicycles = 0;    ///< a message sent beyond one a rank; 1/1000
  int64_t receiveMillicycles = 0; ///< a message received; 1/1000
  int64_t nextMessageCycles = 0;  ///< one that a lane sends after another
  int64_t packetBytesPerKcycle = 0; ///< messages that lie next to each other
  int64_t oneSidedCycles = 0;       ///< a cluster barrier every second round
  int64_t ringHopCycles = 0;        ///< a tuple sent on around a ring
  int64_t treeHopCycles = 0;        ///< and down a tree
  int64_t closeBarrierCycles = 0;   ///< a cluster barrier soon after another
  int64_t sliceBarrierCycles = 0;   ///< one before a collective on slices
  int64_t remoteWordCycles = 0;     ///< a further word of a remote tuple
  int64_t remoteTupleBytesPerKcycle = 0; ///< remote tuples of all warps
  int64_t globalWordCycles = 0;       ///< a word that a thread stores to global
  int64_t globalStoreMillicycles = 0; ///< of all threads; 1/1000
  int64_t globalLoadMillicycles = 0;  ///< a group of lanes loads a word; 1/1000
  int64_t remoteTurnCycles = 0; ///< remote loads of a slice, a turn: at least
  int64_t remotePeerCycles = 0; ///< and for each peer
  int64_t remoteReadBytesPerKcycle = 0;  ///< of a block while all read
  int64_t remoteLoneBytesPerKcycle = 0;  ///< of a block that reads alone
  int64_t copyCycles = 0;                ///< a bulk copy to a peer
  int64_t copyNextCycles = 0;            ///< another one of the same warp
  int64_t copyHopCycles = 0;             ///< one that waits for the one before
  int64_t copySendBytesPerKcycle = 0;    ///< bulk copies that a block sends
  int64_t copyReceiveBytesPerKcycle = 0; ///< and that one receives
  ByClusterSize copyToAllBytesPerKcycle = {}; ///< each to all; from 2 blocks

  /// Cycles of the multiprocessor in a microsecond.
  double cyclesPerUs() const { return double(clockKhz) / 1e3; }
  /// The entry of `list` for `blocks` a cluster: that of the next power of two.
  static int64_t at(const ByClusterSize &list, int64_t blocks);
};

/// A field under the name that it has in `#cluster.target`.
struct TargetScalar {
  llvm::StringLiteral name;
  int64_t TargetConstants::*member;
};
struct TargetList {
  llvm::StringLiteral name;
  ByClusterSize TargetConstants::*member;
  unsigned first; ///< log2 of the smallest cluster that has an entry
};
llvm::ArrayRef<TargetScalar> getTargetScalars();
llvm::ArrayRef<TargetList> getTargetLists();

bool operator==(const TargetConstants &lhs, const TargetConstants &rhs);
llvm::hash_code hash_value(const TargetConstants &constants);

/// The constants of the preset called `name` (getTargetPresetNames), or null.
const TargetConstants *getTargetPreset(llvm::StringRef name);
llvm::ArrayRef<llvm::StringLiteral> getTargetPresetNames();
/// "h200 or h100", for messages.
std::string describeTargetPresets();

} // namespace cascade::cluster

#endif // CASCADE_DIALECT_CLUSTER_IR_TARGETCONSTANTS_H
