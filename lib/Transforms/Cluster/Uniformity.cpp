//===- Uniformity.cpp - What all threads of a block agree on --------------===//

#include "Uniformity.h"
#include "Collective.h"
#include "cascade/Transforms/Cluster/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace cascade::cluster;

Uniformity::Uniformity(gpu::GPUFuncOp func, Scope scope) : scope(scope) {
  // Marks only grow, so this ends; loops need more than one sweep.
  bool changed = true;
  while (changed) {
    changed = false;
    func.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op != func)
        changed |= visit(op);
    });
  }
}

bool Uniformity::mark(ValueRange values) {
  bool changed = false;
  for (Value value : values)
    changed |= divergent.insert(value).second;
  return changed;
}

bool Uniformity::hasDivergentOperand(Operation *op) const {
  return llvm::any_of(op->getOperands(),
                      [&](Value value) { return !isUniform(value); });
}

bool Uniformity::isSource(Operation *op) const {
  if (isa<gpu::ThreadIdOp, gpu::LaneIdOp, gpu::SubgroupIdOp, gpu::ShuffleOp,
          gpu::SubgroupReduceOp>(op))
    return true;
  // Assembly and what is NVVM already may read any register.
  if (op->getName().getDialectNamespace() == "nvvm" ||
      op->getName().getStringRef() == "llvm.inline_asm")
    return true;
  if (scope == Scope::Cluster &&
      isa<gpu::BlockIdOp, gpu::ClusterBlockIdOp, gpu::GlobalIdOp, RankOp>(op))
    return true;
  if (isa<gpu::GlobalIdOp>(op))
    return true;
  if (isa<ArriveLastOp>(op))
    return scope == Scope::Cluster;
  // The result of a collective is the same for its scope only.
  if (std::optional<Collective> c = Collective::get(op))
    return c->isToRoot() || c->kind == CollectiveKind::ReduceScatter ||
           c->scope == Scope::Warp || c->warps || c->lanes != kWarpSize ||
           (c->scope == Scope::Block && scope == Scope::Cluster);
  if (op->getNumRegions() != 0)
    return false;
  // Reading one address gives one value; anything else with an effect (an
  // atomic, a call, assembly, an allocation of the thread's own) does not.
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return true;
  return !isMemoryEffectFree(op) &&
         !effects.onlyHasEffect<MemoryEffects::Read>();
}

bool Uniformity::visit(Operation *op) {
  bool changed = false;
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    if (!hasUniformControl(op))
      changed |= mark(branch.getResults());
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (!hasUniformControl(op)) {
      changed |= mark(loop.getInductionVar());
      changed |= mark(loop.getResults());
    }
    for (auto [init, arg, result] : llvm::zip_equal(
             loop.getInitArgs(), loop.getRegionIterArgs(), loop.getResults()))
      if (!isUniform(init)) {
        changed |= mark(arg);
        changed |= mark(result);
      }
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    if (!hasUniformControl(op))
      changed |= mark(loop.getResults());
    for (auto [init, arg] :
         llvm::zip_equal(loop.getInits(), loop.getBeforeArguments()))
      if (!isUniform(init))
        changed |= mark(arg);
  } else if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
    auto loop = cast<scf::WhileOp>(op->getParentOp());
    for (auto [value, arg, result] : llvm::zip_equal(
             condition.getArgs(), loop.getAfterArguments(), loop.getResults()))
      if (!isUniform(value)) {
        changed |= mark(arg);
        changed |= mark(result);
      }
  } else if (isa<scf::YieldOp>(op)) {
    Operation *parent = op->getParentOp();
    for (auto [index, value] : llvm::enumerate(op->getOperands())) {
      if (isUniform(value))
        continue;
      if (auto loop = dyn_cast<scf::ForOp>(parent))
        changed |= mark(loop.getRegionIterArg(index));
      if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
        changed |= mark(loop.getBeforeArguments()[index]);
        continue;
      }
      changed |= mark(parent->getResult(index));
    }
  } else if (isSource(op) || hasDivergentOperand(op)) {
    changed |= mark(op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        changed |= mark(block.getArguments());
  }
  return changed;
}

bool Uniformity::hasUniformControl(Operation *op) const {
  if (op->hasAttr(kUniformAttrName))
    return true;
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return isUniform(branch.getCondition());
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return isUniform(loop.getLowerBound()) && isUniform(loop.getUpperBound()) &&
           isUniform(loop.getStep());
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return isUniform(loop.getConditionOp().getCondition());
  return false;
}
