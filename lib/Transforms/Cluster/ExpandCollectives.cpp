//===- ExpandCollectives.cpp - Collectives into primitives ----------------===//

#include "Expansion.h"
#include "cascade/Transforms/Cluster/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
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

/// The collectives of `func`, in program order.
static FailureOr<SmallVector<Collective>> collect(gpu::GPUFuncOp func,
                                                  const TargetConstants &gpu) {
  SmallVector<Collective> collectives;
  WalkResult result = func.walk([&](Operation *op) {
    // A lanewise region is expanded with its collective.
    std::optional<Collective> found = Collective::get(op);
    if (!found || isa<AllReduceOp>(op->getParentOp()))
      return WalkResult::advance();
    if (failed(checkConvergence(*found)) || failed(prepare(*found, gpu)))
      return WalkResult::interrupt();
    collectives.push_back(*found);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  if (!collectives.empty() && !llvm::hasSingleElement(func.getBody()))
    return collectives.front().op->emitOpError(
        "can be expanded only in structured control flow: expand before "
        "--convert-scf-to-cf");
  return collectives;
}

//===----------------------------------------------------------------------===//
// Who takes part
//===----------------------------------------------------------------------===//

Expansion::Expansion(OpBuilder &builder, const Collective &collective,
                     const KernelFrame &kernel)
    : Emitter{builder, collective.op->getLoc()}, collective(collective),
      kernel(kernel), merge(collective, collective.inputs.getTypes()),
      packing(collective.inputs.getTypes()) {
  who.lanes = collective.lanes;
  who.stride = collective.stride;
  who.laneGroups = kWarpSize / who.lanes;
  auto isZero = [&](Value value) { return below(value, 1); };
  // A lane's number has three digits: run of lanes * stride, lane in its group,
  // lane below the stride. The group is what remains without the middle one.
  who.laneInGroup = kernel.lane;
  who.laneGroup = divide(kernel.lane, who.lanes * who.stride);
  if (who.stride > 1) {
    who.laneInGroup = divide(kernel.lane, who.stride);
    who.laneGroup =
        add(scale(who.laneGroup, who.stride), modulo(kernel.lane, who.stride));
  }
  who.laneInGroup = modulo(who.laneInGroup, who.lanes);
  if (who.lanes > 1)
    who.isFirstLane = isZero(who.laneInGroup);
  if (collective.scope == Scope::Warp)
    return;
  who.warps = collective.warps.value_or(kernel.warps);
  who.groups = kernel.warps / who.warps * who.laneGroups;
  Value warpGroup = divide(kernel.warp, who.warps);
  who.firstWarp = scale(warpGroup, who.warps);
  who.warpInGroup = modulo(kernel.warp, who.warps);
  who.group = add(scale(warpGroup, who.laneGroups), who.laneGroup);
  if (who.warps > 1)
    who.isFirstWarp = isZero(who.warpInGroup);
}

Value Expansion::getRoot() {
  if (!collective.isScattered())
    return constant(collective.root);
  return modulo(divide(kernel.warp, who.warps), kernel.clusterSize);
}

Value Expansion::isRoot() {
  return collective.isScattered() ? equals(kernel.rank, getRoot())
                                  : equals(kernel.rank, collective.root);
}

Expansion Expansion::ofRoot() const {
  Expansion part = *this;
  if (!collective.isScattered())
    return part;
  int64_t warpsOfRound = who.warps * kernel.clusterSize;
  part.who.groups =
      llvm::divideCeil(kernel.warps, warpsOfRound) * who.laneGroups;
  part.who.group = part.add(
      part.scale(part.divide(kernel.warp, warpsOfRound), who.laneGroups),
      who.laneGroup);
  return part;
}

//===----------------------------------------------------------------------===//
// Mbarriers
//===----------------------------------------------------------------------===//

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
    Value one = Emitter{builder, loc}.constant(1);
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

/// Tells the barrier placement that all threads come to `op` together.
static void markUniform(const Collective &c) {
  if (c.scope == Scope::Warp)
    return;
  for (Operation *parent = c.op->getParentOp(); !isa<gpu::GPUFuncOp>(parent);
       parent = parent->getParentOp())
    parent->setDiscardableAttr(kUniformAttrName,
                               UnitAttr::get(c.op->getContext()));
}

static SmallVector<Value>
expandBetweenBlocks(Expansion &e, const ExchangePlan &plan, ValueRange values) {
  switch (e.collective.algorithm) {
  case Algorithm::Auto:
  case Algorithm::Mailbox:
    return expandMailbox(e, plan, values);
  case Algorithm::Tree:
    return e.collective.kind == CollectiveKind::Broadcast
               ? expandTreeBroadcast(e, plan, values)
               : expandTree(e, values);
  case Algorithm::Ring:
    return expandRing(e, plan, values);
  case Algorithm::Scatter:
    return expandScatter(e, plan, values);
  case Algorithm::Global:
    return expandGlobal(e, plan, values);
  }
  llvm_unreachable("every algorithm has an expansion");
}

static SmallVector<Value> expandTuples(OpBuilder &builder, const Collective &c,
                                       const KernelFrame &frame,
                                       const ExchangePlan &plan) {
  Expansion e(builder, c, frame);
  if (c.scope == Scope::Warp)
    return exchangeLanes(e);
  if (c.scope == Scope::Block)
    return exchangeWarps(e);
  SmallVector<Value> values(c.inputs);
  if (c.isReduction())
    values = combineThreads(e, values);
  if (c.crossesBlocks())
    return expandBetweenBlocks(e, plan, values);
  // One block is the only rank.
  if (!c.isReduction())
    values = spread(e, values);
  bool isGathered = c.kind == CollectiveKind::AllGather || c.isGather();
  return isGathered ? e.concatenate({values}) : values;
}

static void expandOne(const Collective &c, const KernelFrame &frame,
                      const ExchangePlan &plan) {
  OpBuilder builder(c.op);
  if (!c.isSlice())
    c.op->replaceAllUsesWith(expandTuples(builder, c, frame, plan));
  else if (c.crossesBlocks())
    expandSlices(builder, c, frame, plan);
  markUniform(c);
  c.op->erase();
}

/// Makes buffers dynamic, the largest first, until `fixed` bytes of static
/// shared memory are few enough.
static void moveToDynamic(gpu::GPUFuncOp func, int64_t fixed) {
  SmallVector<std::pair<int64_t, unsigned>> buffers;
  for (auto [index, buffer] : llvm::enumerate(func.getWorkgroupAttributions()))
    if (!isInDynamicShared(func, index))
      buffers.push_back({-getBufferBytes(cast<MemRefType>(buffer.getType())),
                         unsigned(index)});
  llvm::sort(buffers);
  for (auto [bytes, index] : buffers) {
    if (fixed <= kMaxSlotBytes)
      return;
    func.setWorkgroupAttributionAttr(index, kDynamicAttrName,
                                     UnitAttr::get(func.getContext()));
    fixed += bytes;
  }
}

static LogicalResult checkSharedMemory(gpu::GPUFuncOp func) {
  int64_t fixed = 0, dynamic = 0;
  for (auto [index, buffer] :
       llvm::enumerate(func.getWorkgroupAttributions())) {
    int64_t bytes = getBufferBytes(cast<MemRefType>(buffer.getType()));
    (isInDynamicShared(func, index) ? dynamic : fixed) += bytes;
  }
  if (func->hasAttr(kDynamicBytesAttrName))
    moveToDynamic(func, fixed);
  else if (fixed > kMaxSlotBytes)
    return func.emitOpError()
           << "would need " << fixed << " bytes of static shared memory, of "
           << kMaxSlotBytes
           << ": use more lanes or warps a group, algorithm(tree), or "
              "cluster.dynamic on a large buffer";
  if (fixed + dynamic > kMaxSharedBytes)
    return func.emitOpError()
           << "keeps " << dynamic << " bytes in shared memory and needs "
           << fixed << " for collectives, of " << kMaxSharedBytes
           << ": keep fewer inputs, or use more blocks a cluster";
  return success();
}

LogicalResult cascade::cluster::expandCollectives(gpu::GPUFuncOp func,
                                                  TargetAttr target) {
  if (TargetAttr own = TargetAttr::lookup(func))
    target = own;
  FailureOr<SmallVector<Collective>> collectives =
      collect(func, target.getConstants());
  if (failed(collectives))
    return failure();
  if (collectives->empty())
    return success();
  ExchangePlans plans;
  if (failed(planExchanges(*collectives, plans)))
    return failure();

  OpBuilder builder = OpBuilder::atBlockBegin(&func.getBody().front());
  bool usesWorkspace = false, usesOwnWorkspace = false;
  for (const Collective &c : *collectives) {
    if (!c.crossesBlocks() || c.algorithm != Algorithm::Global)
      continue;
    usesWorkspace = true;
    usesOwnWorkspace |= !c.workspace;
  }
  KernelFrame frame =
      buildFrame(builder, func, /*needsRank=*/!plans.empty(), usesWorkspace);
  if (usesWorkspace) {
    FailureOr<int64_t> words = planWorkspace(*collectives, plans);
    if (failed(words))
      return failure();
    frame.workspaceWords = *words;
    if (usesOwnWorkspace) {
      frame.workspace = addWorkspace(func, *words * kWordBytes);
      frame.workspaceWords = getWorkspaceBytes(func).back() / kWordBytes;
    }
    func->setAttr(kWorkspaceAttrName,
                  builder.getI64IntegerAttr(frame.workspaceWords));
  }
  Operation *arrive = nullptr;
  int64_t numMBarriers = 0;
  for (auto &[op, plan] : plans)
    numMBarriers += plan.sets * plan.mbarriers;
  if (numMBarriers > 0) {
    initMBarriers(builder, frame, numMBarriers);
    arrive = &*std::prev(builder.getInsertionPoint());
  }
  for (const Collective &collective : *collectives)
    expandOne(collective, frame, plans.lookup(collective.op));
  if (arrive)
    placeEntryWait(func, arrive, frame.mbarriers);
  return checkSharedMemory(func);
}

namespace {
struct ExpandCollectivesPass
    : cascade::cluster::impl::ExpandCollectivesPassBase<ExpandCollectivesPass> {
  using ExpandCollectivesPassBase::ExpandCollectivesPassBase;

  void runOnOperation() override {
    TargetAttr preset = TargetAttr::getPreset(&getContext(), target);
    if (!preset)
      getOperation().emitError() << "unknown target '" << target << "'; use "
                                 << describeTargetPresets();
    if (!preset || failed(expandCollectives(getOperation(), preset)))
      signalPassFailure();
  }
};
} // namespace
