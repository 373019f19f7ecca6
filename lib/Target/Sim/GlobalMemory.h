//===- GlobalMemory.h - Global memory and its shadow -----------*- C++ -*-===//

#ifndef CASCADE_LIB_TARGET_SIM_GLOBALMEMORY_H
#define CASCADE_LIB_TARGET_SIM_GLOBALMEMORY_H

#include "Clock.h"
#include "Report.h"
#include "cascade/Target/Sim/Simulator.h"

namespace cascade::sim {

/// Who accesses global memory. Nothing orders threads of different clusters.
struct GlobalAccessor {
  uint32_t cluster;
  View view;
  uint32_t epoch, op;
  llvm::function_ref<std::string()> name; ///< of the thread
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

private:
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
  Reporter &reporter;
};

} // namespace cascade::sim

#endif // CASCADE_LIB_TARGET_SIM_GLOBALMEMORY_H
