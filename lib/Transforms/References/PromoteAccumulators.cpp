//===- PromoteAccumulators.cpp - Accumulate in f32 at least ---------------===//

#include "cascade/Transforms/PromoteAccumulators.h"
#include "FloatWidening.h"

using namespace mlir;
using namespace cascade;

/// Replaces `reduce` by one whose float accumulators are at least f32.
static void promote(ReduceOp reduce, const FloatWidening &widening) {
  OpBuilder b(reduce);
  OperationState state(reduce.getLoc(), reduce->getName());
  state.addAttributes(reduce->getAttrs());
  // References keep their types; they are no accumulators.
  unsigned numOperands = reduce->getNumOperands() - reduce.getRefs().size();
  for (auto [number, operand] : llvm::enumerate(reduce->getOperands()))
    state.operands.push_back(number < numOperands ? widening.extend(b, operand)
                                                  : operand);
  for (Type type : reduce->getResultTypes())
    state.types.push_back(widening.typeOf(type));
  IRMapping outside;
  for (Region *region : {&reduce.getCombiner(), &reduce.getCorrection()})
    region->walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (!region->isAncestor(operand.getParentRegion()) &&
            !outside.contains(operand))
          outside.map(operand, widening.extend(b, operand));
    });
  unsigned numResults = reduce.getNumResults();
  widening.cloneStateRegion(reduce.getCombiner(), *state.addRegion(),
                            2 * numResults, outside);
  widening.cloneStateRegion(reduce.getCorrection(), *state.addRegion(),
                            numResults, outside);
  Operation *promoted = b.create(state);
  for (auto [from, to] :
       llvm::zip(reduce->getResults(), promoted->getResults()))
    from.replaceAllUsesWith(widening.round(b, to, from.getType()));
  reduce.erase();
}

void cascade::promoteAccumulators(ChainOp chain) {
  FloatWidening widening(Float32Type::get(chain.getContext()));
  SmallVector<ReduceOp> narrow;
  chain.walk([&](ReduceOp reduce) {
    if (llvm::any_of(reduce->getResultTypes(),
                     [&](Type type) { return widening.typeOf(type) != type; }))
      narrow.push_back(reduce);
  });
  for (ReduceOp reduce : narrow)
    promote(reduce, widening);
}
