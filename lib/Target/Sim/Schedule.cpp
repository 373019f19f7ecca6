//===- Schedule.cpp - Which warp runs next --------------------------------===//

#include "Machine.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>
#include <map>

using namespace cascade::sim;
using llvm::Twine;

/// Ways to choose, by the seed. What is reported does not depend on the order
/// where happens-before decides it; values and deadlocks may.
enum class Policy { Fair, FavourOne, StarveOne, LateMessages };
static constexpr unsigned numPolicies = 4;

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", 2014).
uint32_t Machine::nextRandom(uint32_t below) {
  uint64_t z = (random += 0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  z ^= z >> 31;
  return uint32_t((z >> 32) * below >> 32);
}

//===----------------------------------------------------------------------===//
// Start
//===----------------------------------------------------------------------===//

Machine::Machine(const Program &program, const LaunchSize &size,
                 GlobalMemory &global, llvm::ArrayRef<uint64_t> arguments,
                 Reporter &reporter, const Options &options)
    : program(program), size(size), global(global), arguments(arguments),
      reporter(reporter), options(options), random(options.seed) {
  numBlocks = size.cluster[0] * size.cluster[1] * size.cluster[2];
  threadsPerBlock = size.block[0] * size.block[1] * size.block[2];
  warpsPerBlock = (threadsPerBlock + kLanes - 1) / kLanes;
  numThreads = numBlocks * warpsPerBlock * kLanes;
  for (const SharedBuffer &buffer : program.shared)
    if (buffer.holdsMBarriers)
      mbarriersPerBlock += buffer.bytes / 8;
  numComponents = numThreads + numBlocks * mbarriersPerBlock;

  initialFrame.resize(program.frameBytes);
  auto fill = [&](uint32_t reg, uint64_t value, bool isWide) {
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if (isWide)
        std::memcpy(&initialFrame[reg + 8 * lane], &value, 8);
      else
        std::memcpy(&initialFrame[reg + 4 * lane], &value, 4);
  };
  for (const Preset &preset : program.constants)
    fill(preset.reg, preset.value, preset.isWide);
  for (size_t i = 0; i < arguments.size(); ++i)
    fill(program.arguments[i], arguments[i], program.argumentIsWide[i]);
}

void Machine::startWarp(Block &block, uint32_t number) {
  Warp &warp = block.warps[number];
  std::vector<uint8_t> frame = std::move(warp.frame);
  warp = Warp();
  warp.block = &block;
  warp.firstThread = (block.rank * warpsPerBlock + number) * kLanes;
  uint32_t rest = threadsPerBlock - number * kLanes;
  warp.present = rest >= kLanes ? ~0u : (1u << rest) - 1;
  warp.live = warp.present;
  warp.groups.push_back({0, warp.present});
  warp.frame = std::move(frame);
  warp.frame = initialFrame;
  for (auto [which, reg] : program.specials) {
    auto *wide = reinterpret_cast<uint64_t *>(&warp.frame[reg]);
    auto *narrow = reinterpret_cast<uint32_t *>(&warp.frame[reg]);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      uint32_t thread = number * kLanes + lane;
      unsigned axis = unsigned(which) % 3;
      switch (which) {
      case Special::ThreadX:
        wide[lane] = thread % size.block[0];
        break;
      case Special::ThreadY:
        wide[lane] = thread / size.block[0] % size.block[1];
        break;
      case Special::ThreadZ:
        wide[lane] = thread / size.block[0] / size.block[1];
        break;
      case Special::BlockX:
      case Special::BlockY:
      case Special::BlockZ:
        wide[lane] = block.index[axis];
        break;
      case Special::BlockDimX:
      case Special::BlockDimY:
      case Special::BlockDimZ:
        wide[lane] = size.block[axis];
        break;
      case Special::GridDimX:
      case Special::GridDimY:
      case Special::GridDimZ:
        wide[lane] = size.grid[axis];
        break;
      case Special::ClusterIdX:
      case Special::ClusterIdY:
      case Special::ClusterIdZ:
        wide[lane] = block.index[axis] / size.cluster[axis];
        break;
      case Special::ClusterDimX:
      case Special::ClusterDimY:
      case Special::ClusterDimZ:
        wide[lane] = size.grid[axis] / size.cluster[axis];
        break;
      case Special::ClusterRank:
        narrow[lane] = block.rank;
        break;
      case Special::ClusterSize:
        narrow[lane] = numBlocks;
        break;
      }
    }
  }
  for (const SharedBuffer &buffer : program.shared)
    for (unsigned lane = 0; lane < kLanes; ++lane)
      reinterpret_cast<uint64_t *>(&warp.frame[buffer.reg])[lane] =
          SharedAddress::make(block.rank, buffer.offset);
}

void Machine::start(std::array<uint32_t, 3> origin) {
  blocks.resize(numBlocks);
  messages.clear();
  clusterSum = ClockSum(numComponents);
  clusterProxySum = ClockSum(numComponents);
  clusterPhase = clusterArrived = clusterReturned = 0;
  clusterClock = clusterProxy = nullptr;
  for (uint32_t rank = 0; rank < numBlocks; ++rank) {
    Block &block = blocks[rank];
    std::vector<Warp> warps = std::move(block.warps);
    block = Block();
    block.rank = rank;
    block.index = {origin[0] + rank % size.cluster[0],
                   origin[1] + rank / size.cluster[0] % size.cluster[1],
                   origin[2] + rank / size.cluster[0] / size.cluster[1]};
    block.warps = std::move(warps);
    block.warps.resize(warpsPerBlock);
    block.shared = SharedMemory(program.sharedBytes, program.sharedGranule);
    block.mbarriers.resize(mbarriersPerBlock);
    for (MBarrier &mbarrier : block.mbarriers)
      mbarrier.arrived = ClockSum(numComponents);
    block.threads = threadsPerBlock;
    block.knownAtExit = ClockSum(numComponents);
    for (uint32_t number = 0; number < warpsPerBlock; ++number)
      startWarp(block, number);
  }
}

//===----------------------------------------------------------------------===//
// Scheduling
//===----------------------------------------------------------------------===//

/// A warp that can run, or null.
Warp *Machine::chooseWarp() {
  auto policy = static_cast<Policy>(options.seed % numPolicies);
  // Reservoir sampling over the warps of the best class.
  Warp *chosen = nullptr;
  unsigned count = 0;
  int bestClass = -1;
  for (Block &block : blocks) {
    int itsClass = 1;
    if (block.rank == favoured && policy == Policy::FavourOne)
      itsClass = 2;
    if (block.rank == favoured && policy == Policy::StarveOne)
      itsClass = 0;
    if (itsClass < bestClass)
      continue;
    for (Warp &warp : block.warps) {
      if (!warp.isReady)
        continue;
      if (itsClass > bestClass) {
        bestClass = itsClass;
        count = 0;
      }
      if (nextRandom(++count) == 0)
        chosen = &warp;
    }
  }
  return chosen;
}

void Machine::deliverOne() {
  uint32_t number = nextRandom(messages.size());
  std::swap(messages[number], messages.back());
  Message message = std::move(messages.back());
  messages.pop_back();
  deliver(message);
}

bool Machine::run(std::array<uint32_t, 3> origin, uint32_t number) {
  clusterNumber = number;
  start(origin);
  favoured = nextRandom(numBlocks);
  auto policy = static_cast<Policy>(options.seed % numPolicies);
  while (!hasFailed && !reporter.isFull()) {
    bool isLate = policy == Policy::LateMessages;
    Warp *warp = chooseWarp();
    if (!messages.empty() && (!warp || (!isLate && nextRandom(4) == 0))) {
      deliverOne();
      continue;
    }
    if (!warp) {
      if (clusterReturned < numBlocks * threadsPerBlock)
        reportDeadlock();
      return !hasFailed;
    }
    runWarp(*warp, 1 + nextRandom(8));
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Deadlock
//===----------------------------------------------------------------------===//

std::string Machine::describe(uint32_t component) const {
  std::string where = numBlocks > 1 || size.grid[0] > 1 ? " of block " : "";
  auto blockName = [&](uint32_t rank) {
    if (where.empty())
      return std::string();
    const Block &block = blocks[rank];
    std::string name = where + std::to_string(block.index[0]);
    if (size.grid[1] > 1 || size.grid[2] > 1)
      name += "," + std::to_string(block.index[1]) + "," +
              std::to_string(block.index[2]);
    if (numBlocks > 1)
      name += " (rank " + std::to_string(rank) + ")";
    return name;
  };
  if (component >= numThreads) {
    uint32_t number = component - numThreads;
    return "an asynchronous operation on mbarrier " +
           std::to_string(number % mbarriersPerBlock) +
           blockName(number / mbarriersPerBlock);
  }
  uint32_t threads = warpsPerBlock * kLanes;
  return "thread " + std::to_string(component % threads) +
         blockName(component / threads);
}

std::string Machine::describeWait(const Warp &warp,
                                  const LaneGroup &group) const {
  switch (group.wait) {
  case Wait::Lanes: {
    uint32_t returned = warp.present & ~warp.live;
    std::string text = "wait here for the other lanes of their warp";
    if (returned)
      text += ", of which " + std::to_string(llvm::popcount(returned)) +
              " have returned";
    return text;
  }
  case Wait::BlockBarrier:
    if (warp.block->returned)
      return "wait here for all threads of the block, of which " +
             std::to_string(warp.block->returned) + " have returned";
    return "wait here for all threads of the block";
  case Wait::ClusterBarrier:
    return "wait here for all threads of the cluster to arrive";
  case Wait::MBarrier: {
    const Instr &instr = program.code[group.pc];
    unsigned lane = __builtin_ctz(group.mask);
    uint32_t parity =
        Lanes{const_cast<uint8_t *>(warp.frame.data()), group.mask}
            .at<uint32_t>(instr.a)[lane];
    uint32_t number = 0;
    const Access &access = program.accesses[instr.access];
    auto at = [&](uint32_t reg) {
      return reinterpret_cast<const uint64_t *>(&warp.frame[reg])[lane];
    };
    uint64_t offset = SharedAddress::offsetOf(at(access.mbarrier));
    for (const Index &index : access.mbarrierIndices)
      offset += at(index.reg) * index.stride;
    for (const SharedBuffer &buffer : program.shared) {
      if (!buffer.holdsMBarriers)
        continue;
      if (offset >= buffer.offset && offset < buffer.offset + buffer.bytes) {
        number += (offset - buffer.offset) / 8;
        break;
      }
      number += buffer.bytes / 8;
    }
    const MBarrier &mbarrier = warp.block->mbarriers[number];
    return "wait here for parity " + std::to_string(parity) +
           " of an mbarrier whose phase " + std::to_string(mbarrier.phase) +
           " lacks " + std::to_string(mbarrier.pending) + " arrivals and " +
           std::to_string(mbarrier.bytes) + " bytes";
  }
  case Wait::None:
    break;
  }
  return "stand here";
}

void Machine::reportDeadlock() {
  // Threads by place and reason.
  struct Stuck {
    unsigned threads = 0;
    uint32_t first = 0;
  };
  std::map<std::pair<uint32_t, std::string>, Stuck> places;
  auto key = [&](const Warp &warp, const LaneGroup &group) {
    return std::make_pair(program.code[group.pc].op, describeWait(warp, group));
  };
  for (const Block &block : blocks)
    for (const Warp &warp : block.warps)
      for (const LaneGroup &group : warp.groups) {
        Stuck &stuck = places[key(warp, group)];
        if (stuck.threads == 0)
          stuck.first = warp.firstThread + __builtin_ctz(group.mask);
        stuck.threads += llvm::popcount(group.mask);
      }
  llvm::SmallVector<Note> notes;
  constexpr size_t mostPlaces = 8;
  for (auto &[place, stuck] : places) {
    if (notes.size() == mostPlaces)
      break;
    notes.push_back(
        {place.first, std::to_string(stuck.threads) + " threads, first " +
                          describe(stuck.first) + ", " + place.second});
  }
  if (!notes.empty())
    reporter.report("deadlock", notes.front().op,
                    "no thread of the cluster can go on, and nothing is on "
                    "its way to them",
                    notes);
  fail();
}
