//===- StateParts.cpp - A state, cut into parts for warps -----------------===//

#include "StateParts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace cascade;

LaneGroup LaneGroup::create(OpBuilder &b, const KernelContext &context,
                            unsigned sharedLanes) {
  IntBuilder ints(b, context.loc);
  LaneGroup group;
  group.number = ints.constant(0);
  // Runs of bits that tell lanes apart, moved together; and of those that do
  // not.
  for (int64_t low = 1; low < MappingPlan::warpSize;) {
    bool isShared = sharedLanes & low;
    int64_t high = low;
    while (high < MappingPlan::warpSize && bool(sharedLanes & high) == isShared)
      high *= 2;
    Int run = ints.remUI(ints.divUI(context.ids.lane, ints.constant(low)),
                         ints.constant(high / low));
    if (isShared) {
      group.isFirst =
          ints.both(group.isFirst, ints.lessThan(run, ints.constant(1)));
    } else {
      group.number =
          ints.add(group.number, ints.mul(run, ints.constant(group.count)));
      group.count *= high / low;
    }
    low = high;
  }
  return group;
}

StateParts::StateParts(OpBuilder &b, const KernelContext &whole,
                       const ThreadState &wholeStates,
                       const RowThreads &threads)
    : context(whole), layout(context, wholeStates.getLayout().getAxes()),
      states(wholeStates.getPass(), layout) {
  choose(b, wholeStates, threads.warps);
  IntBuilder ints(b, whole.loc);
  for (const Cut &cut : cuts)
    count *= cut.count;
  Int warp = ints.remUI(whole.ids.warp, ints.constant(threads.warps));
  number = ints.remUI(warp, ints.constant(count));
  if (count < threads.warps)
    firstOwner = ints.lessThan(warp, ints.constant(count));
  Int left = number;
  for (Cut &cut : cuts) {
    cut.number = ints.remUI(left, ints.constant(cut.count));
    left = ints.divUI(left, ints.constant(cut.count));
    place(b, cut);
  }
}

/// Whether what merges states of `reduce` reads values that vary over `axis`
/// and are no states of the pass: these are known for the positions of the
/// thread, not for those of a part.
static bool variesOtherwise(const ThreadState &states, ReduceOp reduce,
                            unsigned axis) {
  SmallVector<Value> worklist(reduce.getRefs());
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(reduce->getRegions(), captured);
  llvm::append_range(worklist, captured);
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second ||
        !states.getLayout().getAxes().of(value).test(axis))
      continue;
    auto other = value.getDefiningOp<ReduceOp>();
    if (other && llvm::is_contained(states.getPass().reduces, other))
      continue;
    if (other || !value.getDefiningOp())
      return true;
    llvm::append_range(worklist, value.getDefiningOp()->getOperands());
  }
  return false;
}

/// Axes that all reductions have states along come first: along others every
/// part repeats the states that it is relative to.
void StateParts::choose(OpBuilder &b, const ThreadState &whole, int64_t warps) {
  ArrayRef<ReduceOp> reduces = whole.getPass().reduces;
  AxisSet all(context.axes.size(), true), any(context.axes.size());
  for (ReduceOp reduce : reduces) {
    all &= whole.getLayout().ofStates(reduce);
    any |= whole.getLayout().ofStates(reduce);
  }
  auto choose = [&](unsigned axis) {
    if (llvm::any_of(reduces, [&](ReduceOp reduce) {
          return variesOtherwise(whole, reduce, axis);
        }))
      return;
    cut(axis, warps);
    if (!cuts.empty() && cuts.back().axis == axis)
      warps /= cuts.back().count;
  };
  for (unsigned axis : all.set_bits())
    choose(axis);
  for (unsigned axis : any.set_bits())
    if (!all.test(axis))
      choose(axis);
}

/// Cuts `axis` into parts, `atMost` so many, that look the same from their
/// first positions.
void StateParts::cut(unsigned axis, int64_t atMost) {
  ArrayRef<int64_t> offsets = context.axes[axis].offsets;
  int64_t all = offsets.size();
  auto areAlike = [&](int64_t size) {
    for (int64_t i = 0; i < all; ++i)
      if (offsets[i] != offsets[i - i % size] + offsets[i % size])
        return false;
    return true;
  };
  int64_t parts = std::min(all, atMost);
  while (all % parts != 0 || !areAlike(all / parts))
    --parts;
  if (parts > 1)
    cuts.push_back({axis, parts, all / parts, {}});
}

/// Moves the thread to its part of an axis.
void StateParts::place(OpBuilder &b, const Cut &cut) {
  IntBuilder ints(b, context.loc);
  AxisPlace &its = context.axes[cut.axis];
  // The digits of the part's first position.
  int64_t inner = its.offsets.size();
  Int first = ints.mul(cut.number, ints.constant(cut.size));
  for (const DigitPlan &digit : context.plan.axes[cut.axis].digits) {
    if (digit.level != Level::Reg && digit.level != Level::Vector)
      continue;
    inner /= digit.size;
    Int position = ints.remUI(ints.divUI(first, ints.constant(inner)),
                              ints.constant(digit.size));
    its.base = ints.add(its.base,
                        ints.mul(position, ints.constant(digit.indexStride)));
  }
  its.offsets.resize(cut.size);
  if (its.validity.empty())
    return;
  its.validity.clear();
  for (int64_t offset : its.offsets)
    its.validity.push_back(ints.lessThan(
        ints.add(its.base, ints.constant(offset)), context.extents[cut.axis]));
}

Value StateParts::isFirstAlong(const AxisSet &axes, OpBuilder &b) const {
  IntBuilder ints(b, context.loc);
  Value isFirst;
  for (const Cut &cut : cuts)
    if (axes.test(cut.axis))
      isFirst = ints.both(isFirst, ints.lessThan(cut.number, ints.constant(1)));
  return isFirst;
}

void StateParts::placeStores(OpBuilder &b) {
  IntBuilder ints(b, context.loc);
  context.firsts = context.firstsBut(b, states.getPass().axes);
  for (auto [output, first] :
       llvm::zip_equal(context.outputs, context.firsts)) {
    AxisSet others(context.axes.size());
    for (unsigned axis = 0; axis < others.size(); ++axis)
      if (!output.map.isFunctionOfDim(axis))
        others.set(axis);
    first = ints.both(first, isFirstAlong(others, b));
  }
}
