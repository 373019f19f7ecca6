//===- ExpandCollectives.cpp - Collectives into primitives ----------------===//

#include "Expansion.h"
#include "cascade/Transforms/Cluster/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

namespace cascade::cluster {
#define GEN_PASS_DEF_EXPANDCOLLECTIVESPASS
#include "cascade/Transforms/Cluster/Passes.h.inc"
} // namespace cascade::cluster

using namespace mlir;
using namespace cascade::cluster;

//===----------------------------------------------------------------------===//
// What can be expanded
//===----------------------------------------------------------------------===//

static Algorithm getAlgorithm(AllReduceOp op) {
  return op.getAlgorithm() == Algorithm::Auto ? Algorithm::Mailbox
                                              : op.getAlgorithm();
}

static LogicalResult checkAllReduce(AllReduceOp op) {
  if (op.getScope() != Scope::Warp && !getKnownBlockSize(op))
    return op.emitOpError("needs the size of the block: set known_block_size "
                          "on the gpu.func");
  if (op.getScope() != Scope::Cluster)
    return success();
  if (!getKnownClusterSize(op))
    return op.emitOpError("needs the size of the cluster: set "
                          "known_cluster_size on the gpu.func");
  Algorithm algorithm = getAlgorithm(op);
  if (algorithm == Algorithm::Mailbox || algorithm == Algorithm::Tree)
    return success();
  return op.emitOpError() << "algorithm '" << stringifyAlgorithm(algorithm)
                          << "' is not expanded yet: use 'mailbox' or 'tree'";
}

/// The all-reduces of `func`, in program order.
static FailureOr<SmallVector<AllReduceOp>> collect(gpu::GPUFuncOp func) {
  SmallVector<AllReduceOp> collectives;
  WalkResult result = func.walk([&](Operation *op) {
    if (isa<ReduceOp, AllGatherOp, GatherOp, BroadcastOp>(op)) {
      op->emitOpError("is not expanded yet: use cluster.all_reduce");
      return WalkResult::interrupt();
    }
    // A lanewise region is expanded with its collective.
    auto allReduce = dyn_cast<AllReduceOp>(op);
    if (!allReduce || isa<AllReduceOp>(op->getParentOp()))
      return WalkResult::advance();
    if (failed(checkAllReduce(allReduce)))
      return WalkResult::interrupt();
    collectives.push_back(allReduce);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  if (!collectives.empty() && !llvm::hasSingleElement(func.getBody()))
    return collectives.front().emitOpError(
        "can be expanded only in structured control flow: expand before "
        "--convert-scf-to-cf");
  return collectives;
}

/// A scope(cluster) of one block exchanges nothing between blocks.
static bool crossesBlocks(AllReduceOp op) {
  return op.getScope() == Scope::Cluster && *getKnownClusterSize(op) > 1;
}

//===----------------------------------------------------------------------===//
// The kernel's frame
//===----------------------------------------------------------------------===//

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

static KernelFrame buildFrame(OpBuilder &builder, gpu::GPUFuncOp func,
                              bool needsRank) {
  Location loc = func.getLoc();
  KernelFrame frame;
  frame.func = func;
  frame.warps =
      getKnownBlockSize(&func.front().front()).value_or(kWarpSize) / kWarpSize;
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
  return frame;
}

Expansion::Expansion(OpBuilder &builder, AllReduceOp op,
                     const KernelFrame &kernel)
    : builder(builder), loc(op.getLoc()), op(op), kernel(kernel), merge(op),
      packing(op.getInputs().getTypes()) {
  who.lanes = op.getLanes();
  who.laneGroups = kWarpSize / who.lanes;
  auto modulo = [&](Value value, int64_t divisor) -> Value {
    return arith::RemUIOp::create(builder, loc, value, constant(divisor));
  };
  auto divide = [&](Value value, int64_t divisor) -> Value {
    return arith::DivUIOp::create(builder, loc, value, constant(divisor));
  };
  auto isZero = [&](Value value) { return below(value, 1); };
  who.laneInGroup = modulo(kernel.lane, who.lanes);
  who.laneGroup = divide(kernel.lane, who.lanes);
  if (who.lanes > 1)
    who.isFirstLane = isZero(who.laneInGroup);
  if (op.getScope() == Scope::Warp)
    return;
  who.warps = op.getWarps().value_or(kernel.warps);
  who.groups = kernel.warps / who.warps * who.laneGroups;
  Value warpGroup = divide(kernel.warp, who.warps);
  who.firstWarp = scale(warpGroup, who.warps);
  who.group = add(scale(warpGroup, who.laneGroups), who.laneGroup);
  if (who.warps > 1)
    who.isFirstWarp = isZero(modulo(kernel.warp, who.warps));
}

//===----------------------------------------------------------------------===//
// Mbarriers
//===----------------------------------------------------------------------===//

/// Gives every mailbox its mbarriers and, where it may execute again, a count
/// of its executions; collectives of one block share the count.
static LogicalResult
planMailboxes(ArrayRef<AllReduceOp> collectives,
              llvm::MapVector<Operation *, MailboxPlan> &plans) {
  int64_t numMBarriers = 0;
  llvm::MapVector<Block *, SmallVector<Operation *>> byBlock;
  for (AllReduceOp op : collectives) {
    if (!crossesBlocks(op) || getAlgorithm(op) != Algorithm::Mailbox)
      continue;
    MailboxPlan &plan = plans[op];
    plan.firstMBarrier = numMBarriers;
    plan.rounds = isInLoop(op) ? 2 : 1;
    numMBarriers += plan.rounds;
    if (plan.rounds > 1)
      byBlock[op->getBlock()].push_back(op);
  }
  // The control flow is rewritten around the operations, which stay.
  for (auto &[block, ops] : byBlock) {
    Value count = countExecutions(ops.front());
    if (!count)
      return failure();
    for (Operation *op : ops)
      plans[op].count = count;
  }
  return success();
}

/// At the kernel's entry: thread 0 initialises the mbarriers and all threads
/// arrive at the cluster barrier; what it orders is published by the fence.
static void initMBarriers(OpBuilder &builder, KernelFrame &frame,
                          int64_t numMBarriers) {
  Location loc = frame.func.getLoc();
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                          gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get({numMBarriers}, builder.getI64Type(),
                              MemRefLayoutAttrInterface(), space);
  frame.mbarriers = frame.func.addWorkgroupAttribution(type, loc);
  auto branch = scf::IfOp::create(builder, loc, frame.isThread0);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    Value one = makeI32(builder, loc, 1);
    for (int64_t index = 0; index < numMBarriers; ++index) {
      Value at = arith::ConstantIndexOp::create(builder, loc, index);
      MBarrierInitOp::create(builder, loc, frame.mbarriers, at, one);
    }
    FenceOp::create(builder, loc, FenceKind::MBarrierInit);
  }
  BarrierOp::create(builder, loc, BarrierPhase::Arrive, Ordering::Relaxed);
}

/// The wait of the entry's barrier, before the first operation of the body
/// that needs it done: every thread comes by there once. The mbarriers of loads
/// into the own block are no business of the cluster's.
static void placeEntryWait(gpu::GPUFuncOp func, Operation *arrive,
                           Value mbarriers) {
  for (Operation *op = arrive->getNextNode(); op; op = op->getNextNode()) {
    WalkResult found = op->walk([&](Operation *nested) {
      bool needsWait =
          isa<BarrierOp, StoreAsyncOp, CopyAsyncOp, MapSharedOp>(nested);
      if (auto expect = dyn_cast<MBarrierExpectTxOp>(nested))
        needsWait = expect.getMbarrier() == mbarriers;
      else if (auto wait = dyn_cast<MBarrierWaitOp>(nested))
        needsWait = wait.getMbarrier() == mbarriers;
      return needsWait ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (!found.wasInterrupted())
      continue;
    OpBuilder builder(op);
    BarrierOp::create(builder, arrive->getLoc(), BarrierPhase::Wait);
    return;
  }
}

//===----------------------------------------------------------------------===//
// One collective
//===----------------------------------------------------------------------===//

/// Combines over the warps of a group through shared memory.
static SmallVector<Value> combineWarps(Expansion &e, ValueRange values) {
  int64_t laneGroups = e.who.laneGroups;
  Value buffer = e.allocate(e.kernel.warps * laneGroups);
  auto placeOf = [&](Value warp) {
    return e.add(e.scale(warp, laneGroups), e.who.laneGroup);
  };
  e.guarded(e.who.isFirstLane,
            [&] { e.store(buffer, placeOf(e.kernel.warp), values); });
  return e.combine(buffer, placeOf(e.who.firstWarp), /*stride=*/laneGroups,
                   e.who.warps);
}

/// Tells the barrier placement that all threads come to `op` together.
static void markUniform(AllReduceOp op) {
  if (op.getScope() == Scope::Warp)
    return;
  for (Operation *parent = op->getParentOp(); !isa<gpu::GPUFuncOp>(parent);
       parent = parent->getParentOp())
    parent->setDiscardableAttr(kUniformAttrName,
                               UnitAttr::get(op.getContext()));
}

static void expandOne(AllReduceOp op, const KernelFrame &frame,
                      const MailboxPlan *mailbox) {
  OpBuilder builder(op);
  Expansion e(builder, op, frame);
  SmallVector<Value> state = e.combineLanes(op.getInputs(), e.who.laneInGroup,
                                            e.who.lanes, e.who.lanes);
  if (op.getScope() != Scope::Warp && e.who.warps > 1)
    state = combineWarps(e, state);
  if (crossesBlocks(op))
    state = mailbox ? expandMailbox(e, *mailbox, state) : expandTree(e, state);
  markUniform(op);
  op->replaceAllUsesWith(state);
  op->erase();
}

/// The most static shared memory of a block, in bytes (PTX `.shared`).
static constexpr int64_t kMaxStaticShared = 48 * 1024;

/// Bytes of a buffer of scalars or vectors; 0 where its size is unknown.
static int64_t getBufferBytes(MemRefType type) {
  Type element = type.getElementType();
  int64_t count = 1;
  if (auto vector = dyn_cast<VectorType>(element)) {
    count = vector.getNumElements();
    element = vector.getElementType();
  }
  if (!type.hasStaticShape() || !element.isIntOrFloat())
    return 0;
  int64_t elementBytes = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  return type.getNumElements() * count * elementBytes;
}

static LogicalResult checkSharedMemory(gpu::GPUFuncOp func) {
  int64_t fixed = 0, dynamic = 0;
  for (auto [index, buffer] :
       llvm::enumerate(func.getWorkgroupAttributions())) {
    int64_t bytes = getBufferBytes(cast<MemRefType>(buffer.getType()));
    bool isDynamic =
        bool(func.getWorkgroupAttributionAttr(index, kThreadPrivateAttrName));
    (isDynamic ? dynamic : fixed) += bytes;
  }
  if (fixed > kMaxStaticShared)
    return func.emitOpError()
           << "would need " << fixed << " bytes of static shared memory, of "
           << kMaxStaticShared
           << ": use more lanes or warps a group, or "
              "algorithm(tree)";
  if (fixed + dynamic > kMaxSharedBytes)
    return func.emitOpError()
           << "keeps " << dynamic << " bytes in shared memory and needs "
           << fixed << " for collectives, of " << kMaxSharedBytes
           << ": keep fewer inputs, or use more blocks a cluster";
  return success();
}

LogicalResult cascade::cluster::expandCollectives(gpu::GPUFuncOp func) {
  FailureOr<SmallVector<AllReduceOp>> collectives = collect(func);
  if (failed(collectives))
    return failure();
  if (collectives->empty())
    return success();
  llvm::MapVector<Operation *, MailboxPlan> plans;
  if (failed(planMailboxes(*collectives, plans)))
    return failure();

  OpBuilder builder = OpBuilder::atBlockBegin(&func.getBody().front());
  KernelFrame frame =
      buildFrame(builder, func, llvm::any_of(*collectives, crossesBlocks));
  Operation *arrive = nullptr;
  if (!plans.empty()) {
    const MailboxPlan &last = plans.back().second;
    initMBarriers(builder, frame, last.firstMBarrier + last.rounds);
    arrive = &*std::prev(builder.getInsertionPoint());
  }
  for (AllReduceOp op : *collectives) {
    auto plan = plans.find(op);
    expandOne(op, frame, plan == plans.end() ? nullptr : &plan->second);
  }
  if (arrive)
    placeEntryWait(func, arrive, frame.mbarriers);
  return checkSharedMemory(func);
}

namespace {
struct ExpandCollectivesPass
    : cascade::cluster::impl::ExpandCollectivesPassBase<ExpandCollectivesPass> {
  void runOnOperation() override {
    if (failed(expandCollectives(getOperation())))
      signalPassFailure();
  }
};
} // namespace
