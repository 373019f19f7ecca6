//===- Access.cpp - Loads and stores --------------------------------------===//

#include "Machine.h"
#include <cstring>

using namespace cascade::sim;
using llvm::Twine;

std::optional<uint64_t> Machine::addressOf(Warp &warp, unsigned lane,
                                           uint32_t base,
                                           llvm::ArrayRef<Index> indices,
                                           uint32_t op) {
  auto at = [&](uint32_t reg) {
    return reinterpret_cast<const uint64_t *>(&warp.frame[reg])[lane];
  };
  uint64_t address = at(base);
  for (const Index &index : indices) {
    uint64_t number = at(index.reg);
    if (number >= uint64_t(index.extent)) {
      reporter.report("out of bounds", op,
                      describe(warp.firstThread + lane) + " uses index " +
                          Twine(int64_t(number)) +
                          " of a dimension of extent " + Twine(index.extent));
      return std::nullopt;
    }
    address += number * index.stride;
  }
  return address;
}

Block *Machine::blockOf(Warp &warp, unsigned lane, uint32_t rank, uint32_t op) {
  if (rank == warp.block->rank)
    return warp.block;
  std::string who = describe(warp.firstThread + lane);
  if (rank >= numBlocks) {
    reporter.report("out of bounds", op,
                    who + " names rank " + Twine(rank) + " of a cluster of " +
                        Twine(numBlocks));
    return nullptr;
  }
  Block &block = blocks[rank];
  if (warp.waits[lane] == 0)
    reporter.report("early access", op,
                    who + " touches the shared memory of rank " + Twine(rank) +
                        ", which may not have started: no cluster barrier "
                        "stands before");
  if (block.hasExited) {
    reporter.report("access after exit", op,
                    who + " touches the shared memory of rank " + Twine(rank) +
                        ", which has returned; put a cluster barrier before "
                        "the return");
    return nullptr;
  }
  return &block;
}

bool Machine::checkSharedRange(uint32_t offset, uint32_t bytes,
                               unsigned alignment, uint32_t op) {
  for (const SharedBuffer &buffer : program.shared)
    if (offset >= buffer.offset &&
        uint64_t(offset) + bytes <= buffer.offset + buffer.bytes) {
      if (buffer.holdsMBarriers) {
        reporter.report("mbarrier", op,
                        "an mbarrier is accessed as data; only mbarrier "
                        "operations may touch it");
        return false;
      }
      if (offset % alignment == 0)
        return true;
      reporter.report("misaligned address", op,
                      "byte " + Twine(offset) +
                          " of shared memory is no multiple of " +
                          Twine(alignment));
      return false;
    }
  reporter.report("out of bounds", op,
                  Twine(bytes) + " bytes at byte " + Twine(offset) +
                      " of shared memory are in no buffer");
  return false;
}

/// The scalars of one lane as memory holds them.
static void gather(const Warp &warp, const Access &access, unsigned lane,
                   uint8_t *bytes) {
  for (uint32_t reg : access.values) {
    unsigned laneBytes = access.scalarBytes == 8 ? 8 : 4;
    std::memcpy(bytes, &warp.frame[reg + laneBytes * lane], access.scalarBytes);
    bytes += access.scalarBytes;
  }
}

static void scatter(Warp &warp, const Access &access, unsigned lane,
                    const uint8_t *bytes) {
  for (uint32_t reg : access.values) {
    unsigned laneBytes = access.scalarBytes == 8 ? 8 : 4;
    uint64_t value = 0;
    std::memcpy(&value, bytes, access.scalarBytes);
    std::memcpy(&warp.frame[reg + laneBytes * lane], &value, laneBytes);
    bytes += access.scalarBytes;
  }
}

void Machine::sharedAccess(Warp &warp, uint32_t mask, const Instr &instr,
                           bool isStore) {
  const Access &access = program.accesses[instr.access];
  llvm::SmallVector<uint8_t, 64> bytes(access.bytes());
  auto name = [this](uint32_t component) { return describe(component); };
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    std::fill(bytes.begin(), bytes.end(), 0);
    if (auto address =
            addressOf(warp, lane, access.address, access.indices, instr.op)) {
      uint32_t rank = SharedAddress::rankOf(*address);
      uint32_t offset = SharedAddress::offsetOf(*address);
      Block *block = blockOf(warp, lane, rank, instr.op);
      Accessor who{warp.view(lane), warp.epoch, instr.op, {}};
      if (block &&
          checkSharedRange(offset, bytes.size(), access.alignment, instr.op)) {
        if (block != warp.block)
          block->remoteAccesses[who.view.self] = {who.view.self, warp.epoch,
                                                  instr.op};
        if (isStore) {
          gather(warp, access, lane, bytes.data());
          block->shared.write(offset, bytes.size(), bytes.data(), who, reporter,
                              name);
        } else {
          block->shared.read(offset, bytes.size(), bytes.data(), who, reporter,
                             name);
        }
      }
    }
    if (!isStore)
      scatter(warp, access, lane, bytes.data());
  }
}

void Machine::globalAccess(Warp &warp, uint32_t mask, const Instr &instr,
                           bool isStore) {
  const Access &access = program.accesses[instr.access];
  llvm::SmallVector<uint8_t, 64> bytes(access.bytes());
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    auto name = [&] { return describe(warp.firstThread + lane); };
    GlobalAccessor who{clusterNumber + 1, warp.view(lane), warp.epoch, instr.op,
                       name};
    auto address =
        addressOf(warp, lane, access.address, access.indices, instr.op);
    if (isStore) {
      gather(warp, access, lane, bytes.data());
      if (address)
        global.write(*address, access, bytes.data(), who);
      continue;
    }
    std::fill(bytes.begin(), bytes.end(), 0);
    if (address)
      global.read(*address, access, bytes.data(), who);
    scatter(warp, access, lane, bytes.data());
  }
}
