//===- ShareReciprocals.cpp - One division a row --------------------------===//
//
// x * (1 / d) is within 1.5 units in the last place of x / d while 1 / d is a
// normal number, which the range watch sees to.
//
//===----------------------------------------------------------------------===//

#include "ChainFuser.h"

using namespace mlir;
using namespace cascade;

/// Whether some reduction is computed from `value`.
static bool feedsReduction(Value value) {
  SmallVector<Value> worklist{value};
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    for (Operation *user : next.getUsers()) {
      if (isa<ReduceOp>(user))
        return true;
      llvm::append_range(worklist, user->getResults());
    }
  }
  return false;
}

/// Whether `value` is computed from some reduction.
static bool comesFromReduction(Value value) {
  SmallVector<Value> worklist{value};
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!op || !seen.insert(next).second)
      continue;
    if (isa<ReduceOp>(op))
      return true;
    llvm::append_range(worklist, op->getOperands());
  }
  return false;
}

void cascade::shareReciprocals(ChainOp chain, const AxisAnalysis &axes,
                               const AxisSet &reduced,
                               ReplayCondition &replay) {
  for (auto divide : llvm::make_early_inc_range(
           chain.getBodyBlock()->getOps<arith::DivFOp>())) {
    Value divisor = divide.getRhs();
    if (!axes.of(divide).anyCommon(reduced) ||
        axes.of(divisor).anyCommon(reduced) || feedsReduction(divide) ||
        !comesFromReduction(divisor))
      continue;
    OpBuilder b(divide);
    Location loc = divide.getLoc();
    Value one = arith::ConstantOp::create(
        b, loc, b.getFloatAttr(divisor.getType(), 1.0));
    Value reciprocal = arith::DivFOp::create(b, loc, one, divisor);
    Value product = arith::MulFOp::create(b, loc, divide.getLhs(), reciprocal);
    divide.replaceAllUsesWith(product);
    divide.erase();
    replay.requireModerate(divisor);
  }
}
