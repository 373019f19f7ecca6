//===- Mailbox.cpp - All-reduce by messages to every block ----------------===//
//
// Every block has one slot a rank. A group's first warp sends its tuple into
// slot [own rank] of every block, itself included, by st.async on the
// receiver's mbarrier; the receiver waits for the bytes of all ranks and
// combines the slots in rank order.
//
// Reuse: a collective that may execute again alternates between two sets of
// slots and mbarriers. A peer sends round r + 2 only after it has received this
// block's round r + 1, which is sent after this block has read round r, so the
// set of round r is free by then: a barrier between the warps of a group, or of
// the lanes of its only warp, stands between the two. With one mbarrier, a
// message of round r + 1 could complete the phase of round r in place of one
// still under way.
//
// Exit: a block leaves after its own wait, when it has received everything that
// is sent to it.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cascade::cluster;

/// The first tuple of the slots of this group, in the set of this round.
static Value getSlots(Expansion &e, const MailboxPlan &plan, Value round) {
  Value set = e.who.group;
  if (round)
    set = e.add(e.scale(round, e.who.groups), set);
  return e.scale(set, e.kernel.clusterSize);
}

/// Sends the group's tuple to every block; lane j takes ranks j, j + lanes...
static void sendToAll(Expansion &e, Value slots, Value slot, Value mbarrier,
                      ValueRange values) {
  int64_t ranks = e.kernel.clusterSize;
  for (int64_t base = 0; base < ranks; base += e.who.lanes) {
    Value target = base == 0 ? e.who.laneInGroup
                             : e.add(e.who.laneInGroup, e.constant(base));
    Value isRank =
        base + e.who.lanes > ranks ? e.below(target, ranks) : Value();
    e.guarded(e.both(e.who.isFirstWarp, isRank), [&] {
      Value first = e.scale(slot, e.packing.getNumChunks());
      for (auto [index, chunk] :
           llvm::enumerate(e.packing.toChunks(e.builder, e.loc, values))) {
        Value at = index == 0 ? first : e.add(first, e.constant(index));
        StoreAsyncOp::create(e.builder, e.loc, chunk, slots, e.toIndex(at),
                             e.kernel.mbarriers, mbarrier, target);
      }
    });
  }
}

SmallVector<Value> cascade::cluster::expandMailbox(Expansion &e,
                                                   const MailboxPlan &plan,
                                                   ValueRange values) {
  int64_t ranks = e.kernel.clusterSize;
  Value slots = e.allocate(plan.rounds * e.who.groups * ranks);
  // Round r uses set r mod 2, whose mbarrier completes its phase r div 2.
  Value round, parity = e.constant(0), index = e.constant(plan.firstMBarrier);
  if (plan.rounds > 1) {
    round = arith::AndIOp::create(e.builder, e.loc, plan.count, e.constant(1));
    Value phase =
        arith::ShRUIOp::create(e.builder, e.loc, plan.count, e.constant(1));
    parity = arith::AndIOp::create(e.builder, e.loc, phase, e.constant(1));
    index = e.add(index, round);
  }
  Value mbarrier = e.toIndex(index);
  int64_t bytes = ranks * e.who.groups * e.packing.getNumChunks() *
                  e.packing.getChunkBytes();
  e.guarded(e.kernel.isThread0, [&] {
    MBarrierExpectTxOp::create(e.builder, e.loc, e.kernel.mbarriers, mbarrier,
                               e.constant(bytes));
  });
  // Lane j sends to rank j what all lanes have to have read the slots for.
  if (plan.rounds > 1 && e.who.warps == 1)
    WarpBarrierOp::create(e.builder, e.loc);
  Value first = getSlots(e, plan, round);
  sendToAll(e, slots, e.add(first, e.kernel.rank), mbarrier, values);
  MBarrierWaitOp::create(e.builder, e.loc, e.kernel.mbarriers, mbarrier,
                         parity);
  return e.combine(slots, first, /*stride=*/1, ranks);
}
