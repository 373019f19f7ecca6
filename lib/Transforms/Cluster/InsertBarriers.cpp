//===- InsertBarriers.cpp - Order accesses of shared memory ---------------===//
//
// A walk along the structured control flow carries the accesses since the last
// barrier, on any path. An access that conflicts with one of them gets a
// barrier before it; around a loop, a second walk of the body starts from what
// the first left behind. A branch that only some threads take is one step: the
// barrier for what is inside goes before it.
//
// A barrier of the block orders an access with the rest of the block; peers
// that touch the same memory still need one of the cluster. What a bulk copy
// reads and writes stays pending until its mbarrier has been waited for: what
// has arrived is then this block's, and a cluster barrier after the wait tells
// the source.
//
// The operations of one collective on slices are one step too: they order
// themselves. Where a barrier comes right after the wait for the mbarriers of
// the entry, that wait and its arrival go.
//
//===----------------------------------------------------------------------===//

#include "SharedEffects.h"
#include "Uniformity.h"
#include "cascade/Transforms/Cluster/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <functional>

namespace cascade::cluster {
#define GEN_PASS_DEF_INSERTBARRIERSPASS
#include "cascade/Transforms/Cluster/Passes.h.inc"
} // namespace cascade::cluster

using namespace mlir;
using namespace cascade::cluster;

namespace {
/// Accesses that no barrier orders with what comes next.
struct Pending {
  SmallVector<SharedAccess> accesses;
  /// Those before a cluster arrival with release that has no wait yet.
  SmallVector<SharedAccess> arrived;

  /// A barrier of all threads of the block.
  void orderInBlock() {
    for (SmallVectorImpl<SharedAccess> *list : {&accesses, &arrived}) {
      for (SharedAccess &access : *list)
        access.isInBlock |= !access.isRemote;
      removeEqual(*list);
    }
  }

  /// A barrier of the cluster, or its arrival: copies under way go on.
  void orderInCluster(bool hasWaited = true) {
    auto isUnderWay = [](const SharedAccess &access) {
      return bool(access.mbarrier);
    };
    llvm::erase_if(accesses, std::not_fn(isUnderWay));
    if (hasWaited)
      arrived.clear();
    else
      llvm::erase_if(arrived, isUnderWay);
  }

  /// The copies on `mbarrier` have arrived.
  void receive(Value mbarrier) {
    for (SharedAccess &access : accesses)
      if (access.mbarrier == mbarrier) {
        access.mbarrier = {};
        access.isInBlock = access.isWrite;
      }
    removeEqual(accesses);
  }

  static void removeEqual(SmallVectorImpl<SharedAccess> &list) {
    SmallVector<SharedAccess> unique;
    joinList(unique, list);
    list.assign(unique.begin(), unique.end());
  }

  void join(const Pending &other) {
    joinList(accesses, other.accesses);
    joinList(arrived, other.arrived);
  }

  static void joinList(SmallVectorImpl<SharedAccess> &list,
                       ArrayRef<SharedAccess> other) {
    for (const SharedAccess &access : other)
      if (!llvm::is_contained(list, access))
        list.push_back(access);
  }
};

class BarrierPlacement {
public:
  explicit BarrierPlacement(gpu::GPUFuncOp func)
      : func(func), effects(func), blockUniform(func, Scope::Block),
        clusterUniform(func, Scope::Cluster) {}

  LogicalResult run();

private:
  LogicalResult visitBlock(Block &block, Pending &pending);
  LogicalResult visitOp(Operation *op, Pending &pending);
  LogicalResult visitExchange(ArrayRef<Operation *> ops, Pending &pending);
  LogicalResult visitUniform(Operation *op, Pending &pending);
  LogicalResult visitDivergent(Operation *op, Pending &pending);
  void visitBarrier(BarrierOp barrier, Pending &pending);
  LogicalResult visitReturn(Operation *op, Pending &pending);

  /// Puts a barrier before `op` if one of `accesses` conflicts with a pending
  /// one.
  LogicalResult order(Operation *op, ArrayRef<SharedAccess> accesses,
                      Pending &pending);
  /// The same, and adds them to those.
  LogicalResult step(Operation *op, ArrayRef<SharedAccess> accesses,
                     Pending &pending);
  LogicalResult insert(Operation *op, bool overCluster, Pending &pending);

  gpu::GPUFuncOp func;
  SharedEffects effects;
  Uniformity blockUniform;
  Uniformity clusterUniform;
  bool isExchange = false; // within a collective on slices
};
} // namespace

LogicalResult BarrierPlacement::insert(Operation *op, bool overCluster,
                                       Pending &pending) {
  OpBuilder builder(op);
  if (!overCluster) {
    gpu::BarrierOp::create(builder, op->getLoc());
    pending.orderInBlock();
    return success();
  }
  for (Operation *parent = op->getParentOp(); parent != func;
       parent = parent->getParentOp())
    if (!clusterUniform.hasUniformControl(parent)) {
      InFlightDiagnostic diag = op->emitOpError(
          "needs a cluster barrier before it, where not all blocks may come: "
          "move it out of the branch, or mark the branch cluster.uniform");
      diag.attachNote(parent->getLoc()) << "the branch is here";
      return diag;
    }
  BarrierOp::create(builder, op->getLoc());
  pending.orderInCluster();
  return success();
}

LogicalResult BarrierPlacement::order(Operation *op,
                                      ArrayRef<SharedAccess> accesses,
                                      Pending &pending) {
  bool needsBlock = false, needsCluster = false;
  for (const SharedAccess &access : accesses)
    for (const SharedAccess &earlier :
         llvm::concat<SharedAccess>(pending.accesses, pending.arrived)) {
      if (!effects.conflict(earlier, access))
        continue;
      needsBlock = true;
      needsCluster |= earlier.isRemote || access.isRemote;
    }
  return needsBlock ? insert(op, needsCluster, pending) : success();
}

LogicalResult BarrierPlacement::step(Operation *op,
                                     ArrayRef<SharedAccess> accesses,
                                     Pending &pending) {
  if (!isExchange && failed(order(op, accesses, pending)))
    return failure();
  Pending::joinList(pending.accesses, accesses);
  return success();
}

void BarrierPlacement::visitBarrier(BarrierOp barrier, Pending &pending) {
  switch (barrier.getPhase()) {
  case BarrierPhase::Full:
    return pending.orderInCluster();
  case BarrierPhase::Arrive:
    // A relaxed arrival publishes nothing.
    if (barrier.getOrdering() == Ordering::Release) {
      Pending::joinList(pending.arrived, pending.accesses);
      pending.orderInCluster(/*hasWaited=*/false);
    }
    return;
  case BarrierPhase::Wait:
    pending.arrived.clear();
    return;
  }
}

/// While a peer may still read this block's memory, the block must stay.
LogicalResult BarrierPlacement::visitReturn(Operation *op, Pending &pending) {
  bool isRemote = llvm::any_of(
      llvm::concat<SharedAccess>(pending.accesses, pending.arrived),
      [](const SharedAccess &access) { return access.isRemote; });
  return isRemote ? insert(op, /*overCluster=*/true, pending) : success();
}

LogicalResult BarrierPlacement::visitUniform(Operation *op, Pending &pending) {
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Pending other = pending;
    if (failed(visitBlock(*branch.thenBlock(), pending)) ||
        (branch.elseBlock() && failed(visitBlock(*branch.elseBlock(), other))))
      return failure();
    pending.join(other);
    return success();
  }
  // A loop whose body never conflicts with itself needs one barrier at most,
  // before it.
  SmallVector<SharedAccess> inside;
  op->walk([&](Operation *nested) { effects.collect(nested, inside); });
  bool followsItself = llvm::any_of(inside, [&](const SharedAccess &first) {
    return llvm::any_of(inside, [&](const SharedAccess &second) {
      return effects.conflict(first, second);
    });
  });
  if (!followsItself && failed(order(op, inside, pending)))
    return failure();
  // The body may not run, run once, or follow itself.
  Pending before = pending;
  for (int walk = 0; walk < 2; ++walk) {
    for (Region &region : op->getRegions())
      if (failed(visitBlock(region.front(), pending)))
        return failure();
    pending.join(before);
  }
  return success();
}

/// Whether one thread alone enters `op`: an scf.if on its number.
static bool isOneThread(Operation *op) {
  auto branch = dyn_cast<scf::IfOp>(op);
  auto compare =
      branch ? branch.getCondition().getDefiningOp<arith::CmpIOp>() : nullptr;
  if (!compare || !branch.getElseRegion().empty() ||
      compare.getPredicate() != arith::CmpIPredicate::eq ||
      !matchPattern(compare.getRhs(), m_Constant()))
    return false;
  Value number = compare.getLhs();
  while (auto castOp = number.getDefiningOp<arith::IndexCastUIOp>())
    number = castOp.getIn();
  while (auto castOp = number.getDefiningOp<arith::IndexCastOp>())
    number = castOp.getIn();
  auto func = op->getParentOfType<gpu::GPUFuncOp>();
  std::optional<ArrayRef<int32_t>> block = func.getKnownBlockSize();
  return block && (*block)[1] == 1 && (*block)[2] == 1 &&
         number.getDefiningOp<gpu::ThreadIdOp>();
}

/// The operations from `first` on that belong to its collective on slices.
static SmallVector<Operation *> getExchange(Operation *first) {
  Attribute number = first->getAttr(kExchangeAttrName);
  SmallVector<Operation *> ops, rest;
  for (Operation *op = first; op; op = op->getNextNode()) {
    rest.push_back(op);
    if (op->getAttr(kExchangeAttrName) == number)
      ops.append(std::exchange(rest, {}));
  }
  return ops;
}

LogicalResult BarrierPlacement::visitExchange(ArrayRef<Operation *> ops,
                                              Pending &pending) {
  SmallVector<SharedAccess> accesses;
  for (Operation *op : ops)
    op->walk([&](Operation *nested) { effects.collect(nested, accesses); });
  if (failed(order(ops.front(), accesses, pending)))
    return failure();
  isExchange = true;
  for (Operation *op : ops)
    if (failed(visitOp(op, pending)))
      return failure();
  isExchange = false;
  // Where only one block waits, its peers know at their next cluster barrier.
  for (const SharedAccess &access : accesses)
    if (access.mbarrier)
      pending.receive(access.mbarrier);
  return success();
}

LogicalResult BarrierPlacement::visitDivergent(Operation *op,
                                               Pending &pending) {
  SmallVector<SharedAccess> accesses;
  Operation *barrier = nullptr;
  op->walk([&](Operation *nested) {
    if (isa<gpu::BarrierOp, BarrierOp, ArriveLastOp>(nested))
      barrier = nested;
    effects.collect(nested, accesses);
  });
  if (barrier) {
    InFlightDiagnostic diag = barrier->emitOpError(
        "stands in a branch that not all threads take: move it out, or mark "
        "the branch cluster.uniform");
    diag.attachNote(op->getLoc()) << "the branch is here";
    return diag;
  }
  if (!isExchange && !isOneThread(op))
    for (const SharedAccess &first : accesses)
      for (const SharedAccess &second : accesses) {
        bool bothWrite = first.isWrite && second.isWrite;
        if (first.op == second.op || bothWrite ||
            !effects.conflict(first, second))
          continue;
        InFlightDiagnostic diag = second.op->emitOpError(
            "may touch shared memory that another thread touches in the same "
            "branch, where no barrier can stand because not all threads take "
            "it: split the branch, or mark it cluster.uniform");
        diag.attachNote(first.op->getLoc()) << "the other access is here";
        diag.attachNote(op->getLoc()) << "the branch is here";
        return diag;
      }
  return step(op, accesses, pending);
}

LogicalResult BarrierPlacement::visitOp(Operation *op, Pending &pending) {
  if (isa<gpu::BarrierOp, ArriveLastOp>(op)) {
    pending.orderInBlock();
    return success();
  }
  if (auto wait = dyn_cast<MBarrierWaitOp>(op)) {
    pending.receive(effects.getMBarrier(wait));
    return success();
  }
  if (auto barrier = dyn_cast<BarrierOp>(op)) {
    visitBarrier(barrier, pending);
    return success();
  }
  if (isa<gpu::ReturnOp>(op))
    return visitReturn(op, pending);
  if (op->getNumRegions() == 0) {
    SmallVector<SharedAccess> accesses;
    effects.collect(op, accesses);
    return step(op, accesses, pending);
  }
  bool isKnown = isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op);
  if (isKnown && blockUniform.hasUniformControl(op))
    return visitUniform(op, pending);
  return visitDivergent(op, pending);
}

LogicalResult BarrierPlacement::visitBlock(Block &block, Pending &pending) {
  for (Operation *op = &block.front(); op;) {
    SmallVector<Operation *> exchange;
    if (!isExchange && op->hasAttr(kExchangeAttrName))
      exchange = getExchange(op);
    Operation *next =
        exchange.empty() ? op->getNextNode() : exchange.back()->getNextNode();
    if (failed(exchange.empty() ? visitOp(op, pending)
                                : visitExchange(exchange, pending)))
      return failure();
    op = next;
  }
  return success();
}

/// The arrival that `wait` waits for, or null: in its block, with no other
/// barrier of the cluster in between.
static BarrierOp findArrival(BarrierOp wait) {
  for (Operation *op = wait->getPrevNode(); op; op = op->getPrevNode()) {
    BarrierOp found;
    op->walk([&](BarrierOp barrier) { found = barrier; });
    if (found)
      return found == op && found.getPhase() == BarrierPhase::Arrive
                 ? found
                 : BarrierOp();
  }
  return {};
}

/// A barrier right after a wait does what the arrival and the wait do.
static void dropWaitBefore(BarrierOp barrier) {
  Operation *before = barrier->getPrevNode();
  while (before && isMemoryEffectFree(before))
    before = before->getPrevNode();
  auto wait = dyn_cast_or_null<BarrierOp>(before);
  if (!wait || wait.getPhase() != BarrierPhase::Wait)
    return;
  if (BarrierOp arrival = findArrival(wait)) {
    arrival.erase();
    wait.erase();
  }
}

LogicalResult BarrierPlacement::run() {
  if (!llvm::hasSingleElement(func.getBody())) {
    // Nothing to order without shared memory.
    SmallVector<SharedAccess> accesses;
    func.walk([&](Operation *op) { effects.collect(op, accesses); });
    if (accesses.empty())
      return success();
    return accesses.front().op->emitOpError(
        "is ordered only in structured control flow: insert barriers before "
        "--convert-scf-to-cf");
  }
  Pending pending;
  if (failed(visitBlock(func.getBody().front(), pending)))
    return failure();
  SmallVector<BarrierOp> barriers;
  func.walk([&](Operation *op) {
    op->removeAttr(kExchangeAttrName);
    if (auto barrier = dyn_cast<BarrierOp>(op))
      if (barrier.getPhase() == BarrierPhase::Full)
        barriers.push_back(barrier);
  });
  llvm::for_each(barriers, dropWaitBefore);
  return success();
}

LogicalResult cascade::cluster::insertBarriers(gpu::GPUFuncOp func) {
  return BarrierPlacement(func).run();
}

namespace {
struct InsertBarriersPass
    : cascade::cluster::impl::InsertBarriersPassBase<InsertBarriersPass> {
  void runOnOperation() override {
    if (failed(insertBarriers(getOperation())))
      signalPassFailure();
  }
};
} // namespace
