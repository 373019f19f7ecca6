//===- Mailbox.cpp - Exchange by messages between blocks ------------------===//
//
// A receiver has one slot a sender. The first warp of a group sends its tuple
// into slot [own rank] of every receiver, itself included, by st.async on the
// receiver's mbarrier; the receiver waits for the bytes of all senders and
// combines the slots in rank order, or takes them as they are. Where every
// group has a receiver of its own, only its groups have slots there.
//
// Exit: a block leaves after its own wait, when it has received everything that
// is sent to it; what it has sent is on its way without it.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cascade::cluster;

namespace {
/// One exchange of messages. Only block `root` sends, or receives, or neither.
struct Mailbox {
  Expansion &e;
  const ExchangePlan &plan;
  bool isFromRoot = false, isToRoot = false;

  Round round = {};
  Value slots = {}, mbarrier = {};
  RankSlots ranks = {}; // of this group

  /// Allocates the slots and expects the messages of this round.
  void open(int64_t number);
  /// Sends `values` to block `target`; whoever executes this sends.
  void send(ValueRange values, Value target);
  /// Sends the group's tuple to all receivers.
  void sendToReceivers(ValueRange values);
  /// Waits for the messages of all senders.
  void wait();
  /// What has arrived for this group, combined in rank order.
  SmallVector<Value> combine() {
    return e.combine(slots, ranks.first, ranks.stride, getNumSenders());
  }
  /// The same side by side.
  SmallVector<Value> concatenate() {
    return e.concatenate(
        e.loadAll(slots, ranks.first, ranks.stride, getNumSenders()));
  }

  int64_t getNumSenders() const {
    return isFromRoot ? 1 : e.kernel.clusterSize;
  }
  /// Bytes that this block receives, an i32.
  Value receivedBytes();
};
} // namespace

Value Mailbox::receivedBytes() {
  int64_t ofGroup = getNumSenders() * e.getTupleBytes();
  int64_t warpGroups = e.kernel.warps / e.who.warps;
  if (!e.collective.isScattered() || warpGroups % e.kernel.clusterSize == 0)
    return e.constant(ofGroup * e.who.groups);
  // Rank r is the root of every N-th group of warps from number r on.
  Value behind = arith::SubIOp::create(
      e.builder, e.loc, e.constant(warpGroups + e.kernel.clusterSize - 1),
      e.kernel.rank);
  return e.scale(e.divide(behind, e.kernel.clusterSize),
                 ofGroup * e.who.laneGroups);
}

void Mailbox::open(int64_t number) {
  int64_t senders = getNumSenders();
  slots = e.allocate(plan.sets * e.who.groups * senders);
  round = getRound(e, plan);
  mbarrier = getMBarrier(e, plan, round, number);
  // A thread expects the messages of a round after it has waited for those of
  // the round before: one that receives.
  Value expects = e.kernel.isThread0;
  if (e.collective.isScattered())
    expects = e.equals(e.kernel.thread,
                       e.scale(e.kernel.rank, e.who.warps * kWarpSize));
  else if (isToRoot)
    expects = e.both(expects, e.isRoot());
  e.guarded(expects, [&] {
    MBarrierExpectTxOp::create(e.builder, e.loc, e.kernel.mbarriers, mbarrier,
                               receivedBytes());
  });
  ranks = placeRanks(e, round, senders);
}

void Mailbox::send(ValueRange values, Value target) {
  Value slot = isFromRoot ? ranks.first : ranks.of(e, e.kernel.rank);
  Value place = e.scale(slot, e.packing.getNumChunks());
  for (auto [index, chunk] :
       llvm::enumerate(e.packing.toChunks(e.builder, e.loc, values)))
    StoreAsyncOp::create(e.builder, e.loc, chunk, slots,
                         e.toIndex(e.add(place, index)), e.kernel.mbarriers,
                         mbarrier, target);
}

void Mailbox::sendToReceivers(ValueRange values) {
  if (isToRoot) {
    e.guarded(e.isLeader(), [&] { send(values, e.getRoot()); });
    return;
  }
  // Lane j takes ranks j, j + lanes... A tuple that is not combined may be
  // another in every lane.
  int64_t ranks = e.kernel.clusterSize;
  SmallVector<Value> mine(values);
  if (!e.collective.isReduction() && e.who.lanes > 1)
    mine = e.shuffle(values, e.laneOf(0), gpu::ShuffleMode::IDX);
  Value isSender = e.both(e.who.isFirstWarp, isFromRoot ? e.isRoot() : Value());
  for (int64_t base = 0; base < ranks; base += e.who.lanes) {
    Value target = e.add(e.who.laneInGroup, base);
    Value isRank =
        base + e.who.lanes > ranks ? e.below(target, ranks) : Value();
    e.guarded(e.both(isSender, isRank), [&] { send(mine, target); });
  }
}

void Mailbox::wait() {
  MBarrierWaitOp::create(e.builder, e.loc, e.kernel.mbarriers, mbarrier,
                         round.parity);
}

/// Sends slice s of `values` to block s, and combines what arrives.
static SmallVector<Value> scatter(Expansion &e, const ExchangePlan &plan,
                                  ValueRange values) {
  int64_t ranks = e.kernel.clusterSize;
  Expansion slices = e.ofSlices(ranks);
  Mailbox box{slices, plan};
  box.open(/*number=*/0);
  orderRounds(e, plan);
  SmallVector<SmallVector<Value>> parts = e.slice(values, ranks);
  e.guarded(e.isLeader(), [&] {
    for (auto [target, part] : llvm::enumerate(parts))
      box.send(part, e.constant(target));
  });
  box.wait();
  return box.combine();
}

SmallVector<Value> cascade::cluster::expandMailbox(Expansion &e,
                                                   const ExchangePlan &plan,
                                                   ValueRange values) {
  CollectiveKind kind = e.collective.kind;
  if (kind == CollectiveKind::ReduceScatter)
    return scatter(e, plan, values);
  Expansion ofRoot = e.ofRoot();
  Mailbox box{ofRoot, plan};
  box.isFromRoot = kind == CollectiveKind::Broadcast;
  box.isToRoot = e.collective.isToRoot();
  box.open(/*number=*/0);
  orderRounds(e, plan);
  box.sendToReceivers(values);
  return e.onlyWhere(box.isToRoot ? e.isRoot() : Value(),
                     e.collective.op->getResultTypes(), [&] {
                       box.wait();
                       if (box.isFromRoot)
                         return e.load(box.slots, box.ranks.first);
                       return e.collective.isReduction() ? box.combine()
                                                         : box.concatenate();
                     });
}

SmallVector<Value> cascade::cluster::expandScatter(Expansion &e,
                                                   const ExchangePlan &plan,
                                                   ValueRange values) {
  SmallVector<Value> mine = scatter(e, plan, values);
  Expansion slices = e.ofSlices(e.kernel.clusterSize);
  Mailbox box{slices, plan};
  box.open(/*number=*/1);
  box.sendToReceivers(mine);
  box.wait();
  return box.concatenate();
}
