//===- GridMerge.cpp - States of a row, merged over the grid --------------===//

#include "GridMerge.h"
#include "MergeThreads.h"
#include "StateParts.h"
#include "cascade/Dialect/Cluster/IR/Cluster.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace cascade;

using State = GridMerge::State;

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

ThreadColumn ThreadColumn::create(OpBuilder &b, const KernelContext &context,
                                  unsigned sharedLanes, int64_t sharedWarps) {
  IntBuilder ints(b, context.loc);
  LaneGroup lanes = LaneGroup::create(b, context, sharedLanes);
  ThreadColumn column{lanes.number, lanes.count, lanes.isFirst};
  Int warp = ints.divUI(context.ids.warp, ints.constant(sharedWarps));
  column.number =
      ints.add(column.number, ints.mul(warp, ints.constant(column.count)));
  column.count *= context.plan.warps / sharedWarps;
  if (sharedWarps > 1)
    column.isFirst = ints.both(
        column.isFirst,
        ints.lessThan(ints.remUI(context.ids.warp, ints.constant(sharedWarps)),
                      ints.constant(1)));
  return column;
}

//===----------------------------------------------------------------------===//
// The exchange
//===----------------------------------------------------------------------===//

unsigned GridMerge::leave(ValueRange values, const ThreadColumn &column) {
  parts.push_back({State(values), cluster::TuplePacking(values.getTypes()),
                   column, slotBytes});
  const cluster::TuplePacking &packing = parts.back().packing;
  int64_t bytes =
      packing.getNumChunks() * packing.getChunkBytes() * column.count;
  slotBytes += llvm::alignTo(bytes, MappingPlan::accessBytes);
  return parts.size() - 1;
}

/// The address `bytes` after that of the slot of `cluster`.
static Value addressIn(OpBuilder &b, Location loc, Value workspace, Int cluster,
                       int64_t slotBytes, Int bytes) {
  IntBuilder ints(b, loc);
  auto widen = [&](Int x) -> Value {
    return arith::ExtUIOp::create(b, loc, b.getI64Type(), ints.materialise(x));
  };
  Value size = arith::ConstantIntOp::create(b, loc, slotBytes, 64);
  Value offset = arith::AddIOp::create(
      b, loc, arith::MulIOp::create(b, loc, widen(cluster), size),
      widen(bytes));
  return LLVM::GEPOp::create(b, loc, workspace.getType(), b.getI8Type(),
                             workspace, ArrayRef<LLVM::GEPArg>{offset});
}

Value GridMerge::addressOf(OpBuilder &b, const Part &part, int64_t chunk,
                           Int cluster) const {
  IntBuilder ints(b, context.loc);
  Int place =
      ints.add(ints.constant(chunk * part.column.count), part.column.number);
  Int bytes =
      ints.add(ints.constant(part.offset),
               ints.mul(place, ints.constant(part.packing.getChunkBytes())));
  return addressIn(b, context.loc, workspace, cluster, slotBytes, bytes);
}

void GridMerge::arrive(OpBuilder &b) {
  Location loc = context.loc;
  auto enter = [&](Value condition) {
    auto branch = scf::IfOp::create(b, loc, condition);
    b.setInsertionPoint(branch.thenYield());
  };
  workspace = cluster::addWorkspace(getKernel(b), slotBytes);
  IntBuilder ints(b, loc);
  if (context.plan.blocks > 1)
    enter(ints.lessThan(context.ids.rank, ints.constant(1)));
  for (const Part &part : parts) {
    OpBuilder::InsertionGuard guard(b);
    if (part.column.isFirst)
      enter(part.column.isFirst);
    for (auto [number, chunk] :
         llvm::enumerate(part.packing.toChunks(b, loc, part.values)))
      LLVM::StoreOp::create(b, loc, chunk,
                            addressOf(b, part, number, context.ids.cluster),
                            part.packing.getChunkBytes());
  }
  Value counter = addressIn(b, loc, workspace, context.firstClusterOfRow(b),
                            slotBytes, ints.constant(0));
  enter(cluster::ArriveLastOp::create(
      b, loc, counter, ints.materialise(ints.constant(getNumClusters()))));
}

State GridMerge::take(OpBuilder &b, unsigned number, Int cluster) const {
  const Part &part = parts[number];
  IntBuilder ints(b, context.loc);
  Int first = context.firstClusterOfRow(b);
  SmallVector<Value> chunks;
  for (int64_t chunk = 0; chunk < part.packing.getNumChunks(); ++chunk)
    chunks.push_back(LLVM::LoadOp::create(
        b, context.loc, part.packing.getChunkType(),
        addressOf(b, part, chunk, ints.add(first, cluster)),
        part.packing.getChunkBytes()));
  return part.packing.fromChunks(b, context.loc, chunks);
}

State GridMerge::merge(OpBuilder &b, const ThreadState &states,
                       const State &state, const ThreadColumn &column,
                       ThreadState::Scope scope) {
  SmallVector<Type> types = states.getTypes();
  unsigned part = leave(toExchanged(b, context.loc, state), column);
  arrive(b);
  IntBuilder ints(b, context.loc);
  return states.mergeMany(
      b, context.loc, getNumClusters(),
      [&](unsigned cluster) {
        return fromExchanged(b, context.loc,
                             take(b, part, ints.constant(cluster)), types);
      },
      scope);
}
