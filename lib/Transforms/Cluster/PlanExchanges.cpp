//===- PlanExchanges.cpp - Mbarriers, sets and words of exchanges ---------===//

#include "Expansion.h"

using namespace mlir;
using namespace cascade::cluster;

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

LogicalResult cascade::cluster::planExchanges(ArrayRef<Collective> collectives,
                                              ExchangePlans &plans) {
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
    // Two executions on slices always have a cluster barrier between them.
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

FailureOr<int64_t>
cascade::cluster::planWorkspace(ArrayRef<Collective> collectives,
                                ExchangePlans &plans) {
  int64_t words = 0;
  for (const Collective &c : collectives) {
    if (!c.crossesBlocks() || c.algorithm != Algorithm::Global)
      continue;
    int64_t ranks = *getKnownClusterSize(c.op);
    ExchangePlan &plan = plans[c.op];
    plan.workspaceOffset = words;
    int64_t tuple = TuplePacking(c.inputs.getTypes()).getNumWords();
    if (c.kind == CollectiveKind::ReduceScatter)
      // A slice of narrow elements may have words of its own to itself.
      tuple *= ranks;
    words += plan.sets * c.getNumGroups() * ranks * tuple;
    if (!c.workspace)
      continue;
    auto type = cast<MemRefType>(c.workspace.getType());
    if (type.hasStaticShape() && type.getNumElements() < words)
      return c.op->emitOpError()
             << "has a workspace of " << type.getNumElements()
             << " words, but each cluster needs " << words;
  }
  return words;
}
