//===- Ring.cpp - Exchange of tuples around a ring ------------------------===//
//
// Every block ends with the tuples of all ranks in its slots, as with messages
// to every block, but sends to the next block only: in step k the tuple of rank
// r - k, which it has got in the step before. A step has its own mbarrier: the
// messages of a step may overtake those of the one before.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace cascade::cluster;

SmallVector<Value> cascade::cluster::expandRing(Expansion &e,
                                                const ExchangePlan &plan,
                                                ValueRange values) {
  int64_t ranks = e.kernel.clusterSize, steps = ranks - 1;
  Value rank = e.kernel.rank;
  Value slots = e.allocate(plan.sets * e.who.groups * ranks);
  Round round = getRound(e, plan);
  RankSlots own = placeRanks(e, round, ranks);
  SmallVector<Value> mbarriers;
  for (int64_t step = 0; step < steps; ++step)
    mbarriers.push_back(getMBarrier(e, plan, round, step));

  // A block sends its own tuple to itself as well, in step 0.
  int64_t bytes = e.who.groups * e.getTupleBytes();
  e.guarded(e.kernel.isThread0, [&] {
    for (auto [step, mbarrier] : llvm::enumerate(mbarriers))
      MBarrierExpectTxOp::create(e.builder, e.loc, e.kernel.mbarriers, mbarrier,
                                 e.constant(step == 0 ? 2 * bytes : bytes));
  });
  orderRounds(e, plan);
  auto send = [&](ValueRange tuple, Value slot, Value mbarrier, Value target) {
    Value place = e.scale(slot, e.packing.getNumChunks());
    for (auto [index, chunk] :
         llvm::enumerate(e.packing.toChunks(e.builder, e.loc, tuple)))
      StoreAsyncOp::create(e.builder, e.loc, chunk, slots,
                           e.toIndex(e.add(place, index)), e.kernel.mbarriers,
                           mbarrier, target);
  };
  auto wait = [&](Value mbarrier) {
    MBarrierWaitOp::create(e.builder, e.loc, e.kernel.mbarriers, mbarrier,
                           round.parity);
  };

  Value next = e.modulo(e.add(rank, 1), ranks), isLeader = e.isLeader();
  e.guarded(isLeader, [&] {
    Value slot = own.of(e, rank);
    send(values, slot, mbarriers.front(), rank);
    send(values, slot, mbarriers.front(), next);
  });
  for (int64_t step = 1; step < steps; ++step) {
    wait(mbarriers[step - 1]);
    Value from = e.modulo(e.add(rank, ranks - step), ranks);
    Value slot = own.of(e, from);
    e.guarded(isLeader,
              [&] { send(e.load(slots, slot), slot, mbarriers[step], next); });
  }
  wait(mbarriers.back());
  if (e.collective.isReduction())
    return e.combine(slots, own.first, own.stride, ranks);
  return e.concatenate(e.loadAll(slots, own.first, own.stride, ranks));
}
