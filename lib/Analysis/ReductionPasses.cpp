//===- ReductionPasses.cpp - Which reductions run together ----------------===//

#include "cascade/Analysis/ReductionPasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace cascade;

/// The reductions that `reduce` reaches through its values and predicate
/// without crossing another reduction, with its references left out.
static llvm::SetVector<Operation *> directDependences(ReduceOp reduce) {
  llvm::SetVector<Operation *> found;
  llvm::DenseSet<Value> seen;
  for (Value ref : reduce.getRefs())
    seen.insert(ref);
  SmallVector<Value> worklist(reduce.getValues());
  llvm::append_range(worklist, reduce.getInits());
  if (reduce.getPredicate())
    worklist.push_back(reduce.getPredicate());
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    Operation *op = value.getDefiningOp();
    if (!op)
      continue;
    if (isa<ReduceOp>(op)) {
      found.insert(op);
      continue;
    }
    llvm::append_range(worklist, op->getOperands());
  }
  return found;
}

/// The reductions that `value` is computed from.
static llvm::SetVector<Operation *> reductionsBehind(Value value) {
  llvm::SetVector<Operation *> found;
  llvm::DenseSet<Value> seen;
  SmallVector<Value> worklist{value};
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (!seen.insert(next).second || !next.getDefiningOp())
      continue;
    if (isa<ReduceOp>(next.getDefiningOp()))
      found.insert(next.getDefiningOp());
    else
      llvm::append_range(worklist, next.getDefiningOp()->getOperands());
  }
  return found;
}

/// Whether `op` gives a list, which is finished before an entry is referred to.
static bool givesList(Operation *op) {
  return cast<ReduceOp>(op).getKind() == ReductionKind::Topk;
}

/// How many passes every reduction has to wait for. One without references that
/// another one refers to moves to the pass of that one, if nothing needs it
/// earlier: its value so far is what is asked for.
static SmallVector<unsigned> levelsOf(MutableArrayRef<ReduceOp> reduces) {
  llvm::DenseMap<Operation *, unsigned> numbers;
  SmallVector<unsigned> levels(reduces.size(), 0);
  SmallVector<unsigned> latest(reduces.size(), UINT_MAX);
  for (auto [number, reduce] : llvm::enumerate(reduces)) {
    numbers[reduce] = number;
    unsigned &level = levels[number];
    for (Operation *before : directDependences(reduce))
      level = std::max(level, levels[numbers.lookup(before)] + 1);
    for (Value ref : reduce.getRefs())
      for (Operation *before : reductionsBehind(ref))
        level = std::max(level, levels[numbers.lookup(before)] +
                                    (givesList(before) ? 1 : 0));
    for (Operation *before : directDependences(reduce)) {
      unsigned &limit = latest[numbers.lookup(before)];
      limit = std::min(limit, level - 1);
    }
  }
  for (auto [number, reduce] : llvm::enumerate(reduces))
    for (Value ref : reduce.getRefs())
      for (Operation *before : reductionsBehind(ref)) {
        unsigned other = numbers.lookup(before);
        if (cast<ReduceOp>(before).getRefs().empty() && !givesList(before) &&
            latest[other] >= levels[number])
          levels[other] = std::max(levels[other], levels[number]);
      }
  return levels;
}

ReductionPasses::ReductionPasses(ChainOp chain, Region &region, bool together)
    : region(region), axes(chain, region) {
  SmallVector<ReduceOp> reduces(region.front().getOps<ReduceOp>());
  SmallVector<unsigned> levelOf = levelsOf(reduces);
  // In program order, so that references precede their uses in a pass.
  SmallVector<unsigned> levels;
  for (auto [reduce, level] : llvm::zip_equal(reduces, levelOf)) {
    AxisSet over = axes.reducedBy(reduce);
    int64_t join = -1;
    if (together)
      for (auto [number, pass] : llvm::enumerate(passes))
        if (pass.axes == over && levels[number] == level)
          join = number;
    if (join < 0) {
      join = passes.size();
      passes.push_back({over, {}});
      levels.push_back(level);
    }
    passes[join].reduces.push_back(reduce);
    numbers[reduce] = join;
  }
  // Execution order: by level; program order within a level.
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(0, passes.size()));
  llvm::stable_sort(
      order, [&](unsigned a, unsigned b) { return levels[a] < levels[b]; });
  SmallVector<ReductionPass> sorted;
  for (unsigned number : order)
    sorted.push_back(std::move(passes[number]));
  passes = std::move(sorted);
  for (auto [number, pass] : llvm::enumerate(passes))
    for (ReduceOp reduce : pass.reduces)
      numbers[reduce] = number;
}

SmallVector<Value> cascade::getInputsAlong(unsigned axis, ValueRange roots,
                                           const AxisAnalysis &axes) {
  SmallVector<Value> inputs, worklist(roots);
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second || !axes.of(value).test(axis))
      continue;
    if (Operation *op = value.getDefiningOp())
      llvm::append_range(worklist, op->getOperands());
    else
      inputs.push_back(value);
  }
  return inputs;
}

SmallVector<SmallVector<unsigned>>
ReductionPasses::getInputsOfRuns(unsigned axis) const {
  SmallVector<SmallVector<unsigned>> runs;
  auto addRun = [&](ValueRange roots) {
    SmallVector<unsigned> &run = runs.emplace_back();
    for (Value input : getInputsAlong(axis, roots, axes))
      run.push_back(cast<BlockArgument>(input).getArgNumber());
  };
  for (const ReductionPass &pass : passes) {
    if (!pass.axes.test(axis))
      continue;
    SmallVector<Value> roots;
    for (ReduceOp reduce : pass.reduces)
      llvm::append_range(roots, reduce->getOperands());
    addRun(roots);
  }
  ChainOp chain = axes.getChain();
  SmallVector<Value> stored;
  auto yield = cast<YieldOp>(region.front().getTerminator());
  for (auto [output, value] : llvm::enumerate(yield.getValues()))
    if (chain.getOutputMap(output).isFunctionOfDim(axis))
      stored.push_back(value);
  if (!stored.empty())
    addRun(stored);
  return runs;
}

bool cascade::usesElementsAgain(ChainOp chain, unsigned axis) {
  for (unsigned i = 0; i < chain.getNumResults(); ++i)
    if (chain.getOutputMap(i).isFunctionOfDim(axis))
      return true;
  ReductionPasses passes(chain, chain.getBody(), /*together=*/chain.isFused());
  return llvm::count_if(passes.getPasses(), [&](const ReductionPass &pass) {
           return pass.axes.test(axis);
         }) > 1;
}
