//===- MergeThreads.cpp - The collective of a pass ------------------------===//

#include "MergeThreads.h"
#include "MergeParts.h"
#include "cascade/Dialect/Cascade/IR/ReductionKind.h"
#include "cascade/Dialect/Cluster/IR/Cluster.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace cascade;

using State = ThreadState::State;

//===----------------------------------------------------------------------===//
// Who takes part
//===----------------------------------------------------------------------===//

namespace {
/// Lanes whose numbers differ in `size` multiples of `stride`.
struct LaneRun {
  int32_t size = 1, stride = 1;
};

/// The threads that share what a pass reduces.
struct Participants {
  /// Outermost last. More than one where others' lanes are between them.
  SmallVector<LaneRun> lanes;
  unsigned laneBits = 0; ///< in which their numbers differ
  int32_t warps = 1;
  int64_t blocks = 1;
};
} // namespace

static Participants participantsOf(const KernelContext &context,
                                   const AxisSet &axes) {
  Participants found;
  for (unsigned number : axes.set_bits()) {
    const AxisPlan &axis = context.plan.axes[number];
    found.warps *= axis.sizeAt(Level::Warp);
    found.blocks *= axis.sizeAt(Level::Cluster);
    for (const DigitPlan &digit : axis.digits)
      if (digit.level == Level::Lane)
        found.laneBits |= unsigned((digit.size - 1) * digit.idStride);
  }
  for (int32_t bit = 1; bit < MappingPlan::warpSize; bit *= 2) {
    if (!(found.laneBits & bit))
      continue;
    if (found.lanes.empty() || !(found.laneBits & (bit / 2)))
      found.lanes.push_back({1, bit});
    found.lanes.back().size *= 2;
  }
  if (found.lanes.empty())
    found.lanes.push_back({});
  return found;
}

//===----------------------------------------------------------------------===//
// The collective
//===----------------------------------------------------------------------===//

SmallVector<Value> cascade::toExchanged(OpBuilder &b, Location loc,
                                        ValueRange values) {
  SmallVector<Value> result;
  for (Value value : values)
    result.push_back(
        value.getType().isIndex()
            ? Value(arith::IndexCastOp::create(b, loc, b.getI64Type(), value))
            : value);
  return result;
}

SmallVector<Value> cascade::fromExchanged(OpBuilder &b, Location loc,
                                          ValueRange values, TypeRange types) {
  SmallVector<Value> result;
  for (auto [value, type] : llvm::zip_equal(values, types))
    result.push_back(
        type.isIndex() ? Value(arith::IndexCastOp::create(b, loc, type, value))
                       : value);
  return result;
}

/// The kind of `reduce`, `count` times.
static void appendKinds(ReduceOp reduce, unsigned count,
                        SmallVectorImpl<cluster::Kind> &out) {
  out.append(count,
             *cluster::symbolizeKind(stringifyReductionKind(reduce.getKind())));
}

/// Reduces values of the kind of `reduce` over lanes, as many as hold states.
static SmallVector<Value> allReduceLanes(OpBuilder &b, Location loc,
                                         ReduceOp reduce, ValueRange values) {
  SmallVector<cluster::Kind> kinds;
  appendKinds(reduce, values.size(), kinds);
  auto op = cluster::AllReduceOp::create(b, loc, toExchanged(b, loc, values),
                                         cluster::Scope::Warp, kinds);
  return fromExchanged(b, loc, op.getResults(), values.getTypes());
}

/// Merges the states of lanes, each its own, one reduction after the
/// other: its accumulators are corrected once, to the references of all lanes
/// together, and then plainly reduced. A merge of whole states would correct
/// both of them in every round.
static State mergeLanes(OpBuilder &b, Location loc, const ThreadState &states,
                        ValueRange state, ThreadState::Scope scope) {
  State merged;
  for (ReduceOp reduce : states.getPass().reduces) {
    State values(state.slice(merged.size(), states.getNumValues(reduce)));
    if (!reduce.getRefs().empty())
      values = states.correct(b, loc, reduce, values,
                              states.references(b, loc, reduce, state, scope),
                              states.references(b, loc, reduce, merged, scope),
                              scope);
    llvm::append_range(merged, allReduceLanes(b, loc, reduce, values));
  }
  return merged;
}

/// One collective of `states`, over a run of lanes and what `scope` adds.
static State mergeRun(OpBuilder &b, Location loc, const ThreadState &states,
                      ValueRange state, LaneRun lanes, cluster::Scope scope,
                      std::optional<int32_t> warps, ThreadState::Scope known) {
  auto reduces = states.getPass().reduces;
  bool isPlain = llvm::all_of(
      reduces, [](ReduceOp reduce) { return reduce.getRefs().empty(); });
  bool isElementwiseOnly = llvm::all_of(
      reduces, [](ReduceOp reduce) { return isElementwise(reduce.getKind()); });
  SmallVector<Type> types = states.getTypes();
  SmallVector<Value> exchanged = toExchanged(b, loc, state);
  if (isPlain && isElementwiseOnly) {
    SmallVector<cluster::Kind> kinds;
    for (ReduceOp reduce : reduces)
      appendKinds(reduce, states.getNumValues(reduce), kinds);
    auto op = cluster::AllReduceOp::create(
        b, loc, exchanged, scope, kinds, lanes.size, warps,
        cluster::Algorithm::Auto, lanes.stride);
    return fromExchanged(b, loc, op.getResults(), types);
  }
  auto merge = [&](OpBuilder &inner, Location, ValueRange lower,
                   ValueRange higher) {
    return toExchanged(inner, loc,
                       states.merge(inner, loc,
                                    {fromExchanged(inner, loc, lower, types),
                                     fromExchanged(inner, loc, higher, types)},
                                    known));
  };
  auto lanewise = [&](OpBuilder &inner, Location, ValueRange ofLane) {
    return toExchanged(inner, loc,
                       mergeLanes(inner, loc, states,
                                  fromExchanged(inner, loc, ofLane, types),
                                  known));
  };
  auto op = cluster::AllReduceOp::create(
      b, loc, exchanged, scope, merge, lanes.size, warps,
      cluster::Algorithm::Auto,
      isElementwiseOnly ? cluster::LanewiseBuilder(lanewise)
                        : cluster::LanewiseBuilder(),
      lanes.stride);
  return fromExchanged(b, loc, op.getResults(), types);
}

State cascade::combineLanes(OpBuilder &b, const KernelContext &context,
                            const AxisSet &axes, ReduceOp reduce,
                            State values) {
  SmallVector<Type> types(ValueRange(values).getTypes());
  for (LaneRun lanes : participantsOf(context, axes).lanes) {
    SmallVector<cluster::Kind> kinds;
    appendKinds(reduce, values.size(), kinds);
    auto op = cluster::AllReduceOp::create(
        b, context.loc, toExchanged(b, context.loc, values),
        cluster::Scope::Warp, kinds, lanes.size, std::nullopt,
        cluster::Algorithm::Auto, lanes.stride);
    values = fromExchanged(b, context.loc, op.getResults(), types);
  }
  return values;
}

State cascade::mergeThreads(OpBuilder &b, const KernelContext &context,
                            const ThreadState &states, State state,
                            bool forFirstBlock, ThreadState::Scope scope,
                            ArrayRef<ReduceOp> ofLanes, GridMerge *grid,
                            MergedPart *rest) {
  Location loc = context.loc;
  Participants who = participantsOf(context, states.getPass().axes);
  if (!ofLanes.empty()) {
    State merged;
    for (ReduceOp reduce : states.getPass().reduces) {
      ValueRange rest = ValueRange(state).drop_front(merged.size());
      State values(rest.take_front(states.getNumValues(reduce)));
      if (!llvm::is_contained(ofLanes, reduce))
        values = combineLanes(b, context, states.getPass().axes, reduce,
                              std::move(values));
      llvm::append_range(merged, values);
    }
    state = std::move(merged);
    // From here on a lane is a row of its own.
    who.lanes.assign(1, LaneRun());
    who.laneBits = 0;
  }
  cluster::Scope widest = who.blocks > 1  ? cluster::Scope::Cluster
                          : who.warps > 1 ? cluster::Scope::Block
                                          : cluster::Scope::Warp;
  std::optional<int32_t> warps;
  if (widest != cluster::Scope::Warp)
    warps = who.warps;
  for (LaneRun lanes : ArrayRef(who.lanes).drop_back())
    state = mergeRun(b, loc, states, state, lanes, cluster::Scope::Warp,
                     std::nullopt, scope);
  LaneRun last = who.lanes.back();
  RowThreads threads{sharedLanesOf(states), who.warps, who.blocks};
  // After several runs of lanes the same state is in lanes that are no run.
  if (who.lanes.size() == 1 && isMergedInParts(states, threads)) {
    if (last.size > 1)
      state = mergeRun(b, loc, states, state, last, cluster::Scope::Warp,
                       std::nullopt, scope);
    return mergeParts(b, context, states, threads, state, forFirstBlock, scope,
                      grid, rest);
  }
  if (warps || last.size > 1)
    state = mergeRun(b, loc, states, state, last, widest, warps, scope);
  if (!grid)
    return state;
  return grid->merge(b, states, state,
                     ThreadColumn::create(b, context, who.laneBits, who.warps),
                     scope);
}
