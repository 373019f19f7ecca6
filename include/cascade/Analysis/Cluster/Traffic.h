//===- Traffic.h - What a collective of a cluster moves ---------*- C++ -*-===//
//
// A model of the exchanges between the blocks of a cluster: bytes, messages and
// rounds from the algorithm, cycles from the exchanges of #cluster.target and
// from fitted rates. docs/TrafficModel.md has the formulas.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_ANALYSIS_CLUSTER_TRAFFIC_H
#define CASCADE_ANALYSIS_CLUSTER_TRAFFIC_H

#include "cascade/Dialect/Cluster/IR/Cluster.h"

namespace cascade::cluster {

/// What a collective does.
enum class CollectiveKind {
  AllReduce,
  Reduce,        // for one rank
  ReduceScatter, // a slice for each rank
  AllGather,
  Gather,        // for one rank
  GatherScatter, // of a part of the groups for each rank
  Broadcast,
};

/// "all_reduce", "reduce", "reduce_scatter", ...
llvm::StringRef stringifyCollectiveKind(CollectiveKind kind);

/// A collective between the blocks of a cluster, as far as its cost goes.
struct CollectiveShape {
  CollectiveKind kind = CollectiveKind::AllReduce;
  /// On a buffer of shared memory, in place, rather than on tuples.
  bool isSlice = false;
  /// What one block contributes: the tuples of its groups, or its buffer, of
  /// which a gather takes one slice a block.
  int64_t payloadBytes = 0;
  int64_t clusterSize = 1; ///< blocks
  int64_t threads = 128;   ///< of a block
  int64_t lanes = 32;      ///< of a group that has one tuple
  /// Bytes of one tuple, in whole words, or of one element of the buffer.
  int64_t unitBytes = 4;
};

/// What one execution of it takes, together for all blocks of the cluster
/// unless it says otherwise.
struct Traffic {
  int64_t bytes = 0;     ///< from one block's shared memory to another's
  int64_t messages = 0;  ///< asynchronous stores, bulk copies, chunks read
  int64_t rounds = 0;    ///< exchanges each of which waits for the one before
  int64_t slotBytes = 0; ///< of a block, to receive into
  double cycles = 0;     ///< from the first message to the result

  Traffic &operator+=(const Traffic &other);
};

/// The exchange of `shape` by `algorithm`, or nothing where it is no algorithm
/// of that collective. One block exchanges nothing.
std::optional<Traffic> estimateTraffic(const CollectiveShape &shape,
                                       Algorithm algorithm,
                                       const TargetConstants &gpu);

/// The most bytes that a block may receive into: static shared memory.
inline constexpr int64_t kMaxSlotBytes = 48 * 1024;

/// The algorithm of `candidates` that takes the fewest cycles; of equals, and
/// of those that the model does not know, the first. A candidate whose slots
/// exceed `mostSlotBytes` comes after all that fit.
Algorithm chooseAlgorithm(const CollectiveShape &shape,
                          llvm::ArrayRef<Algorithm> candidates,
                          const TargetConstants &gpu, int64_t mostSlotBytes);

} // namespace cascade::cluster

#endif // CASCADE_ANALYSIS_CLUSTER_TRAFFIC_H
