//===- Tree.cpp - All-reduce by stride doubling ---------------------------===//
//
// log2 P rounds over the largest power of two P <= N: in round s each block
// writes its state, meets the others in a cluster barrier and reads that of the
// block whose number differs in bit s. The N - P surplus ranks are folded in
// beforehand: for i < N - P, ranks 2i and 2i + 1 become number i, which keeps
// the states of every number contiguous and so in rank order. Both follow all
// rounds, so that both end with the result; the others read only rank 2i. Every
// step has its own slot, so that within one execution none is overwritten; the
// last barrier protects the next execution and the exit of a block.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cascade::cluster;

namespace {
class TreeExchange {
public:
  explicit TreeExchange(Expansion &e)
      : e(e), isLeader(e.both(e.who.isFirstWarp, e.who.isFirstLane)) {}

  /// Publishes `values` in a slot of its own and waits for all blocks.
  void publish(ValueRange values) {
    slots = e.allocate(e.who.groups);
    e.guarded(isLeader, [&] { e.store(slots, e.who.group, values); });
    BarrierOp::create(e.builder, e.loc);
  }

  /// What block `rank` has just published.
  SmallVector<Value> read(Value rank) {
    Value peer = MapSharedOp::create(e.builder, e.loc, slots, rank);
    return e.load(peer, e.who.group);
  }

private:
  Expansion &e;
  Value isLeader;
  Value slots;
};
} // namespace

static SmallVector<Value> select(Expansion &e, Value condition,
                                 ValueRange ifTrue, ValueRange ifFalse) {
  SmallVector<Value> chosen;
  for (auto [lhs, rhs] : llvm::zip_equal(ifTrue, ifFalse))
    chosen.push_back(
        arith::SelectOp::create(e.builder, e.loc, condition, lhs, rhs));
  return chosen;
}

static Value selectOne(Expansion &e, Value condition, Value lhs, Value rhs) {
  return arith::SelectOp::create(e.builder, e.loc, condition, lhs, rhs);
}

SmallVector<Value> cascade::cluster::expandTree(Expansion &e,
                                                ValueRange values) {
  int64_t ranks = e.kernel.clusterSize;
  int64_t powers = llvm::bit_floor(static_cast<uint64_t>(ranks));
  int64_t surplus = ranks - powers;
  TreeExchange exchange(e);
  auto makeXor = [&](Value lhs, int64_t rhs) -> Value {
    return arith::XOrIOp::create(e.builder, e.loc, lhs, e.constant(rhs));
  };
  auto hasBit = [&](Value value, int64_t bit) -> Value {
    Value masked =
        arith::AndIOp::create(e.builder, e.loc, value, e.constant(bit));
    return arith::CmpIOp::create(e.builder, e.loc, arith::CmpIPredicate::ne,
                                 masked, e.constant(0));
  };

  SmallVector<Value> state(values);
  Value rank = e.kernel.rank, number = rank, isPaired;
  if (surplus > 0) {
    isPaired = e.below(rank, 2 * surplus);
    Value half = arith::ShRUIOp::create(e.builder, e.loc, rank, e.constant(1));
    number = selectOne(e, isPaired, half, e.add(rank, e.constant(-surplus)));
    exchange.publish(state);
    // Both of a pair compute the pair's state; unpaired ranks read themselves.
    Value partner = selectOne(e, isPaired, makeXor(rank, 1), rank);
    SmallVector<Value> other = exchange.read(partner);
    Value isOdd = hasBit(rank, 1);
    SmallVector<Value> merged =
        e.merge(e.builder, e.loc, select(e, isOdd, other, state),
                select(e, isOdd, state, other));
    state = select(e, isPaired, merged, state);
  }
  for (int64_t stride = 1; stride < powers; stride *= 2) {
    exchange.publish(state);
    Value partner = makeXor(number, stride);
    if (surplus > 0) {
      // Number i is rank 2i below the surplus and i + surplus above it.
      Value isPair = e.below(partner, surplus);
      partner = selectOne(e, isPair, e.scale(partner, 2),
                          e.add(partner, e.constant(surplus)));
    }
    SmallVector<Value> other = exchange.read(partner);
    Value isUpper = hasBit(number, stride);
    state = e.merge(e.builder, e.loc, select(e, isUpper, other, state),
                    select(e, isUpper, state, other));
  }
  BarrierOp::create(e.builder, e.loc);
  return state;
}
