//===- SharedMemory.h - Shared memory and its shadow -----------*- C++ -*-===//

#ifndef CASCADE_LIB_TARGET_SIM_SHAREDMEMORY_H
#define CASCADE_LIB_TARGET_SIM_SHAREDMEMORY_H

#include "Clock.h"
#include "Report.h"
#include <functional>

namespace cascade::sim {

/// Reads of one cell by lanes of one warp (or by one mbarrier's copies).
struct ReadSet {
  uint32_t first; ///< component of lane 0
  uint32_t mask, epoch, op;
};

/// The shadow of one granule.
struct Cell {
  Stamp write;
  bool isGeneric = true; ///< the write went through the generic proxy
  llvm::SmallVector<ReadSet, 1> reads;
};

/// Who accesses, for a check.
struct Accessor {
  View view;
  uint32_t epoch, op;
  /// For asynchronous operations: the view is that of the thread that issued
  /// it, and the access is entered under this component.
  std::optional<uint32_t> asComponent;
};

/// The shared memory of one block. Every access is checked against the last
/// write and the reads since of each cell that it touches.
class SharedMemory {
public:
  SharedMemory() = default;
  SharedMemory(uint32_t bytes, unsigned granule);

  using Describe = std::function<std::string(uint32_t component)>;

  /// Offsets are inside and aligned. Reports races and uninitialised reads.
  void read(uint32_t offset, uint32_t bytes, void *to, const Accessor &who,
            Reporter &reporter, const Describe &describe);
  void write(uint32_t offset, uint32_t bytes, const void *from,
             const Accessor &who, Reporter &reporter, const Describe &describe);
  /// The cells of a range, for checks of other kinds.
  llvm::MutableArrayRef<Cell> cellsOf(uint32_t offset, uint32_t bytes);

private:
  std::vector<uint8_t> data;
  std::vector<Cell> cells;
  unsigned granule = 4;
};

} // namespace cascade::sim

#endif // CASCADE_LIB_TARGET_SIM_SHAREDMEMORY_H
