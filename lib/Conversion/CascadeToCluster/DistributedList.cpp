//===- DistributedList.cpp - A sorted list over lanes ---------------------===//
//
// Sorting networks (K. E. Batcher, Sorting networks and their applications,
// 1968). The candidates of L lanes are sorted, the worst first, in
// log2 L (log2 L + 1) / 2 exchanges between lanes. Beside the last L entries of
// the list they are compared place by place; what is better is bitonic
// together with the entries before it, and log2 of its length exchanges sort
// it. Exchanges over L places and more are between entries of one lane.
//
//===----------------------------------------------------------------------===//

#include "DistributedList.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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

/// Compares with the lane whose number differs in the bits of `mask`. Lanes
/// with `bit` set keep the greater entry, or the lesser one.
DistributedList::Entry DistributedList::exchange(OpBuilder &b, ValueRange mine,
                                                 int64_t mask, int64_t bit,
                                                 bool upperGreater) const {
  Entry other;
  for (Value value : mine)
    other.push_back(gpu::ShuffleOp::create(b, loc, value, constant(b, mask),
                                           constant(b, MappingPlan::warpSize),
                                           gpu::ShuffleMode::XOR)
                        .getShuffleResult());
  Value isUpper = bits[llvm::Log2_64(bit)];
  if (mine.size() == 1) {
    Entry greater{arith::MaxUIOp::create(b, loc, mine[0], other[0])};
    Entry lesser{arith::MinUIOp::create(b, loc, mine[0], other[0])};
    if (!upperGreater)
      std::swap(greater, lesser);
    return select(b, loc, isUpper, greater, lesser);
  }
  // Of two equal entries either is kept.
  Value otherIsGreater = format.precedes(b, other, mine);
  Value takes = arith::CmpIOp::create(b, loc,
                                      upperGreater ? arith::CmpIPredicate::eq
                                                   : arith::CmpIPredicate::ne,
                                      otherIsGreater, isUpper);
  return select(b, loc, takes, other, mine);
}

SmallVector<Value> DistributedList::insert(OpBuilder &b, ValueRange list,
                                           ValueRange candidate) const {
  // Sorted, the worst first: runs of two, four... A run and the next one, read
  // from its end, are bitonic together.
  Entry sorted(candidate);
  for (int64_t size = 2; size <= lanes; size *= 2) {
    sorted = exchange(b, sorted, size - 1, size / 2, /*upperGreater=*/true);
    for (int64_t stride = size / 4; stride > 0; stride /= 2)
      sorted = exchange(b, sorted, stride, stride, /*upperGreater=*/true);
  }
  SmallVector<Entry> entries;
  for (unsigned i = 0; i < depth; ++i)
    entries.push_back(Entry(list.slice(i * width, width)));
  auto better = [&](ValueRange x, ValueRange y) -> Entry {
    if (x.size() == 1)
      return {arith::MaxUIOp::create(b, loc, x[0], y[0])};
    return select(b, loc, format.precedes(b, y, x), y, x);
  };
  auto worse = [&](ValueRange x, ValueRange y) -> Entry {
    if (x.size() == 1)
      return {arith::MinUIOp::create(b, loc, x[0], y[0])};
    return select(b, loc, format.precedes(b, y, x), x, y);
  };
  entries.back() = better(entries.back(), sorted);
  for (unsigned distance = depth / 2; distance > 0; distance /= 2)
    for (unsigned i = 0; i < depth; ++i) {
      if (i & distance)
        continue;
      Entry first = entries[i], second = entries[i + distance];
      entries[i] = better(first, second);
      entries[i + distance] = worse(first, second);
    }
  SmallVector<Value> result;
  for (Entry &entry : entries) {
    for (int64_t stride = lanes / 2; stride > 0; stride /= 2)
      entry = exchange(b, entry, stride, stride, /*upperGreater=*/false);
    llvm::append_range(result, entry);
  }
  return result;
}

Value DistributedList::fromLane(OpBuilder &b, Value value,
                                unsigned number) const {
  if (lanes == 1)
    return value;
  Value source = arith::AddIOp::create(b, loc, groupStart, constant(b, number));
  return gpu::ShuffleOp::create(b, loc, value, source,
                                constant(b, MappingPlan::warpSize),
                                gpu::ShuffleMode::IDX)
      .getShuffleResult();
}

DistributedList::Entry DistributedList::get(OpBuilder &b, ValueRange list,
                                            unsigned number) const {
  Entry entry;
  for (Value value : list.slice(number / lanes * width, width))
    entry.push_back(fromLane(b, value, number % lanes));
  return entry;
}
