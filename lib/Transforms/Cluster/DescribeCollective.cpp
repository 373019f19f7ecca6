//===- DescribeCollective.cpp - A collective for the traffic model --------===//

#include "DescribeCollective.h"
#include "TuplePacking.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cascade::cluster;

/// The scalars of a tuple, those of its vectors one by one.
static SmallVector<Type> scalarsOf(TypeRange types) {
  SmallVector<Type> scalars;
  for (Type type : types) {
    auto vector = dyn_cast<VectorType>(type);
    scalars.append(vector ? vector.getNumElements() : 1,
                   getElementTypeOrSelf(type));
  }
  return scalars;
}

using Result = FailureOr<std::optional<DescribedCollective>>;

template <typename OpT>
static Result describe(OpT op, CollectiveKind kind) {
  if (op.getScope() != Scope::Cluster || op.getInputs().empty())
    return Result(std::nullopt);
  std::optional<int64_t> blocks = getKnownClusterSize(op);
  std::optional<int64_t> threads = getKnownBlockSize(op);
  if (!blocks || !threads)
    return op.emitOpError("needs the sizes of block and cluster: set "
                          "known_block_size and known_cluster_size on the "
                          "gpu.func");
  if (*blocks == 1)
    return Result(std::nullopt);
  TuplePacking packing(scalarsOf(op.getInputs().getTypes()));
  int64_t blockWarps = llvm::divideCeil(*threads, kWarpSize);
  int64_t warps = op.getWarps().value_or(blockWarps);
  int64_t groups =
      std::max<int64_t>(1, blockWarps / warps) * (kWarpSize / op.getLanes());
  CollectiveShape shape;
  shape.kind = kind;
  shape.unitBytes = packing.getNumChunks() * packing.getChunkBytes();
  shape.payloadBytes = groups * shape.unitBytes;
  shape.clusterSize = *blocks;
  shape.threads = *threads;
  return Result(DescribedCollective{shape, op.getAlgorithm()});
}

FailureOr<std::optional<DescribedCollective>>
cascade::cluster::describeCollective(Operation *op) {
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([](AllReduceOp op) {
        return describe(op, CollectiveKind::AllReduce);
      })
      .Case([](ReduceOp op) {
        return describe(op, op.getScatter() ? CollectiveKind::ReduceScatter
                                            : CollectiveKind::Reduce);
      })
      .Case([](AllGatherOp op) {
        return describe(op, CollectiveKind::AllGather);
      })
      .Case([](GatherOp op) { return describe(op, CollectiveKind::Gather); })
      .Case([](BroadcastOp op) {
        return describe(op, CollectiveKind::Broadcast);
      })
      .Default([](Operation *) { return Result(std::nullopt); });
}
