//===- Mutations.cpp - Wrong compilers ------------------------------------===//
//
// A test that cannot fail shows nothing: these break fused chains on purpose.
//
//===----------------------------------------------------------------------===//

#include "Sweep.h"
#include "cascade/Dialect/Cascade/IR/Cascade.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace cascade;

void cascade::test::dropCorrections(ModuleOp module) {
  module.walk([](ReduceOp reduce) {
    if (reduce.getCorrection().empty())
      return;
    Block &block = reduce.getCorrection().front();
    OpBuilder b(block.getTerminator());
    SmallVector<Value> accumulators(
        block.getArguments().take_front(reduce.getNumResults()));
    YieldOp::create(b, reduce.getLoc(), accumulators);
    block.getTerminator()->erase();
  });
}

void cascade::test::dropReplay(ModuleOp module) {
  module.walk([](ChainOp chain) {
    cast<YieldOp>(chain.getBodyBlock()->getTerminator())
        .getReplayMutable()
        .clear();
  });
}
