//===- KernelFrame.cpp - What depends on the thread alone -----------------===//

#include "Expansion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace cascade::cluster;

static Value makeI32(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI32IntegerAttr(value));
}

/// The thread's number in its block: x + y * nx + z * nx * ny.
static Value buildThread(OpBuilder &builder, Location loc,
                         gpu::GPUFuncOp func) {
  std::optional<ArrayRef<int32_t>> sizes = func.getKnownBlockSize();
  Value thread;
  int64_t stride = 1;
  constexpr gpu::Dimension kDimensions[] = {
      gpu::Dimension::x, gpu::Dimension::y, gpu::Dimension::z};
  for (auto [index, dimension] : llvm::enumerate(kDimensions)) {
    if (sizes && (*sizes)[index] == 1)
      continue;
    Value id = gpu::ThreadIdOp::create(builder, loc, dimension);
    id = arith::IndexCastUIOp::create(builder, loc, builder.getI32Type(), id);
    if (stride != 1)
      id = arith::MulIOp::create(builder, loc, id,
                                 makeI32(builder, loc, stride));
    thread = thread ? arith::AddIOp::create(builder, loc, thread, id) : id;
    // Without a known size, only x is looked at: lanes are along x.
    if (!sizes)
      return thread;
    stride *= (*sizes)[index];
  }
  return thread ? thread : makeI32(builder, loc, 0);
}

/// The cluster's number in the grid, as an index: the grid may be large.
static Value buildCluster(OpBuilder &builder, Location loc) {
  Value number;
  for (gpu::Dimension dimension :
       {gpu::Dimension::z, gpu::Dimension::y, gpu::Dimension::x}) {
    Value id = gpu::ClusterIdOp::create(builder, loc, dimension);
    if (number) {
      Value count = gpu::ClusterDimOp::create(builder, loc, dimension);
      number = arith::MulIOp::create(builder, loc, number, count);
      id = arith::AddIOp::create(builder, loc, number, id);
    }
    number = id;
  }
  return number;
}

KernelFrame cascade::cluster::buildFrame(OpBuilder &builder,
                                         gpu::GPUFuncOp func, bool needsRank,
                                         bool needsCluster) {
  Location loc = func.getLoc();
  KernelFrame frame;
  frame.func = func;
  frame.threads = getKnownBlockSize(&func.front().front()).value_or(kWarpSize);
  frame.warps = frame.threads / kWarpSize;
  frame.clusterSize = getKnownClusterSize(&func.front().front()).value_or(1);
  frame.thread = buildThread(builder, loc, func);
  frame.lane = arith::AndIOp::create(builder, loc, frame.thread,
                                     makeI32(builder, loc, kWarpSize - 1));
  frame.warp = arith::DivUIOp::create(builder, loc, frame.thread,
                                      makeI32(builder, loc, kWarpSize));
  frame.isThread0 =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                            frame.thread, makeI32(builder, loc, 0));
  if (needsRank)
    frame.rank = RankOp::create(builder, loc, builder.getI32Type());
  if (needsCluster)
    frame.cluster = buildCluster(builder, loc);
  return frame;
}
