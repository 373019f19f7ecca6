//===- Axes.cpp - What varies over what -----------------------------------===//

#include "cascade/Dialect/Cascade/IR/Axes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cascade;

/// The axes that the results of `map` mention.
static AxisSet axesIn(AffineMap map, unsigned numAxes) {
  AxisSet set(numAxes);
  for (AffineExpr result : map.getResults())
    for (unsigned axis = 0; axis < numAxes; ++axis)
      if (result.isFunctionOfDim(axis))
        set.set(axis);
  return set;
}

AxisAnalysis::AxisAnalysis(ChainOp chain, Region &region) : chain(chain) {
  unsigned numAxes = chain.getNumAxes();
  Block &block = region.front();
  for (auto [index, argument] : llvm::enumerate(block.getArguments()))
    if (index < chain.getInputMaps().size())
      axes[argument] = axesIn(chain.getInputMap(index), numAxes);

  for (Operation &op : block.without_terminator()) {
    AxisSet set(numAxes);
    for (Value operand : op.getOperands())
      set |= of(operand);
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      set.reset(reducedBy(reduce));
      if (auto into = reduce.getInto())
        if (int64_t axis = chain.getAxisNumber(*into); axis >= 0)
          set.set(axis);
    } else if (auto index = dyn_cast<IndexOp>(op)) {
      if (int64_t axis = chain.getAxisNumber(index.getAxis()); axis >= 0)
        set.set(axis);
    }
    for (Value result : op.getResults())
      axes[result] = set;
  }
}

AxisSet AxisAnalysis::of(Value value) const {
  auto it = axes.find(value);
  return it == axes.end() ? AxisSet(ChainOp(chain).getNumAxes()) : it->second;
}

AxisSet AxisAnalysis::reducedBy(ReduceOp reduce) const {
  ChainOp op = chain;
  AxisSet set(op.getNumAxes());
  for (auto name : reduce.getOver().getAsRange<StringAttr>())
    if (int64_t axis = op.getAxisNumber(name.getValue()); axis >= 0)
      set.set(axis);
  return set;
}
