//===- Tree.cpp - All-reduce and broadcast in log2 N rounds ---------------===//
//
// log2 P rounds over the largest power of two P <= N: in round s each block
// writes its state, meets the others in a cluster barrier and reads that of the
// block whose number differs in bit s. The N - P surplus ranks are folded in
// beforehand: for i < N - P, ranks 2i and 2i + 1 become number i, which keeps
// the states of every number contiguous and so in rank order. Both follow all
// rounds, so that both end with the result; the others read only rank 2i.
//
// Every round has its own slot, so that within one execution none is
// overwritten, and the barrier of a round frees the slots of those before. What
// is left is the last slot: --cluster-insert-barriers places a barrier before
// the next execution or the exit, where nothing else stands there.
//
// A broadcast is sent on by messages: with ranks counted from the root, rank p
// sends to p + 2^k for every 2^k above p, once it has the tuple.
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
  explicit TreeExchange(Expansion &e) : e(e), isLeader(e.isLeader()) {}

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
        e.merge(e.builder, e.loc, e.select(isOdd, other, state),
                e.select(isOdd, state, other));
    state = e.select(isPaired, merged, state);
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
    state = e.merge(e.builder, e.loc, e.select(isUpper, other, state),
                    e.select(isUpper, state, other));
  }
  return state;
}

SmallVector<Value>
cascade::cluster::expandTreeBroadcast(Expansion &e, const ExchangePlan &plan,
                                      ValueRange values) {
  int64_t ranks = e.kernel.clusterSize, root = e.collective.root;
  Value slots = e.allocate(plan.sets * e.who.groups);
  Round round = getRound(e, plan);
  Value mbarrier = getMBarrier(e, plan, round);
  Value slot = placeInSet(e, round, e.who.group, e.who.groups);
  Value place = e.scale(slot, e.packing.getNumChunks());
  e.guarded(e.kernel.isThread0, [&] {
    MBarrierExpectTxOp::create(e.builder, e.loc, e.kernel.mbarriers, mbarrier,
                               e.constant(e.who.groups * e.getTupleBytes()));
  });
  orderRounds(e, plan);
  auto send = [&](ValueRange tuple, Value target) {
    for (auto [index, chunk] :
         llvm::enumerate(e.packing.toChunks(e.builder, e.loc, tuple)))
      StoreAsyncOp::create(e.builder, e.loc, chunk, slots,
                           e.toIndex(e.add(place, index)), e.kernel.mbarriers,
                           mbarrier, target);
  };
  // The root sends to itself too: its threads take its first thread's tuple.
  Value isRoot = e.equals(e.kernel.rank, root);
  e.guarded(e.both(e.isLeader(), isRoot),
            [&] { send(values, e.constant(root)); });
  MBarrierWaitOp::create(e.builder, e.loc, e.kernel.mbarriers, mbarrier,
                         round.parity);
  SmallVector<Value> received = e.load(slots, slot);
  Value fromRoot =
      e.modulo(e.add(e.kernel.rank, (ranks - root) % ranks), ranks);
  for (int64_t stride = 1; stride < ranks; stride *= 2) {
    int64_t senders = std::min(stride, ranks - stride);
    Value target = e.modulo(e.add(e.kernel.rank, stride), ranks);
    e.guarded(e.both(e.isLeader(), e.below(fromRoot, senders)),
              [&] { send(received, target); });
  }
  return received;
}
