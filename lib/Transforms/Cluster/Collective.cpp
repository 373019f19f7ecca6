//===- Collective.cpp - The collectives, seen as one ----------------------===//

#include "Collective.h"
#include "cascade/Transforms/Cluster/TuplePacking.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cascade::cluster;

template <typename OpT>
static Collective ofTuples(OpT op, CollectiveKind kind) {
  Collective c;
  c.op = op;
  c.kind = kind;
  c.scope = op.getScope();
  c.algorithm = op.getAlgorithm();
  c.lanes = op.getLanes();
  c.stride = op.getStride();
  if (op.getWarps())
    c.warps = *op.getWarps();
  c.inputs = op.getInputs();
  c.workspace = op.getWorkspace();
  return c;
}

template <typename OpT>
static Collective ofSlices(OpT op, CollectiveKind kind) {
  Collective c;
  c.op = op;
  c.kind = kind;
  c.algorithm = op.getAlgorithm();
  c.buffer = op.getBuffer();
  return c;
}

template <typename OpT>
static Collective &reducing(Collective &c, OpT op) {
  c.kinds = op.getKinds();
  c.merge = &op.getMerge();
  return c;
}

template <typename OpT>
static CollectiveKind kindOfReduce(OpT op) {
  return op.getScatter() ? CollectiveKind::ReduceScatter
                         : CollectiveKind::Reduce;
}

std::optional<Collective> Collective::get(Operation *op) {
  using Result = std::optional<Collective>;
  auto rooted = [](Collective c, int64_t root) {
    c.root = root;
    return c;
  };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([](AllReduceOp op) {
        Collective c = ofTuples(op, CollectiveKind::AllReduce);
        c.lanewise = &op.getLanewise();
        return Result(reducing(c, op));
      })
      .Case([&](ReduceOp op) {
        Collective c = ofTuples(op, kindOfReduce(op));
        return Result(rooted(reducing(c, op), op.getRoot().value_or(0)));
      })
      .Case([](AllGatherOp op) {
        return Result(ofTuples(op, CollectiveKind::AllGather));
      })
      .Case([&](GatherOp op) {
        Collective c =
            ofTuples(op, op.getScatter() ? CollectiveKind::GatherScatter
                                         : CollectiveKind::Gather);
        return Result(rooted(c, op.getRoot().value_or(0)));
      })
      .Case([&](BroadcastOp op) {
        return Result(
            rooted(ofTuples(op, CollectiveKind::Broadcast), op.getRoot()));
      })
      .Case([](SliceAllReduceOp op) {
        Collective c = ofSlices(op, CollectiveKind::AllReduce);
        return Result(reducing(c, op));
      })
      .Case([&](SliceReduceOp op) {
        Collective c = ofSlices(op, kindOfReduce(op));
        return Result(rooted(reducing(c, op), op.getRoot().value_or(0)));
      })
      .Case([](SliceAllGatherOp op) {
        return Result(ofSlices(op, CollectiveKind::AllGather));
      })
      .Case([&](SliceGatherOp op) {
        return Result(
            rooted(ofSlices(op, CollectiveKind::Gather), op.getRoot()));
      })
      .Case([&](SliceBroadcastOp op) {
        return Result(
            rooted(ofSlices(op, CollectiveKind::Broadcast), op.getRoot()));
      })
      .Default([](Operation *) { return std::nullopt; });
}

bool Collective::canBeCut() const {
  int64_t ranks = *getKnownClusterSize(op);
  return kinds && llvm::all_of(inputs.getTypes(), [&](Type type) {
           auto vector = dyn_cast<VectorType>(type);
           return vector && vector.getNumElements() % ranks == 0;
         });
}

int64_t Collective::getNumSets() const {
  return isSlice() || !isInLoop(op) ? 1 : 2;
}

CollectiveShape Collective::getShape() const {
  CollectiveShape shape;
  shape.kind = kind;
  shape.isSlice = isSlice();
  shape.clusterSize = *getKnownClusterSize(op);
  shape.threads = *getKnownBlockSize(op);
  if (isSlice()) {
    auto type = cast<MemRefType>(buffer.getType());
    shape.unitBytes =
        llvm::divideCeil(type.getElementType().getIntOrFloatBitWidth(), 8);
    shape.payloadBytes = type.getNumElements() * shape.unitBytes;
    return shape;
  }
  TuplePacking packing(inputs.getTypes());
  int64_t blockWarps = shape.threads / kWarpSize;
  int64_t groups =
      blockWarps / warps.value_or(blockWarps) * (kWarpSize / lanes);
  shape.unitBytes = packing.getNumChunks() * packing.getChunkBytes();
  shape.payloadBytes = groups * shape.unitBytes;
  shape.lanes = lanes;
  return shape;
}
