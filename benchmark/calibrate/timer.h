//===- timer.h - Times one launch between two events ----------------------===//
//
// An event is recorded when the device reaches it, so a device that waits for
// the next launch would count the host's time as the kernel's. Every timed
// launch is therefore queued while the device still works on what comes before:
// what sets the state of the L2 cache, what `prepare` queues, and a delay.
//
//===----------------------------------------------------------------------===//

#ifndef CALIBRATE_TIMER_H
#define CALIBRATE_TIMER_H

#include "common.h"

#include <functional>
#include <map>

namespace calibrate {

/// What the L2 cache holds before a run.
enum class Cache {
  AsIs,  ///< what earlier work left there
  Clean, ///< other data, which were read
  Dirty, ///< other data, which were written: they have to be written back
};

struct TimeOptions {
  Cache cache = Cache::Clean;
  /// Queued after the cache's state is set and before the delay.
  std::function<void()> prepare;
  /// Microseconds in which one thread of the device waits and nothing else
  /// happens.
  double delay = 0;
  int repeat = 21;
};

/// The grid of readers that fill the device: blocks a multiprocessor, threads
/// a block.
constexpr int readerBlocks = 2;
constexpr int readerThreads = 1024;

class Timer {
public:
  explicit Timer(const Device &device);
  ~Timer();
  Timer(const Timer &) = delete;
  Timer &operator=(const Timer &) = delete;

  /// Queues what brings the L2 cache into the state `cache`.
  void setCache(Cache cache);

  /// Microseconds of each of `options.repeat` runs of `work`, which queues what
  /// is timed; `what` names it in errors.
  std::vector<double> time(const std::string &what,
                           const std::function<void()> &work,
                           const TimeOptions &options);

  /// The median of an empty kernel of one warp, timed in the same way:
  /// microseconds. Measured once for each state of the cache.
  double emptyKernel(Cache cache);

private:
  struct Events {
    cudaEvent_t begin = nullptr;
    cudaEvent_t end = nullptr;
  };
  void runOnce(const std::function<void()> &work, const TimeOptions &options,
               const Events *between);

  const Device &device;
  Buffer<uint4> scratch;  ///< more than the L2 cache holds
  Buffer<uint32_t> sums;  ///< of the reader of `scratch`
  Buffer<uint32_t> ticks; ///< of the kernel that waits
  std::vector<Events> events;
  std::map<Cache, double> emptyTimes;
};

/// Gigabytes a second of `bytes` in each of `microseconds`, after `overhead`
/// microseconds that do not belong to the transfer.
std::vector<double> bandwidthOf(double bytes,
                                const std::vector<double> &microseconds,
                                double overhead);

} // namespace calibrate

#endif // CALIBRATE_TIMER_H
