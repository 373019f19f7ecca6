//===- Rounds.cpp - Executions of one exchange ----------------------------===//
//
// An exchange that may execute again alternates between two sets of slots and
// mbarriers: round r uses set r mod 2, whose mbarriers complete phase r div 2.
// With one set, a message of round r + 1 could complete the phase of round r in
// place of one still under way, or overwrite a slot that is still to be read.
//
// With two, round r + 2 has to wait until round r has been read everywhere:
// * Where every block sends to every block, a peer sends round r + 2 after it
//   has received this block's round r + 1, which this block sends after all of
//   its threads have read round r: a block barrier between the two.
// * Where one block alone sends or receives, nothing comes back: a cluster
//   barrier before every second round.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "cascade/Transforms/Cluster/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace cascade::cluster;

Round cascade::cluster::getRound(Emitter &e, const ExchangePlan &plan) {
  Round round;
  if (!plan.count) {
    round.parity = e.constant(0);
    return round;
  }
  auto lowestBit = [&](Value value) -> Value {
    return arith::AndIOp::create(e.builder, e.loc, value, e.constant(1));
  };
  if (plan.sets == 1) {
    round.parity = lowestBit(plan.count);
    return round;
  }
  round.set = lowestBit(plan.count);
  round.parity = lowestBit(
      arith::ShRUIOp::create(e.builder, e.loc, plan.count, e.constant(1)));
  return round;
}

Value cascade::cluster::getMBarrier(Emitter &e, const ExchangePlan &plan,
                                    const Round &round, int64_t number) {
  Value index = e.constant(plan.firstMBarrier + number);
  if (round.set)
    index = e.add(index, e.scale(round.set, plan.mbarriers));
  return e.toIndex(index);
}

Value cascade::cluster::placeInSet(Emitter &e, const Round &round, Value place,
                                   int64_t count) {
  return round.set ? e.add(e.scale(round.set, count), place) : place;
}

RankSlots cascade::cluster::placeRanks(Expansion &e, const Round &round,
                                       int64_t count) {
  // Where all lanes of a warp read the same slots, those of neighbouring ranks
  // are next to each other: one load reads several. Otherwise those of
  // neighbouring groups are, which lie in other banks.
  if (e.who.laneGroups == 1) {
    Value set = placeInSet(e, round, e.who.group, e.who.groups);
    return {e.scale(set, count), 1};
  }
  return {placeInSet(e, round, e.who.group, e.who.groups * count),
          e.who.groups};
}

/// Whether some thread of this block may still read what its group's first
/// thread, which sends, does not wait for.
static bool needsBlockBarrier(const Expansion &e) {
  // In the second half of a scatter every lane up to the number of ranks sends,
  // and the next round's first half follows what all of them have sent.
  bool isScatter = e.collective.algorithm == Algorithm::Scatter;
  int64_t senders = isScatter ? e.kernel.clusterSize : 1;
  bool isEveryThread = e.who.warps == 1 && e.who.lanes <= senders;
  // Combining warps has a barrier in it.
  bool hasBarrier = e.collective.isReduction() && e.who.warps > 1;
  return !isEveryThread && !hasBarrier;
}

void cascade::cluster::orderRounds(Expansion &e, const ExchangePlan &plan) {
  if (plan.sets == 1)
    return;
  bool isOneSided =
      e.collective.isToRoot() || e.collective.kind == CollectiveKind::Broadcast;
  if (!isOneSided) {
    if (needsBlockBarrier(e))
      gpu::BarrierOp::create(e.builder, e.loc);
    return;
  }
  auto compare = [&](arith::CmpIPredicate predicate, Value value) -> Value {
    return arith::CmpIOp::create(e.builder, e.loc, predicate, value,
                                 e.constant(0));
  };
  Value isEven = compare(
      arith::CmpIPredicate::eq,
      arith::AndIOp::create(e.builder, e.loc, plan.count, e.constant(1)));
  Value isLater = compare(arith::CmpIPredicate::ne, plan.count);
  auto branch = scf::IfOp::create(e.builder, e.loc, e.both(isEven, isLater));
  branch->setDiscardableAttr(kUniformAttrName, e.builder.getUnitAttr());
  OpBuilder::InsertionGuard guard(e.builder);
  e.builder.setInsertionPointToStart(branch.thenBlock());
  BarrierOp::create(e.builder, e.loc);
}
