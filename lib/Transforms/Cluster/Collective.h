//===- Collective.h - The collectives, seen as one -------------*- C++ -*-===//

#ifndef CASCADE_LIB_TRANSFORMS_CLUSTER_COLLECTIVE_H
#define CASCADE_LIB_TRANSFORMS_CLUSTER_COLLECTIVE_H

#include "ChooseAlgorithm.h"

namespace cascade::cluster {

/// Whether `op` may execute more than once in a kernel.
bool isInLoop(mlir::Operation *op);

/// One collective operation. Its operands are looked up when they are used:
/// the expansion of an earlier collective may have replaced them.
struct Collective {
  mlir::Operation *op = nullptr;
  CollectiveKind kind = CollectiveKind::AllReduce;
  Scope scope = Scope::Cluster;
  Algorithm algorithm = Algorithm::Auto;
  int64_t lanes = kWarpSize;
  int64_t stride = 1; // between the lanes of a group
  std::optional<int64_t> warps;
  int64_t root = 0;

  std::optional<mlir::ArrayAttr> kinds;
  mlir::Region *merge = nullptr;    // or empty
  mlir::Region *lanewise = nullptr; // or empty

  mlir::ValueRange inputs; // of a collective on tuples
  mlir::Value workspace;   // or null
  mlir::Value buffer;      // of a collective on slices, or null

  /// What `op` says, or nothing where it is no collective.
  static std::optional<Collective> get(mlir::Operation *op);

  /// Groups of a block's threads; the block's size is known.
  int64_t getNumGroups() const {
    int64_t blockWarps = *getKnownBlockSize(op) / kWarpSize;
    return blockWarps / warps.value_or(blockWarps) * (kWarpSize / lanes);
  }
  bool isSlice() const { return bool(buffer); }
  bool isReduction() const {
    return kind == CollectiveKind::AllReduce ||
           kind == CollectiveKind::Reduce ||
           kind == CollectiveKind::ReduceScatter;
  }
  /// The result of a group is defined in one rank only.
  bool isToRoot() const { return kind == CollectiveKind::Reduce || isGather(); }
  /// Each group has its own such rank.
  bool isScattered() const { return kind == CollectiveKind::GatherScatter; }
  bool isGather() const {
    return kind == CollectiveKind::Gather ||
           kind == CollectiveKind::GatherScatter;
  }
  /// Whether the tuples are vectors that are reduced by their elements and can
  /// be cut into a slice a block: what algorithm(scatter) needs.
  bool canBeCut() const;
  /// What it exchanges between blocks, where their sizes are known.
  CollectiveShape getShape() const;
  /// Sets of slots and mbarriers, which executions take in turn: on tuples, 2
  /// where there may be several. Two executions on slices have a cluster
  /// barrier between them.
  int64_t getNumSets() const;
  /// A scope(cluster) of one block exchanges nothing between blocks.
  bool crossesBlocks() const {
    return scope == Scope::Cluster && *getKnownClusterSize(op) > 1;
  }
};

} // namespace cascade::cluster

#endif // CASCADE_LIB_TRANSFORMS_CLUSTER_COLLECTIVE_H
