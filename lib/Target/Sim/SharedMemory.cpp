//===- SharedMemory.cpp - Shared memory and its shadow --------------------===//

#include "SharedMemory.h"
#include <cstring>

using namespace cascade::sim;

SharedMemory::SharedMemory(uint32_t bytes, unsigned granule)
    : data(bytes, 0xA5), cells((bytes + granule - 1) / granule),
      granule(granule) {}

llvm::MutableArrayRef<Cell> SharedMemory::cellsOf(uint32_t offset,
                                                  uint32_t bytes) {
  uint32_t first = offset / granule;
  uint32_t last = (offset + bytes - 1) / granule;
  return llvm::MutableArrayRef<Cell>(cells).slice(first, last - first + 1);
}

/// Enters a read; forgets those of the same lanes before.
static void enterRead(Cell &cell, const Accessor &who) {
  uint32_t component = who.asComponent.value_or(who.view.self);
  uint32_t first = who.asComponent ? component : component & ~(kLanes - 1);
  uint32_t bit = uint32_t(1) << (component - first);
  for (ReadSet &set : cell.reads)
    if (set.first == first && set.epoch == who.epoch && set.op == who.op) {
      set.mask |= bit;
      return;
    }
  for (ReadSet &set : cell.reads)
    if (set.first == first)
      set.mask &= ~bit;
  llvm::erase_if(cell.reads, [](const ReadSet &set) { return !set.mask; });
  cell.reads.push_back({first, bit, who.epoch, who.op});
}

void SharedMemory::read(uint32_t offset, uint32_t bytes, void *to,
                        const Accessor &who, Reporter &reporter,
                        const Describe &describe) {
  for (Cell &cell : cellsOf(offset, bytes)) {
    if (cell.write.epoch == 0)
      reporter.report("uninitialised shared memory", who.op,
                      describe(who.view.self) + " reads byte " +
                          llvm::Twine(offset) +
                          " of shared memory, which nothing has written; "
                          "write it first, with a barrier between");
    else if (!who.view.covers(cell.write))
      reporter.report(
          "data race", who.op,
          describe(who.view.self) + " reads byte " + llvm::Twine(offset) +
              " of shared memory, which " + describe(cell.write.component) +
              " writes, and nothing orders the two; put a barrier, or a wait "
              "that acquires, between them",
          {{cell.write.op, "the write is here"}});
    enterRead(cell, who);
  }
  std::memcpy(to, &data[offset], bytes);
}

void SharedMemory::write(uint32_t offset, uint32_t bytes, const void *from,
                         const Accessor &who, Reporter &reporter,
                         const Describe &describe) {
  for (Cell &cell : cellsOf(offset, bytes)) {
    auto race = [&](uint32_t component, uint32_t op, const char *verb,
                    const char *note) {
      reporter.report("data race", who.op,
                      describe(who.asComponent.value_or(who.view.self)) +
                          " writes byte " + llvm::Twine(offset) +
                          " of shared memory, which " + describe(component) +
                          " " + verb +
                          ", and nothing orders the two; put a barrier, or a "
                          "wait that acquires, between them",
                      {{op, note}});
    };
    if (cell.write.epoch != 0 && !who.view.covers(cell.write))
      race(cell.write.component, cell.write.op, "writes",
           "the other write is here");
    for (const ReadSet &set : cell.reads)
      for (uint32_t mask = set.mask; mask; mask &= mask - 1) {
        uint32_t reader = set.first + __builtin_ctz(mask);
        if (who.view.covers(reader, set.epoch))
          continue;
        race(reader, set.op, "reads", "the read is here");
        break;
      }
    cell.reads.clear();
    cell.write = {who.asComponent.value_or(who.view.self), who.epoch, who.op};
    cell.isGeneric = true;
  }
  std::memcpy(&data[offset], from, bytes);
}
