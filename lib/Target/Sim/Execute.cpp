//===- Execute.cpp - Runs the lanes of a warp -----------------------------===//

#include "Machine.h"
#include "cascade/Dialect/Cluster/IR/Cluster.h"

using namespace cascade::sim;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Groups of lanes
//===----------------------------------------------------------------------===//

/// Joins groups at one instruction, unless they wait for different things.
void Machine::mergeGroups(Warp &warp) {
  auto canMerge = [](const LaneGroup &group) {
    return group.wait == Wait::None || group.wait == Wait::Lanes;
  };
  for (size_t i = 0; i < warp.groups.size(); ++i)
    for (size_t k = warp.groups.size() - 1; k > i; --k) {
      LaneGroup &one = warp.groups[i], &other = warp.groups[k];
      if (one.pc != other.pc || !canMerge(one) || !canMerge(other))
        continue;
      one.mask |= other.mask;
      one.wait = Wait::None;
      warp.groups.erase(&other);
    }
}

/// The number of the group to run: the one furthest behind, or at random in
/// some interleavings. groups.size() where all wait.
size_t Machine::chooseGroup(Warp &warp) {
  size_t chosen = warp.groups.size();
  bool anyOrder = options.seed % 2 == 1 && nextRandom(4) == 0;
  for (size_t i = 0; i < warp.groups.size(); ++i) {
    if (warp.groups[i].wait != Wait::None)
      continue;
    if (chosen == warp.groups.size() ||
        (!anyOrder && warp.groups[i].pc < warp.groups[chosen].pc) ||
        (anyOrder && nextRandom(2)))
      chosen = i;
  }
  return chosen;
}

void Machine::runWarp(Warp &warp, unsigned events) {
  while (!hasFailed && !warp.groups.empty()) {
    if (warp.groups.size() > 1)
      mergeGroups(warp);
    size_t number = chooseGroup(warp);
    if (number == warp.groups.size()) {
      warp.isReady = false;
      return;
    }
    LaneGroup group = warp.groups[number];
    // Where it meets another group.
    uint32_t meeting = ~0u;
    for (const LaneGroup &other : warp.groups)
      if (other.pc > group.pc)
        meeting = std::min(meeting, other.pc);
    const Instr *code = program.code.data();
    Lanes lanes{warp.frame.data(), group.mask};
    uint32_t pc = group.pc, start = pc;
    // Arithmetic up to what is none.
    while (pc != meeting && code[pc].kind == Kind::Compute) {
      code[pc].compute(lanes, code[pc]);
      ++pc;
    }
    warp.instructions += pc - start + 1;
    if (warp.instructions > options.mostInstructions) {
      reporter.report("endless", code[pc].op,
                      describe(warp.firstThread) + " has executed " +
                          Twine(warp.instructions) +
                          " instructions and is taken to run forever");
      return fail();
    }
    LaneGroup &place = warp.groups[number];
    place.pc = pc;
    if (pc == meeting)
      continue;
    const Instr &instr = code[pc];
    switch (instr.kind) {
    case Kind::Jump:
      place.pc = instr.imm;
      continue;
    case Kind::JumpIfZero: {
      const auto *condition = lanes.at<uint32_t>(instr.a);
      uint32_t zeros = 0;
      for (unsigned lane = 0; lane < kLanes; ++lane)
        zeros |= uint32_t(condition[lane] == 0) << lane;
      zeros &= place.mask;
      if (zeros == place.mask) {
        place.pc = instr.imm;
        continue;
      }
      place.pc = pc + 1;
      if (zeros) {
        place.mask &= ~zeros;
        warp.groups.push_back({uint32_t(instr.imm), zeros});
      }
      continue;
    }
    case Kind::MayFault:
      instr.compute(lanes, instr);
      place.pc = pc + 1;
      if (lanes.fault)
        reporter.report(
            "undefined", instr.op,
            reporter.nameOf(instr.op) + " " + lanes.fault + " in " +
                describe(warp.firstThread + __builtin_ctz(place.mask)));
      continue;
    case Kind::Return: {
      uint32_t mask = place.mask;
      warp.groups.erase(warp.groups.begin() + number);
      returnLanes(warp, mask);
      continue;
    }
    default:
      break;
    }
    if (step(warp, place, instr) && --events == 0 && !warp.groups.empty())
      return;
  }
  if (warp.groups.empty())
    warp.isReady = false;
}

bool Machine::step(Warp &warp, LaneGroup &group, const Instr &instr) {
  uint32_t mask = group.mask;
  switch (instr.kind) {
  case Kind::Shuffle:
  case Kind::Vote:
  case Kind::Multiply:
  case Kind::Transpose:
    // shfl.sync and its like with all lanes of the warp.
    if (mask != warp.present) {
      group.wait = Wait::Lanes;
      return false;
    }
    if (instr.kind == Kind::Shuffle)
      shuffle(warp, mask, instr);
    else if (instr.kind == Kind::Vote)
      vote(warp, mask, instr);
    else if (instr.kind == Kind::Multiply)
      multiply(warp, instr);
    else
      transpose(warp, instr);
    break;
  case Kind::WarpBarrier:
    if (mask != warp.present) {
      group.wait = Wait::Lanes;
      return false;
    }
    warpBarrier(warp);
    break;
  case Kind::BlockBarrier:
  case Kind::ArriveLast:
    return blockBarrier(warp, group);
  case Kind::ClusterArrive:
    clusterArrive(warp, mask, instr);
    break;
  case Kind::ClusterWait:
    if (!clusterWait(warp, group, instr))
      return false;
    break;
  case Kind::Fence:
    fence(warp, mask, instr);
    break;
  case Kind::SharedLoad:
  case Kind::SharedStore:
    sharedAccess(warp, mask, instr, instr.kind == Kind::SharedStore);
    break;
  case Kind::GlobalLoad:
  case Kind::GlobalStore:
    globalAccess(warp, mask, instr, instr.kind == Kind::GlobalStore);
    break;
  case Kind::StoreAsync:
    storeAsync(warp, mask, instr);
    break;
  case Kind::CopyAsync:
    copyAsync(warp, mask, instr);
    break;
  case Kind::LoadAsync:
    loadAsync(warp, mask, instr);
    break;
  case Kind::MBarrierInit:
    mbarrierInit(warp, mask, instr);
    break;
  case Kind::MBarrierExpectTx:
    mbarrierExpect(warp, mask, instr);
    break;
  case Kind::MBarrierWait:
    if (!mbarrierWait(warp, group, instr))
      return false;
    break;
  default:
    break;
  }
  ++group.pc;
  return true;
}

template <typename Lane>
static void moveLanes(Lanes &lanes, const Instr &instr,
                      const uint32_t (&source)[kLanes]) {
  Lane copy[kLanes];
  auto *value = lanes.at<Lane>(instr.a);
  std::copy(value, value + kLanes, copy);
  auto *result = lanes.at<Lane>(instr.dst);
  for (uint32_t mask = lanes.mask; mask; mask &= mask - 1) {
    unsigned lane = __builtin_ctz(mask);
    result[lane] = copy[source[lane]];
  }
}

/// PTX shfl.sync over segments of `width` lanes: a source outside of the
/// segment gives the lane's own value.
void Machine::shuffle(Warp &warp, uint32_t mask, const Instr &instr) {
  Lanes lanes{warp.frame.data(), mask};
  auto mode = static_cast<mlir::gpu::ShuffleMode>(instr.imm & 0xFF);
  const auto *offset = lanes.at<uint32_t>(instr.c);
  const auto *width = lanes.at<uint32_t>(program.accesses[instr.access].rank);
  auto *valid = lanes.at<uint32_t>(instr.b);
  uint32_t source[kLanes] = {};
  uint32_t isValid[kLanes] = {};
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    uint32_t lane = __builtin_ctz(rest);
    uint32_t segment = width[lane] ? width[lane] : kLanes;
    uint32_t first = lane / segment * segment;
    int64_t from = lane;
    switch (mode) {
    case mlir::gpu::ShuffleMode::XOR:
      from = lane ^ offset[lane];
      break;
    case mlir::gpu::ShuffleMode::UP:
      from = int64_t(lane) - offset[lane];
      break;
    case mlir::gpu::ShuffleMode::DOWN:
      from = int64_t(lane) + offset[lane];
      break;
    default:
      from = int64_t(first) + offset[lane] % segment;
      break;
    }
    bool isInside = from >= first && from < int64_t(first) + segment;
    isValid[lane] = isInside;
    source[lane] = isInside ? uint32_t(from) : lane;
    if (!(warp.present >> source[lane] & 1))
      reporter.report("missing lane", instr.op,
                      describe(warp.firstThread + lane) + " reads lane " +
                          Twine(source[lane]) +
                          " of its warp, which does not exist; use a block of "
                          "whole warps");
  }
  if (instr.imm >> 8)
    moveLanes<uint64_t>(lanes, instr, source);
  else
    moveLanes<uint32_t>(lanes, instr, source);
  for (uint32_t rest = mask; rest; rest &= rest - 1)
    valid[__builtin_ctz(rest)] = isValid[__builtin_ctz(rest)];
}

void Machine::vote(Warp &warp, uint32_t mask, const Instr &instr) {
  Lanes lanes{warp.frame.data(), mask};
  const auto *condition = lanes.at<uint32_t>(instr.a);
  uint32_t where = 0;
  for (uint32_t rest = mask; rest; rest &= rest - 1)
    if (unsigned lane = __builtin_ctz(rest); condition[lane])
      where |= 1u << lane;
  auto *result = lanes.at<uint32_t>(instr.dst);
  for (uint32_t rest = mask; rest; rest &= rest - 1)
    result[__builtin_ctz(rest)] = instr.imm ? where : where != 0;
}

//===----------------------------------------------------------------------===//
// Return
//===----------------------------------------------------------------------===//

void Machine::returnLanes(Warp &warp, uint32_t mask) {
  Block &block = *warp.block;
  for (uint32_t rest = mask; rest; rest &= rest - 1)
    publish(block.knownAtExit, warp, __builtin_ctz(rest));
  warp.live &= ~mask;
  uint32_t count = llvm::popcount(mask);
  block.returned += count;
  clusterReturned += count;
  uint32_t op = 0;
  for (const Instr &instr : program.code)
    if (instr.kind == Kind::Return)
      op = instr.op;
  if (block.returned == block.threads)
    exitBlock(block, op);
  // A thread that has returned counts no more for the cluster's barrier.
  completeClusterBarrier();
}

/// Nothing may touch the block's shared memory any more: all accesses of peers
/// have happened before the return of some thread.
void Machine::exitBlock(Block &block, uint32_t op) {
  block.hasExited = true;
  ClockRef known = block.knownAtExit.take();
  View view{known.get(), ~0u};
  std::string name = "block of rank " + std::to_string(block.rank);
  for (auto &[component, stamp] : block.remoteAccesses)
    if (!view.covers(component, stamp.epoch))
      reporter.report("early exit", stamp.op,
                      describe(component) +
                          " touches the shared memory of the " + name +
                          ", which may have returned by then; put a cluster "
                          "barrier before the return",
                      {{op, "it returns here"}});
  for (uint32_t number = 0; number < block.mbarriers.size(); ++number) {
    const Stamp &last = block.mbarriers[number].lastStore;
    if (last.epoch && !view.covers(last))
      reporter.report("early exit", last.op,
                      "an asynchronous store into the shared memory of the " +
                          name +
                          " may come after its return; wait on the mbarrier "
                          "before it",
                      {{op, "it returns here"}});
  }
}
