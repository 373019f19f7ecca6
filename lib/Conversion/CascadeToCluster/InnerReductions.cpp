//===- InnerReductions.cpp - Reductions inside a tile ---------------------===//
//
// A reduction over axes that are not streamed (a dot product below a softmax,
// the entries of a topk) is evaluated where its value is asked for: over what
// the thread holds, and then over the lanes that share the axes. All threads of
// these lanes get the value.
//
//===----------------------------------------------------------------------===//

#include "MergeThreads.h"
#include "ThreadState.h"
#include "TileEvaluator.h"

using namespace mlir;
using namespace cascade;

bool TileEvaluator::isInner(ReduceOp reduce) const {
  return !layout.getAxes().reducedBy(reduce).test(context.rowAxis);
}

/// References are passed over: without them a reduction means the same.
void TileEvaluator::reduceInner(OpBuilder &b, ReduceOp reduce) {
  Location loc = context.loc;
  AxisSet over = layout.getAxes().reducedBy(reduce);
  AxisSet held = layout.reducedBy(reduce);
  ReductionPass pass{over, {reduce}};
  ThreadState states(pass, layout);
  auto scope = [&](ArrayRef<unsigned> position) { return mapping(position); };
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
  SmallVector<Value> reduced =
      states.insert(b, loc, reduce, /*values=*/{}, iterations, scope);
  reduced = mergeThreads(b, context, states, reduced,
                         /*forFirstBlock=*/false, scope);
  for (OpResult result : reduce->getResults())
    define(result, states.elementsOf(b, result, reduced));
}
