//===- BlockExchange.cpp - Exchange within a warp and a block -------------===//

#include "Expansion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace cascade::cluster;

//===----------------------------------------------------------------------===//
// Parts of tuples
//===----------------------------------------------------------------------===//

static SmallVector<Type> sliceTypes(TypeRange types, int64_t count) {
  SmallVector<Type> slices;
  for (Type type : types) {
    auto vector = cast<VectorType>(type);
    slices.push_back(VectorType::get({vector.getNumElements() / count},
                                     vector.getElementType()));
  }
  return slices;
}

Expansion Expansion::ofSlices(int64_t count) const {
  Expansion slices = *this;
  slices.packing =
      TuplePacking(sliceTypes(collective.inputs.getTypes(), count));
  return slices;
}

SmallVector<SmallVector<Value>> Expansion::slice(ValueRange values,
                                                 int64_t count) {
  if (count == 1)
    return {SmallVector<Value>(values)};
  SmallVector<SmallVector<Value>> slices(count);
  for (Value value : values) {
    int64_t length = cast<VectorType>(value.getType()).getNumElements() / count;
    for (auto [number, tuple] : llvm::enumerate(slices)) {
      SmallVector<Value> elements;
      for (int64_t at = 0; at < length; ++at)
        elements.push_back(vector::ExtractOp::create(
            builder, loc, value, int64_t(number) * length + at));
      auto type = VectorType::get(
          {length}, cast<VectorType>(value.getType()).getElementType());
      tuple.push_back(
          vector::FromElementsOp::create(builder, loc, type, elements));
    }
  }
  return slices;
}

SmallVector<Value> Expansion::concatenate(ArrayRef<SmallVector<Value>> tuples) {
  SmallVector<Value> vectors;
  for (size_t operand = 0; operand < tuples.front().size(); ++operand) {
    SmallVector<Value> elements;
    for (const SmallVector<Value> &tuple : tuples) {
      auto type = dyn_cast<VectorType>(tuple[operand].getType());
      if (!type)
        elements.push_back(tuple[operand]);
      for (int64_t at = 0; type && at < type.getNumElements(); ++at)
        elements.push_back(
            vector::ExtractOp::create(builder, loc, tuple[operand], at));
    }
    auto type = VectorType::get({static_cast<int64_t>(elements.size())},
                                elements.front().getType());
    vectors.push_back(
        vector::FromElementsOp::create(builder, loc, type, elements));
  }
  return vectors;
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

Value Expansion::laneOf(int64_t number) {
  Value first = arith::SubIOp::create(builder, loc, kernel.lane,
                                      scale(who.laneInGroup, who.stride));
  return add(first, number * who.stride);
}

/// Halves the slices in every step: of each pair whose numbers differ in bit k,
/// a lane keeps the one with its own bit k and sends the other to the lane that
/// differs in it. Slice r is left in lane r, combined in rank order.
static SmallVector<Value> scatterLanes(Expansion &e) {
  SmallVector<SmallVector<Value>> slices =
      e.slice(e.collective.inputs, e.who.lanes);
  Expansion part = e.ofSlices(e.who.lanes);
  for (int64_t stride = 1; stride < e.who.lanes; stride *= 2) {
    Value bit = arith::AndIOp::create(e.builder, e.loc, e.who.laneInGroup,
                                      e.constant(stride));
    Value isUpper = arith::CmpIOp::create(
        e.builder, e.loc, arith::CmpIPredicate::ne, bit, e.constant(0));
    // The slices left differ in the bits from `stride` on: neighbours in bit
    // `stride` are next to each other.
    SmallVector<SmallVector<Value>> kept;
    for (size_t pair = 0; pair < slices.size(); pair += 2) {
      SmallVector<Value> own =
          part.select(isUpper, slices[pair + 1], slices[pair]);
      SmallVector<Value> sent =
          part.select(isUpper, slices[pair], slices[pair + 1]);
      SmallVector<Value> other = part.shuffle(
          sent, e.constant(stride * e.who.stride), gpu::ShuffleMode::XOR);
      kept.push_back(part.merge(e.builder, e.loc,
                                part.select(isUpper, other, own),
                                part.select(isUpper, own, other)));
    }
    slices = std::move(kept);
  }
  return slices.front();
}

SmallVector<Value> cascade::cluster::exchangeLanes(Expansion &e) {
  ValueRange inputs = e.collective.inputs;
  switch (e.collective.kind) {
  case CollectiveKind::AllReduce:
  case CollectiveKind::Reduce:
    return e.combineLanes(inputs, e.who.laneInGroup, e.who.lanes, e.who.lanes);
  case CollectiveKind::ReduceScatter:
    return scatterLanes(e);
  case CollectiveKind::Broadcast:
    return e.shuffle(inputs, e.laneOf(e.collective.root),
                     gpu::ShuffleMode::IDX);
  case CollectiveKind::AllGather:
  case CollectiveKind::Gather:
    break;
  }
  SmallVector<SmallVector<Value>> tuples;
  for (int64_t lane = 0; lane < e.who.lanes; ++lane)
    tuples.push_back(e.shuffle(inputs, e.laneOf(lane), gpu::ShuffleMode::IDX));
  return e.concatenate(tuples);
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

namespace {
/// A buffer with `count` tuples of every lane group of every warp.
struct WarpSlots {
  Expansion &e;
  int64_t count;
  Value buffer = e.allocate(e.kernel.warps * e.who.laneGroups * count);

  /// Between the tuples of two warps.
  int64_t getStride() const { return e.who.laneGroups * count; }
  /// The first tuple of this lane's group in `warp`.
  Value placeOf(Value warp) {
    return e.scale(e.add(e.scale(warp, e.who.laneGroups), e.who.laneGroup),
                   count);
  }
  Value first() { return placeOf(e.who.firstWarp); }
};
} // namespace

SmallVector<Value> cascade::cluster::combineThreads(Expansion &e,
                                                    ValueRange values) {
  SmallVector<Value> state =
      e.combineLanes(values, e.who.laneInGroup, e.who.lanes, e.who.lanes);
  if (e.who.warps == 1)
    return state;
  WarpSlots slots{e, 1};
  e.guarded(e.who.isFirstLane, [&] {
    e.store(slots.buffer, slots.placeOf(e.kernel.warp), state);
  });
  return e.combine(slots.buffer, slots.first(), slots.getStride(), e.who.warps);
}

SmallVector<Value> cascade::cluster::spread(Expansion &e, ValueRange values) {
  if (e.who.warps > 1) {
    Value buffer = e.allocate(e.who.groups);
    e.guarded(e.isLeader(), [&] { e.store(buffer, e.who.group, values); });
    return e.load(buffer, e.who.group);
  }
  if (e.who.lanes == 1)
    return SmallVector<Value>(values);
  return e.shuffle(values, e.laneOf(0), gpu::ShuffleMode::IDX);
}

SmallVector<Value> cascade::cluster::exchangeWarps(Expansion &e) {
  const Collective &c = e.collective;
  if (c.kind == CollectiveKind::AllReduce)
    return combineThreads(e, c.inputs);
  SmallVector<Value> mine(c.inputs);
  if (c.isReduction())
    mine =
        e.combineLanes(c.inputs, e.who.laneInGroup, e.who.lanes, e.who.lanes);
  if (e.who.warps == 1) {
    if (c.isReduction())
      return mine;
    mine = spread(e, mine);
    return c.kind == CollectiveKind::Broadcast ? mine : e.concatenate({mine});
  }

  Value isRoot = e.equals(e.who.warpInGroup, c.root);
  if (c.kind == CollectiveKind::Broadcast) {
    Value buffer = e.allocate(e.who.groups);
    e.guarded(e.both(isRoot, e.who.isFirstLane),
              [&] { e.store(buffer, e.who.group, mine); });
    return e.load(buffer, e.who.group);
  }
  bool isScattered = c.kind == CollectiveKind::ReduceScatter;
  int64_t count = isScattered ? e.who.warps : 1;
  Expansion part = isScattered ? e.ofSlices(count) : e;
  WarpSlots slots{part, count};
  SmallVector<SmallVector<Value>> tuples = e.slice(mine, count);
  e.guarded(e.who.isFirstLane, [&] {
    part.storeAll(slots.buffer, slots.placeOf(e.kernel.warp), tuples);
  });
  Value first = slots.first();
  if (isScattered)
    return part.combine(slots.buffer, part.add(first, e.who.warpInGroup),
                        slots.getStride(), e.who.warps);
  return e.onlyWhere(
      c.isToRoot() ? isRoot : Value(), c.op->getResultTypes(), [&] {
        return c.isReduction()
                   ? e.combine(slots.buffer, first, slots.getStride(),
                               e.who.warps)
                   : e.concatenate(e.loadAll(slots.buffer, first,
                                             slots.getStride(), e.who.warps));
      });
}
