//===- Convergence.cpp - Collectives that not all threads reach -----------===//
//
// All threads of the scope execute a collective. Whether a branch is taken by
// all of them cannot be decided in general; what is refused is a condition that
// is computed from the thread's number (or the block's rank, for a collective
// over the cluster), without memory or an exchange in between.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "cascade/Transforms/Cluster/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace cascade::cluster;

static bool isNumber(Operation *op, Scope scope) {
  if (isa<gpu::ThreadIdOp, gpu::LaneIdOp, gpu::SubgroupIdOp>(op))
    return true;
  return scope == Scope::Cluster && isa<RankOp, gpu::ClusterBlockIdOp>(op);
}

/// The thread's or block's number that decides `op`'s control flow, or null.
static Operation *findNumber(Operation *op, Scope scope) {
  llvm::SetVector<Value> values;
  if (auto branch = dyn_cast<scf::IfOp>(op))
    values.insert(branch.getCondition());
  else if (auto loop = dyn_cast<scf::ForOp>(op))
    for (Value bound :
         {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
      values.insert(bound);
  else if (auto loop = dyn_cast<scf::WhileOp>(op))
    values.insert(loop.getConditionOp().getCondition());
  for (size_t at = 0; at < values.size(); ++at) {
    Operation *source = values[at].getDefiningOp();
    if (!source)
      continue;
    if (isNumber(source, scope))
      return source;
    if (source->getNumRegions() == 0 && isMemoryEffectFree(source) &&
        !isa<gpu::ShuffleOp>(source))
      values.insert(source->operand_begin(), source->operand_end());
  }
  return nullptr;
}

LogicalResult cascade::cluster::checkConvergence(const Collective &c) {
  if (c.scope == Scope::Warp)
    return success();
  for (Operation *parent = c.op->getParentOp(); !isa<gpu::GPUFuncOp>(parent);
       parent = parent->getParentOp()) {
    if (parent->hasAttr(kUniformAttrName))
      continue;
    Operation *number = findNumber(parent, c.scope);
    if (!number)
      continue;
    InFlightDiagnostic diag =
        c.op->emitOpError()
        << "stands where not all threads of the " << stringifyScope(c.scope)
        << " come: move it out of the branch, or mark the branch "
           "cluster.uniform if they all take it";
    diag.attachNote(parent->getLoc()) << "the branch is here";
    diag.attachNote(number->getLoc()) << "it depends on this number";
    return diag;
  }
  return success();
}
