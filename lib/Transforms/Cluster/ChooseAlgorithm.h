//===- ChooseAlgorithm.h - How blocks exchange ----------------*- C++ -*-===//

#ifndef CASCADE_LIB_TRANSFORMS_CLUSTER_CHOOSEALGORITHM_H
#define CASCADE_LIB_TRANSFORMS_CLUSTER_CHOOSEALGORITHM_H

#include "cascade/Dialect/Cluster/IR/Cluster.h"

namespace cascade::cluster {

/// What a collective does.
enum class CollectiveKind {
  AllReduce,
  Reduce,        // for one rank
  ReduceScatter, // a slice for each rank
  AllGather,
  Gather, // for one rank
  Broadcast,
};

/// A collective between the blocks of a cluster, as far as its cost goes.
struct CollectiveShape {
  CollectiveKind kind;
  /// On slices of shared memory, in place, rather than on tuples.
  bool isSlice = false;
  /// What one block contributes: the tuples of its groups, or its buffer.
  int64_t payloadBytes = 0;
  int64_t clusterSize = 1; // blocks
  int64_t threads = 0;     // of a block
};

/// The algorithms that expand a collective. `auto` chooses among them; never
/// `scatter` or `global` on tuples, which need more than the tuples.
llvm::ArrayRef<Algorithm> getAlgorithms(CollectiveKind kind, bool isSlice);

/// What `auto` stands for: one of getAlgorithms().
Algorithm chooseAlgorithm(const CollectiveShape &shape);

} // namespace cascade::cluster

#endif // CASCADE_LIB_TRANSFORMS_CLUSTER_CHOOSEALGORITHM_H
