//===- InnerReductions.cpp - Reductions inside a tile ---------------------===//
//
// A reduction over axes that are not streamed (a dot product below a softmax,
// the entries of a topk) is evaluated where its value is asked for: over what
// the thread holds, and then over the lanes that share the axes. All threads of
// these lanes get the value. An axis that no registers hold is looped over, a
// tile of it at a time: there, whatever varies over the axis is evaluated again
// for every tile.
//
//===----------------------------------------------------------------------===//

#include "Contractor.h"
#include "MergeThreads.h"
#include "ThreadState.h"
#include "TileEvaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace cascade;

bool TileEvaluator::isInner(ReduceOp reduce) const {
  return !layout.getAxes().reducedBy(reduce).test(context.rowAxis);
}

AxisSet TileEvaluator::loopedBy(ReduceOp reduce) const {
  AxisSet axes = layout.getAxes().reducedBy(reduce);
  for (unsigned axis : axes.set_bits())
    if (!context.isLooped(axis))
      axes.reset(axis);
  return axes;
}

bool TileEvaluator::variesInLoop(Value value) const {
  return llvm::any_of(layout.getAxes().of(value).set_bits(),
                      [&](unsigned axis) { return context.isLooped(axis); });
}

SmallVector<Value> TileEvaluator::outsideOfLoop(ValueRange roots,
                                                const AxisSet &loops) const {
  SmallVector<Value> outside, worklist(roots);
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (!layout.getAxes().of(value).anyCommon(loops))
      outside.push_back(value);
    else
      llvm::append_range(worklist, neededBy(value.getDefiningOp()));
  }
  return outside;
}

/// References are passed over: without them a reduction means the same.
void TileEvaluator::reduceInner(OpBuilder &b, ReduceOp reduce) {
  if (const Contractor *its = getContractor())
    if (ArrayRef<Contraction> sums = its->of(reduce); !sums.empty()) {
      for (const Contraction &sum : sums)
        define(sum.result(), its->contractInner(b, *this, sum));
      return;
    }
  ReductionPass pass{layout.getAxes().reducedBy(reduce), {reduce}};
  ThreadState states(pass, layout);
  auto scope = [&](ArrayRef<unsigned> position) { return mapping(position); };
  AxisSet loops = loopedBy(reduce);
  SmallVector<Value> reduced;
  if (loops.none())
    reduced = addInner(b, reduce, states, /*state=*/{});
  else
    reduced =
        loopInner(b, reduce, states, states.identity(b, context.loc, scope),
                  loops, loops, context);
  reduced =
      mergeThreads(b, context, states, reduced, /*forFirstBlock=*/false, scope);
  for (OpResult result : reduce->getResults())
    define(result, states.elementsOf(b, result, reduced));
}

SmallVector<Value> TileEvaluator::addInner(OpBuilder &b, ReduceOp reduce,
                                           const ThreadState &states,
                                           ValueRange state) {
  Location loc = context.loc;
  AxisSet over = layout.getAxes().reducedBy(reduce);
  AxisSet held = layout.reducedBy(reduce);
  for (Value value : reduce.getValues())
    evaluate(b, value);
  if (Value predicate = reduce.getPredicate())
    evaluate(b, predicate);
  auto iterations = [&](ArrayRef<unsigned> state) {
    ThreadState::Iterations all;
    for (const Position &position : layout.positions(held, state)) {
      SmallVector<Value> &each = all.values.emplace_back();
      for (Value value : reduce.getValues())
        each.push_back(layout.element(value, values[value], position));
      Value domain = isInside(b, over, position);
      if (Value predicate = reduce.getPredicate()) {
        Value chosen = layout.element(predicate, values[predicate], position);
        domain = domain ? Value(arith::AndIOp::create(b, loc, domain, chosen))
                        : chosen;
      }
      all.domains.push_back(domain);
    }
    if (llvm::none_of(all.domains, [](Value domain) { return bool(domain); }))
      all.domains.clear();
    return all;
  };
  return states.insert(
      b, loc, reduce, state, iterations,
      [&](ArrayRef<unsigned> position) { return mapping(position); });
}

SmallVector<Value> TileEvaluator::loopInner(OpBuilder &b, ReduceOp reduce,
                                            const ThreadState &states,
                                            ValueRange state, AxisSet left,
                                            const AxisSet &looped,
                                            const KernelContext &at) {
  Location loc = context.loc;
  if (left.none()) {
    TileEvaluator tile(*this, at, looped);
    return tile.addInner(b, reduce, states, state);
  }
  unsigned axis = left.find_first();
  IntBuilder ints(b, loc);
  auto loop = scf::ForOp::create(b, loc, ints.materialise(ints.constant(0)),
                                 ints.materialise(context.tilesOf(b, axis)),
                                 ints.materialise(ints.constant(1)), state);
  OpBuilder inner = OpBuilder::atBlockBegin(loop.getBody());
  KernelContext there = at;
  there.placeTile(inner, axis, ints.wrap(loop.getInductionVar()));
  SmallVector<Value> next =
      loopInner(inner, reduce, states, loop.getRegionIterArgs(),
                left.reset(axis), looped, there);
  scf::YieldOp::create(inner, loc, next);
  return SmallVector<Value>(loop.getResults());
}
