//===- ChooseAlgorithm.h - How blocks exchange ----------------*- C++ -*-===//

#ifndef CASCADE_LIB_TRANSFORMS_CLUSTER_CHOOSEALGORITHM_H
#define CASCADE_LIB_TRANSFORMS_CLUSTER_CHOOSEALGORITHM_H

#include "cascade/Analysis/Cluster/Traffic.h"

namespace cascade::cluster {

struct Collective;

/// The algorithms that expand a collective.
llvm::ArrayRef<Algorithm> getAlgorithms(CollectiveKind kind, bool isSlice);

/// Those of them that `auto` may stand for on `collective`: not `global` on
/// tuples, which needs memory, and `scatter` only where they can be cut.
llvm::SmallVector<Algorithm> getAutoAlgorithms(const Collective &collective);

/// What `auto` stands for: of getAutoAlgorithms() the one that is predicted to
/// be the fastest on `gpu`, with slots that fit in each of its sets. The sizes
/// of the block and the cluster are known.
Algorithm chooseAlgorithm(const Collective &collective,
                          const TargetConstants &gpu);

} // namespace cascade::cluster

#endif // CASCADE_LIB_TRANSFORMS_CLUSTER_CHOOSEALGORITHM_H
