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

/// algorithm(scatter) cuts the operands into a slice a block.
static LogicalResult checkScattered(const Collective &c) {
  int64_t ranks = *getKnownClusterSize(c.op);
  bool isCut = llvm::all_of(c.inputs.getTypes(), [&](Type type) {
    auto vector = dyn_cast<VectorType>(type);
    return vector && vector.getNumElements() % ranks == 0;
  });
  if (c.kinds && isCut)
    return success();
  return c.op->emitOpError()
         << "by algorithm(scatter) takes vectors whose length the " << ranks
         << " blocks divide, and kind(...): use algorithm(mailbox)";
}

static LogicalResult checkAlgorithm(const Collective &c) {
  ArrayRef<Algorithm> known = getAlgorithms(c.kind, c.isSlice());
  if (!llvm::is_contained(known, c.algorithm)) {
    InFlightDiagnostic diag = c.op->emitOpError();
    diag << "has no algorithm '" << stringifyAlgorithm(c.algorithm)
         << "': use ";
    llvm::interleave(
        known, [&](Algorithm each) { diag << stringifyAlgorithm(each); },
        [&] { diag << ", "; });
    return diag << " or auto";
  }
  if (c.algorithm == Algorithm::Global && !c.workspace)
    return c.op->emitOpError("by algorithm(global) needs memory to exchange "
                             "through: add workspace(...)");
  if (c.algorithm == Algorithm::Scatter && !c.isSlice())
    return checkScattered(c);
  return success();
}

/// Completes the description, or says why it cannot be expanded.
static LogicalResult prepare(Collective &c, const TargetConstants &gpu) {
  Operation *op = c.op;
  std::optional<int64_t> threads = getKnownBlockSize(op);
  if (c.scope != Scope::Warp && !threads)
    return op->emitOpError("needs the size of the block: set known_block_size "
                           "on the gpu.func");
  if (c.scope != Scope::Cluster)
    return success();
  std::optional<int64_t> ranks = getKnownClusterSize(op);
  if (!ranks)
    return op->emitOpError("needs the size of the cluster: set "
                           "known_cluster_size on the gpu.func");
  if (*ranks == 1)
    return success();
  if (c.isSlice() && *threads < *ranks)
    return op->emitOpError() << "needs a thread for each of the " << *ranks
                             << " blocks, but the block has " << *threads;
  if (c.algorithm == Algorithm::Auto)
    c.algorithm = chooseAlgorithm(c.getShape(), gpu, c.getNumSets());
  return checkAlgorithm(c);
}

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

//===----------------------------------------------------------------------===//
// Mbarriers
//===----------------------------------------------------------------------===//

/// Mbarriers of one execution of `c`.
static int64_t getNumMBarriers(const Collective &c) {
  int64_t steps = *getKnownClusterSize(c.op) - 1;
  switch (c.algorithm) {
  case Algorithm::Mailbox:
    return c.isSlice() && c.isReduction() ? 0 : 1;
  case Algorithm::Tree:
    return c.kind == CollectiveKind::Broadcast ? 1 : 0;
  case Algorithm::Ring:
    return steps;
  case Algorithm::Scatter:
    if (c.isSlice())
      return c.kind == CollectiveKind::ReduceScatter ? 0 : 1;
    return 2;
  case Algorithm::Auto:
  case Algorithm::Global:
    return 0;
  }
  llvm_unreachable("every algorithm has mbarriers or none");
}

/// Gives every exchange its mbarriers and, where it may execute again, a count
/// of its executions; collectives of one block share the count.
static LogicalResult
planExchanges(ArrayRef<Collective> collectives,
              llvm::MapVector<Operation *, ExchangePlan> &plans) {
  int64_t numMBarriers = 0;
  llvm::MapVector<Block *, SmallVector<Operation *>> byBlock;
  for (const Collective &c : collectives) {
    if (!c.crossesBlocks())
      continue;
    ExchangePlan &plan = plans[c.op];
    plan.mbarriers = getNumMBarriers(c);
    bool isCounted = plan.mbarriers > 0 || c.algorithm == Algorithm::Global;
    if (!isCounted || !isInLoop(c.op))
      continue;
    plan.sets = c.getNumSets();
    byBlock[c.op->getBlock()].push_back(c.op);
  }
  for (auto &entry : plans) {
    entry.second.firstMBarrier = numMBarriers;
    numMBarriers += entry.second.sets * entry.second.mbarriers;
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

/// Gives every exchange through the workspace its words of a cluster's part,
/// and returns how many those are.
static FailureOr<int64_t>
planWorkspace(ArrayRef<Collective> collectives,
              llvm::MapVector<Operation *, ExchangePlan> &plans,
              const KernelFrame &frame) {
  int64_t words = 0;
  for (const Collective &c : collectives) {
    if (!c.crossesBlocks() || c.algorithm != Algorithm::Global)
      continue;
    ExchangePlan &plan = plans[c.op];
    plan.workspaceOffset = words;
    int64_t tuple = TuplePacking(c.inputs.getTypes()).getNumWords();
    if (c.kind == CollectiveKind::ReduceScatter)
      // A slice of narrow elements may have words of its own to itself.
      tuple *= frame.clusterSize;
    int64_t groups =
        frame.warps / c.warps.value_or(frame.warps) * (kWarpSize / c.lanes);
    words += plan.sets * groups * frame.clusterSize * tuple;
    auto type = cast<MemRefType>(c.workspace.getType());
    if (type.hasStaticShape() && type.getNumElements() < words)
      return c.op->emitOpError()
             << "has a workspace of " << type.getNumElements()
             << " words, but each cluster needs " << words;
  }
  return words;
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
/// that needs it done: every thread comes by there once.
static void placeEntryWait(gpu::GPUFuncOp func, Operation *arrive) {
  for (Operation *op = arrive->getNextNode(); op; op = op->getNextNode()) {
    WalkResult found = op->walk([](Operation *nested) {
      bool needsWait =
          isa<BarrierOp, StoreAsyncOp, CopyAsyncOp, MBarrierExpectTxOp,
              MBarrierWaitOp, MapSharedOp>(nested);
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
  bool isGathered =
      c.kind == CollectiveKind::AllGather || c.kind == CollectiveKind::Gather;
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
    (isInDynamicShared(func, index) ? dynamic : fixed) += bytes;
  }
  if (fixed > kMaxSlotBytes)
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
  llvm::MapVector<Operation *, ExchangePlan> plans;
  if (failed(planExchanges(*collectives, plans)))
    return failure();

  OpBuilder builder = OpBuilder::atBlockBegin(&func.getBody().front());
  bool usesWorkspace = llvm::any_of(*collectives, [](const Collective &c) {
    return c.crossesBlocks() && c.algorithm == Algorithm::Global;
  });
  KernelFrame frame =
      buildFrame(builder, func, /*needsRank=*/!plans.empty(), usesWorkspace);
  if (usesWorkspace) {
    FailureOr<int64_t> words = planWorkspace(*collectives, plans, frame);
    if (failed(words))
      return failure();
    frame.workspaceWords = *words;
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
    placeEntryWait(func, arrive);
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
