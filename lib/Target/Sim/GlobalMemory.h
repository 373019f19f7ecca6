//===- GlobalMemory.h - Global memory and its shadow -----------*- C++ -*-===//

#ifndef CASCADE_LIB_TARGET_SIM_GLOBALMEMORY_H
#define CASCADE_LIB_TARGET_SIM_GLOBALMEMORY_H

#include "Clock.h"
#include "Report.h"
#include "cascade/Target/Sim/Simulator.h"
#include <optional>

namespace cascade::sim {

/// Who accesses global memory. Threads of different clusters are ordered by
/// what they have acquired at a counter.
struct GlobalAccessor {
  uint32_t cluster;
  View view;
  uint32_t epoch, op;
  llvm::function_ref<std::string()> name; ///< of the thread

  bool covers(uint32_t writer, const Stamp &write) const {
    return writer == cluster ? view.covers(write)
                             : view.coversOf(writer, write);
  }
};

/// The buffers of a launch. An address names its buffer, so that an access is
/// checked against the buffer that its pointer was made from.
class GlobalMemory {
public:
  GlobalMemory(llvm::ArrayRef<Argument> arguments, Reporter &reporter);

  /// The address of the buffer of an argument.
  static uint64_t baseOf(const Buffer &buffer, size_t argument);

  /// Both report, and return false, where there is no such memory.
  bool read(uint64_t address, const Access &access, uint8_t *to,
            const GlobalAccessor &who);
  bool write(uint64_t address, const Access &access, const uint8_t *from,
             const GlobalAccessor &who);
  /// Adds 1 to the counter at `address`, or sets it to 0 where it is `most`;
  /// releases `known`, which is what the thread's cluster knows. Gives the
  /// value before, and what those who have arrived before released.
  std::optional<std::pair<uint32_t, OtherClusters>>
  increment(uint64_t address, uint32_t most, const ClockRef &known,
            const GlobalAccessor &who);
  /// Reports counters that some have not arrived at by the end of the launch.
  void checkCounters();

private:
  /// Memory that blocks of the grid count their arrivals in.
  struct Counter {
    OtherClusters released;
    const uint8_t *data = nullptr;
    uint32_t most = 0, op = 0;
  };
  struct Shadow {
    uint32_t cluster = 0;
    Stamp write;
    Stamp readOnlyRead; ///< the last ld.nc
  };
  struct Memory {
    const Buffer *buffer = nullptr;
    uint64_t base = 0;
    std::vector<Shadow> shadow; ///< one an element, of a writable buffer
  };
  /// Offset in the memory; none after a report.
  Memory *find(uint64_t address, const Access &access, bool isWrite,
               const GlobalAccessor &who, int64_t &offset);

  std::vector<Memory> memories; ///< one an argument
  std::map<uint64_t, Counter> counters;
  Reporter &reporter;
};

} // namespace cascade::sim

#endif // CASCADE_LIB_TARGET_SIM_GLOBALMEMORY_H
