//===- WidenChains.cpp - The reference evaluation in f64 ------------------===//

#include "cascade/Transforms/WidenChains.h"
#include "FloatWidening.h"
#include "cascade/Transforms/PromoteAccumulators.h"
#include "mlir/Pass/Pass.h"

namespace cascade {
#define GEN_PASS_DEF_WIDENCHAINSPASS
#include "cascade/Transforms/Passes.h.inc"
} // namespace cascade

using namespace mlir;
using namespace cascade;

void cascade::widenToF64(ChainOp chain) {
  // A reduction typed below f32 rounds at its finish, here too.
  promoteAccumulators(chain);
  FloatWidening widening(Float64Type::get(chain.getContext()));
  Block &block = *chain.getBodyBlock();
  Operation *first = &block.front();
  OpBuilder b(first);
  IRMapping mapping;
  for (BlockArgument argument : block.getArguments())
    mapping.map(argument, widening.extend(b, argument));

  auto range = llvm::make_range(first->getIterator(), block.end());
  SmallVector<Operation *> old;
  for (Operation &op : range)
    old.push_back(&op);
  for (Operation *op : ArrayRef(old).drop_back())
    widening.cloneOperation(b, op, mapping);

  auto yield = cast<YieldOp>(old.back());
  SmallVector<Value> values;
  for (Value value : yield.getValues())
    values.push_back(widening.round(b, mapping.lookup(value), value.getType()));
  YieldOp::create(b, yield.getLoc(), values);
  for (Operation *op : llvm::reverse(old))
    op->erase();
}

namespace {
struct WidenChainsPass
    : public cascade::impl::WidenChainsPassBase<WidenChainsPass> {
  void runOnOperation() override {
    WalkResult walk = getOperation()->walk([](ChainOp chain) {
      if (chain.isFused()) {
        chain.emitError() << "is fused; widen the chain as it was written";
        return WalkResult::interrupt();
      }
      widenToF64(chain);
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
