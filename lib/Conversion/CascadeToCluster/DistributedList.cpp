//===- DistributedList.cpp - A sorted list over lanes ---------------------===//
//
// Sorting networks (K. E. Batcher, Sorting networks and their applications,
// 1968). The candidates of L lanes are sorted, the best first, in
// log2 L (log2 L + 1) / 2 exchanges between lanes. Read from their end, they
// are compared place by place with the last L entries of the list; what is
// better is bitonic together with the entries before it, and log2 of its length
// exchanges sort it. Exchanges over L places and more are between entries of
// one lane. A single entry shifts those behind it by one place.
//
//===----------------------------------------------------------------------===//

#include "DistributedList.h"
#include "cascade/Dialect/Cluster/IR/Cluster.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cascade;

DistributedList::DistributedList(OpBuilder &b, Location loc,
                                 const EntryFormat &format, unsigned width,
                                 int64_t lanes, int64_t count)
    : loc(loc), format(format), width(width), lanes(lanes),
      depth(llvm::PowerOf2Ceil(llvm::divideCeil(count, lanes))) {
  Value thread = arith::IndexCastUIOp::create(
      b, loc, b.getI32Type(),
      gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x));
  auto masked = [&](int64_t mask) -> Value {
    return arith::AndIOp::create(b, loc, thread, constant(b, mask));
  };
  lane = masked(lanes - 1);
  groupStart = masked((MappingPlan::warpSize - 1) & ~(lanes - 1));
  previous = arith::SubIOp::create(b, loc, lane, constant(b, 1));
  previous = arith::AndIOp::create(b, loc, previous, constant(b, lanes - 1));
  previous = arith::OrIOp::create(b, loc, groupStart, previous);
  isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lane,
                                  constant(b, 0));
  for (int64_t bit = 1; bit < lanes; bit *= 2) {
    Value is = arith::AndIOp::create(b, loc, lane, constant(b, bit));
    bits.push_back(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, is,
                                         constant(b, 0)));
  }
}

Value DistributedList::constant(OpBuilder &b, int64_t value) const {
  return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
}

static SmallVector<Value> select(OpBuilder &b, Location loc, Value condition,
                                 ValueRange yes, ValueRange no) {
  SmallVector<Value> chosen;
  for (auto [x, y] : llvm::zip_equal(yes, no))
    chosen.push_back(arith::SelectOp::create(b, loc, condition, x, y));
  return chosen;
}

DistributedList::Entry DistributedList::fromPartner(OpBuilder &b,
                                                    ValueRange mine,
                                                    int64_t mask) const {
  Entry other;
  for (Value value : mine)
    other.push_back(gpu::ShuffleOp::create(b, loc, value, constant(b, mask),
                                           constant(b, MappingPlan::warpSize),
                                           gpu::ShuffleMode::XOR)
                        .getShuffleResult());
  return other;
}

/// Compares with the lane whose number differs in the bits of `mask`. Lanes
/// without `bit` keep the better entry, the others the worse one.
DistributedList::Entry DistributedList::exchange(OpBuilder &b, ValueRange mine,
                                                 int64_t mask,
                                                 int64_t bit) const {
  Entry other = fromPartner(b, mine, mask);
  Value isUpper = bits[llvm::Log2_64(bit)];
  if (mine.size() == 1)
    return select(b, loc, isUpper, worse(b, mine, other),
                  better(b, mine, other));
  // Of two equal entries either is kept.
  Value takes = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                      format.precedes(b, other, mine), isUpper);
  return select(b, loc, takes, other, mine);
}

DistributedList::Entry DistributedList::better(OpBuilder &b, ValueRange x,
                                               ValueRange y) const {
  if (x.size() == 1)
    return {arith::MaxUIOp::create(b, loc, x[0], y[0])};
  return select(b, loc, format.precedes(b, y, x), y, x);
}

DistributedList::Entry DistributedList::worse(OpBuilder &b, ValueRange x,
                                              ValueRange y) const {
  if (x.size() == 1)
    return {arith::MinUIOp::create(b, loc, x[0], y[0])};
  return select(b, loc, format.precedes(b, y, x), x, y);
}

SmallVector<Value> DistributedList::insert(OpBuilder &b, ValueRange list,
                                           ValueRange candidate) const {
  // Runs of two, four... A run and the next one, read from its end, are bitonic
  // together.
  Entry sorted(candidate);
  for (int64_t size = 2; size <= lanes; size *= 2) {
    sorted = exchange(b, sorted, size - 1, size / 2);
    for (int64_t stride = size / 4; stride > 0; stride /= 2)
      sorted = exchange(b, sorted, stride, stride);
  }
  // The entries of an empty list are those of all lanes. The first entry of a
  // lane is its best.
  Value isUsed =
      cluster::AnyOp::create(b, loc, format.exists(b, list.take_front(width)));
  auto branch = scf::IfOp::create(
      b, loc, isUsed,
      [&](OpBuilder &inner, Location) {
        scf::YieldOp::create(inner, loc, merge(inner, list, sorted));
      },
      [&](OpBuilder &inner, Location) {
        SmallVector<Value> all(sorted);
        llvm::append_range(all, list.drop_front(width));
        scf::YieldOp::create(inner, loc, all);
      });
  return SmallVector<Value>(branch.getResults());
}

/// The best of `list` and of the sorted entries `sorted`, one a lane.
SmallVector<Value> DistributedList::merge(OpBuilder &b, ValueRange list,
                                          ValueRange sorted) const {
  SmallVector<Entry> entries;
  for (unsigned i = 0; i < depth; ++i)
    entries.push_back(Entry(list.slice(i * width, width)));
  Entry reversed(sorted);
  if (lanes > 1)
    reversed = fromPartner(b, sorted, lanes - 1);
  entries.back() = better(b, entries.back(), reversed);
  for (unsigned distance = depth / 2; distance > 0; distance /= 2)
    for (unsigned i = 0; i < depth; ++i) {
      if (i & distance)
        continue;
      Entry first = entries[i], second = entries[i + distance];
      entries[i] = better(b, first, second);
      entries[i + distance] = worse(b, first, second);
    }
  SmallVector<Value> result;
  for (Entry &entry : entries) {
    for (int64_t stride = lanes / 2; stride > 0; stride /= 2)
      entry = exchange(b, entry, stride, stride);
    llvm::append_range(result, entry);
  }
  return result;
}

/// The list with `entry`, the same in all lanes of the group: every entry is
/// the better one of itself and of the worse one of `entry` and the entry
/// before.
SmallVector<Value> DistributedList::place(OpBuilder &b, ValueRange list,
                                          ValueRange entry) const {
  Entry above; // What the first lane has before its entry: nothing is better.
  for (Value value : entry)
    above.push_back(arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(value.getType(), -1)));
  SmallVector<Value> result;
  for (unsigned i = 0; i < depth; ++i) {
    ValueRange own = list.slice(i * width, width);
    Entry rotated;
    for (Value value : own)
      rotated.push_back(lanes == 1 ? value : shuffle(b, value, previous));
    Entry before = select(b, loc, isFirst, above, rotated);
    llvm::append_range(result, better(b, own, worse(b, before, entry)));
    above = rotated;
  }
  return result;
}

SmallVector<Value> DistributedList::insertFew(OpBuilder &b, ValueRange list,
                                              ValueRange candidate,
                                              Value enters) const {
  if (lanes == 1)
    return place(b, list, candidate);
  SmallVector<Value> init{enters};
  llvm::append_range(init, list);
  SmallVector<Type> types(ValueRange(init).getTypes());
  auto loop = scf::WhileOp::create(
      b, loc, types, init,
      [&](OpBuilder &inner, Location, ValueRange values) {
        scf::ConditionOp::create(
            inner, loc, cluster::AnyOp::create(inner, loc, values[0]), values);
      },
      [&](OpBuilder &inner, Location, ValueRange values) {
        // The last one of the group.
        Value where = cluster::BallotOp::create(inner, loc, values[0]);
        if (lanes < MappingPlan::warpSize) {
          where = arith::ShRUIOp::create(inner, loc, where, groupStart);
          where = arith::AndIOp::create(
              inner, loc, where, constant(inner, (int64_t(1) << lanes) - 1));
        }
        Value isAny = arith::CmpIOp::create(
            inner, loc, arith::CmpIPredicate::ne, where, constant(inner, 0));
        Value zeros = math::CountLeadingZerosOp::create(inner, loc, where);
        Value number = arith::SubIOp::create(
            inner, loc, constant(inner, MappingPlan::warpSize - 1), zeros);
        Value source = arith::OrIOp::create(inner, loc, groupStart, number);
        Entry entry;
        for (auto [value, absent] :
             llvm::zip_equal(candidate, format.none(inner))) {
          Value taken = shuffle(inner, value, source);
          entry.push_back(
              lanes == MappingPlan::warpSize
                  ? taken
                  : arith::SelectOp::create(inner, loc, isAny, taken, absent));
        }
        Value isOther = arith::CmpIOp::create(
            inner, loc, arith::CmpIPredicate::ne, lane, number);
        SmallVector<Value> carried{
            arith::AndIOp::create(inner, loc, values[0], isOther)};
        llvm::append_range(carried, place(inner, values.drop_front(), entry));
        scf::YieldOp::create(inner, loc, carried);
      });
  return SmallVector<Value>(loop.getResults().drop_front());
}

Value DistributedList::shuffle(OpBuilder &b, Value value, Value source) const {
  return gpu::ShuffleOp::create(b, loc, value, source,
                                constant(b, MappingPlan::warpSize),
                                gpu::ShuffleMode::IDX)
      .getShuffleResult();
}

Value DistributedList::fromLane(OpBuilder &b, Value value,
                                unsigned number) const {
  if (lanes == 1)
    return value;
  Value source = arith::AddIOp::create(b, loc, groupStart, constant(b, number));
  return shuffle(b, value, source);
}

DistributedList::Entry DistributedList::get(OpBuilder &b, ValueRange list,
                                            unsigned number) const {
  Entry entry;
  for (Value value : list.slice(number / lanes * width, width))
    entry.push_back(fromLane(b, value, number % lanes));
  return entry;
}
