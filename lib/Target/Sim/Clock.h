//===- Clock.h - What happened before what ---------------------*- C++ -*-===//
//
// Vector clocks (Mattern, "Virtual time and global states of distributed
// systems", 1989) with the epochs of FastTrack (Flanagan and Freund, PLDI
// 2009). A component is a thread of the cluster, or an mbarrier, which stands
// for the asynchronous operations that complete on it: their epoch is the
// number of the phase, from 1. The epoch of a thread is that of its warp; it
// grows whenever a lane of the warp publishes.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_LIB_TARGET_SIM_CLOCK_H
#define CASCADE_LIB_TARGET_SIM_CLOCK_H

#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace cascade::sim {

struct Clock;
/// Null is the clock of zeros.
using ClockRef = llvm::IntrusiveRefCntPtr<const Clock>;
/// Clocks of other clusters of the launch, by number: what has happened there
/// before. Null where nothing is known, as without an arrival at a counter.
using OtherClusters = std::shared_ptr<const std::map<uint32_t, ClockRef>>;

/// The epochs up to which everything of each component has happened before.
struct Clock : llvm::RefCountedBase<Clock> {
  std::vector<uint32_t> at;
  OtherClusters others;
};

/// The larger of what two know.
OtherClusters joinOthers(const OtherClusters &lhs, const OtherClusters &rhs);

/// One access: who, when, and the instruction.
struct Stamp {
  uint32_t component = 0;
  uint32_t epoch = 0; ///< 0: none
  uint32_t op = 0;    ///< in Program::ops
};

/// What one thread knows.
struct View {
  const Clock *clock;
  uint32_t self; ///< its component

  bool covers(uint32_t component, uint32_t epoch) const {
    return component == self || (clock && clock->at[component] >= epoch);
  }
  bool covers(const Stamp &stamp) const {
    return covers(stamp.component, stamp.epoch);
  }
  /// Of a stamp that belongs to another cluster.
  bool coversOf(uint32_t cluster, const Stamp &stamp) const;
};

/// Collects the clocks of those who arrive at a barrier.
class ClockSum {
public:
  explicit ClockSum(unsigned components = 0) : components(components) {}

  void add(const ClockRef &clock);
  void add(uint32_t component, uint32_t epoch);
  /// The sum, and starts again.
  ClockRef take();
  bool isEmpty() const { return at.empty(); }

private:
  unsigned components;
  std::vector<uint32_t> at;
  std::vector<ClockRef> added;
  OtherClusters others;
};

/// The larger of two clocks; remembers its last result, since the threads of a
/// block ask for the same.
class ClockJoin {
public:
  ClockRef operator()(const ClockRef &lhs, const ClockRef &rhs);

private:
  ClockRef lastLhs, lastRhs, lastResult;
};

} // namespace cascade::sim

#endif // CASCADE_LIB_TARGET_SIM_CLOCK_H
