//===- Barriers.cpp - Barriers of blocks and clusters, fences -------------===//

#include "Machine.h"
#include "cascade/Dialect/Cluster/IR/Cluster.h"

using namespace cascade::sim;
using cascade::cluster::FenceKind;
using llvm::Twine;

void Machine::wakeBlock(Block &block, Wait wait) {
  for (Warp &warp : block.warps)
    for (LaneGroup &group : warp.groups)
      if (group.wait == wait) {
        group.wait = Wait::None;
        warp.isReady = true;
      }
}

/// The first thread counts the arrival of all, which know `known` together, and
/// gives them what it has acquired.
ClockRef Machine::arriveLast(Block &block, const Instr &instr,
                             const ClockRef &known) {
  Warp &first = block.warps.front();
  auto *counters = reinterpret_cast<const uint64_t *>(&first.frame[instr.a]);
  auto *counts = reinterpret_cast<const uint32_t *>(&first.frame[instr.b]);
  for (const Warp &warp : block.warps) {
    auto *theirs = reinterpret_cast<const uint64_t *>(&warp.frame[instr.a]);
    for (uint32_t rest = warp.present; rest; rest &= rest - 1)
      if (theirs[__builtin_ctz(rest)] != counters[0])
        reporter.report("counter", instr.op,
                        describe(warp.firstThread + __builtin_ctz(rest)) +
                            " arrives at another counter than the first "
                            "thread of its block");
  }
  if (int32_t(counts[0]) < 1)
    reporter.report("counter", instr.op,
                    describe(first.firstThread) + " counts to " +
                        Twine(int32_t(counts[0])) + "; use 1 and more");
  auto name = [&] { return describe(first.firstThread); };
  GlobalAccessor who{clusterNumber + 1, first.view(0), first.epoch, instr.op,
                     name};
  auto result = global.increment(counters[0], counts[0] - 1, known, who);
  bool isLast = result && result->first == counts[0] - 1;
  for (Warp &warp : block.warps)
    std::fill_n(reinterpret_cast<uint32_t *>(&warp.frame[instr.dst]), kLanes,
                isLast);
  if (!result)
    return known;
  auto *acquired = new Clock(*known);
  acquired->others = joinOthers(known->others, result->second);
  return ClockRef(acquired);
}

/// bar.sync, which all lanes of a warp execute together (PTX .aligned); or
/// the same around an arrival.
bool Machine::blockBarrier(Warp &warp, LaneGroup &group) {
  if (group.mask != warp.present) {
    group.wait = Wait::Lanes;
    return false;
  }
  Block &block = *warp.block;
  group.wait = Wait::BlockBarrier;
  if (++block.waiting < block.warps.size())
    return false;
  block.waiting = 0;
  ClockSum sum(numComponents), proxySum(numComponents);
  for (Warp &other : block.warps)
    for (uint32_t rest = other.present; rest; rest &= rest - 1) {
      unsigned lane = __builtin_ctz(rest);
      publish(sum, other, lane);
      if (other.proxy[lane])
        proxySum.add(other.proxy[lane]);
    }
  ClockRef clock = sum.take(), proxy = proxySum.take();
  const Instr &instr = program.code[group.pc];
  for (const Warp &other : block.warps)
    for (const LaneGroup &waiting : other.groups) {
      const Instr &its = program.code[waiting.pc];
      if (&its == &instr || its.kind == instr.kind)
        continue;
      reporter.report("block barrier", instr.op,
                      "some warps of a block are at a barrier and others "
                      "arrive at a counter",
                      {{its.op, "the others are here"}});
      fail();
      return false;
    }
  if (instr.kind == Kind::ArriveLast)
    clock = arriveLast(block, instr, clock);
  for (Warp &other : block.warps) {
    ++other.epoch;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      other.clock[lane] = clock;
      other.proxy[lane] = proxy;
    }
    for (LaneGroup &waiting : other.groups) {
      waiting.wait = Wait::None;
      ++waiting.pc;
    }
    other.isReady = true;
  }
  return true;
}

/// bar.warp.sync of all lanes, which have come together.
void Machine::warpBarrier(Warp &warp) {
  ClockSum sum(numComponents), proxySum(numComponents);
  for (uint32_t rest = warp.present; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    publish(sum, warp, lane);
    if (warp.proxy[lane])
      proxySum.add(warp.proxy[lane]);
  }
  ClockRef clock = sum.take(), proxy = proxySum.take();
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    warp.clock[lane] = clock;
    warp.proxy[lane] = proxy;
  }
  ++warp.epoch;
}

void Machine::clusterArrive(Warp &warp, uint32_t mask, const Instr &instr) {
  bool isRelaxed = instr.imm;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    if (warp.arrivals[lane] != warp.waits[lane])
      reporter.report("cluster barrier", instr.op,
                      describe(warp.firstThread + lane) +
                          " arrives a second time without a wait between; put "
                          "cluster.barrier wait after each arrival");
    ++warp.arrivals[lane];
    if (!isRelaxed) {
      publish(clusterSum, warp, lane);
      if (warp.proxy[lane])
        clusterProxySum.add(warp.proxy[lane]);
    } else if (warp.fenced[lane]) {
      clusterSum.add(warp.fenced[lane]);
    }
    // The fence makes mbarriers known even where the arrival is relaxed.
    for (MBarrier &mbarrier : warp.block->mbarriers)
      if (mbarrier.isFenced && mbarrier.publishedBy == ~0u &&
          mbarrier.init.component == warp.firstThread + lane)
        mbarrier.publishedBy = clusterPhase;
  }
  ++warp.epoch;
  clusterArrived += llvm::popcount(mask);
  completeClusterBarrier();
}

/// Completes the phase when all threads that have not returned have arrived.
void Machine::completeClusterBarrier() {
  if (clusterArrived == 0)
    return;
  // Threads that arrived and returned are in both numbers.
  uint32_t missing = 0;
  for (const Block &block : blocks)
    for (const Warp &warp : block.warps)
      for (uint32_t rest = warp.live; rest; rest &= rest - 1)
        missing += warp.arrivals[__builtin_ctz(rest)] <= clusterPhase;
  if (missing)
    return;
  ++clusterPhase;
  clusterArrived = 0;
  clusterClock = clusterSum.take();
  clusterProxy = clusterProxySum.take();
  for (Block &block : blocks)
    wakeBlock(block, Wait::ClusterBarrier);
}

bool Machine::clusterWait(Warp &warp, LaneGroup &group, const Instr &instr) {
  for (uint32_t rest = group.mask; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    if (warp.arrivals[lane] == warp.waits[lane]) {
      reporter.report("cluster barrier", instr.op,
                      describe(warp.firstThread + lane) +
                          " waits without having arrived; put cluster.barrier "
                          "arrive before it");
      fail();
      return false;
    }
    if (warp.arrivals[lane] > clusterPhase) {
      group.wait = Wait::ClusterBarrier;
      return false;
    }
  }
  for (uint32_t rest = group.mask; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    warp.waits[lane] = warp.arrivals[lane];
    warp.clock[lane] = join(warp.clock[lane], clusterClock);
    warp.proxy[lane] = joinProxy(warp.proxy[lane], clusterProxy);
  }
  return true;
}

/// What a lane knows of its own block: `.shared::cta` is the memory of no peer.
void Machine::publishOwn(ClockSum &sum, const Warp &warp, unsigned lane) {
  sum.add(warp.firstThread + lane, warp.epoch);
  const Clock *clock = warp.clock[lane].get();
  if (!clock)
    return;
  auto add = [&](uint32_t component) {
    if (clock->at[component])
      sum.add(component, clock->at[component]);
  };
  for (const Warp &other : warp.block->warps)
    for (unsigned i = 0; i < kLanes; ++i)
      add(other.firstThread + i);
  for (uint32_t i = 0; i < warp.block->mbarriers.size(); ++i)
    add(componentOf(*warp.block, i));
}

void Machine::fence(Warp &warp, uint32_t mask, const Instr &instr) {
  auto kind = static_cast<FenceKind>(instr.imm);
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    for (MBarrier &mbarrier : warp.block->mbarriers) {
      bool isOwn = mbarrier.isInitialised &&
                   mbarrier.init.component == warp.firstThread + lane;
      mbarrier.isFenced |= isOwn && kind == FenceKind::MBarrierInit;
      mbarrier.isKnownToOwnBulk |= isOwn && kind != FenceKind::AcqRelCluster;
      mbarrier.isKnownToBulk |= isOwn && (kind == FenceKind::MBarrierInit ||
                                          kind == FenceKind::ProxyAsync);
    }
    if (kind == FenceKind::MBarrierInit)
      continue;
    ClockSum sum(numComponents);
    if (kind == FenceKind::ProxyAsyncShared) {
      publishOwn(sum, warp, lane);
      if (warp.proxy[lane])
        sum.add(warp.proxy[lane]);
    } else {
      publish(sum, warp, lane);
    }
    if (kind == FenceKind::AcqRelCluster)
      warp.fenced[lane] = sum.take();
    else
      warp.proxy[lane] = sum.take();
  }
  ++warp.epoch;
}
