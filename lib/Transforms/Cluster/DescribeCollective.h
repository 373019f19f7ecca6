//===- DescribeCollective.h - A collective for the traffic model -*- C++
//-*-===//

#ifndef CASCADE_LIB_TRANSFORMS_CLUSTER_DESCRIBECOLLECTIVE_H
#define CASCADE_LIB_TRANSFORMS_CLUSTER_DESCRIBECOLLECTIVE_H

#include "cascade/Analysis/Cluster/Traffic.h"

namespace cascade::cluster {

/// A collective between blocks.
struct DescribedCollective {
  CollectiveShape shape;
  Algorithm algorithm; ///< as written
};

/// What `op` exchanges between blocks, or nothing where it is no collective of
/// scope(cluster), or the cluster is one block. Fails with a diagnostic where
/// its kernel does not say how large blocks and clusters are.
mlir::FailureOr<std::optional<DescribedCollective>>
describeCollective(mlir::Operation *op);

} // namespace cascade::cluster

#endif // CASCADE_LIB_TRANSFORMS_CLUSTER_DESCRIBECOLLECTIVE_H
