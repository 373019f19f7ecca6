//===- ChooseAlgorithm.h - How blocks exchange ----------------*- C++ -*-===//

#ifndef CASCADE_LIB_TRANSFORMS_CLUSTER_CHOOSEALGORITHM_H
#define CASCADE_LIB_TRANSFORMS_CLUSTER_CHOOSEALGORITHM_H

#include "cascade/Analysis/Cluster/Traffic.h"

namespace cascade::cluster {

/// The algorithms that expand a collective.
llvm::ArrayRef<Algorithm> getAlgorithms(CollectiveKind kind, bool isSlice);

/// Those of them that `auto` may stand for: not `scatter` or `global` on
/// tuples, which need more than the tuples.
llvm::SmallVector<Algorithm> getAutoAlgorithms(CollectiveKind kind,
                                               bool isSlice);

/// What `auto` stands for: of getAutoAlgorithms() the one that is predicted to
/// be the fastest on `gpu`, with slots that fit in each of its `sets`.
Algorithm chooseAlgorithm(const CollectiveShape &shape,
                          const TargetConstants &gpu, int64_t sets);

} // namespace cascade::cluster

#endif // CASCADE_LIB_TRANSFORMS_CLUSTER_CHOOSEALGORITHM_H
