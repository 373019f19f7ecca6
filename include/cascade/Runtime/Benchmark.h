//===- Benchmark.h - Times work on a device ---------------------*- C++ -*-===//

#ifndef CASCADE_RUNTIME_BENCHMARK_H
#define CASCADE_RUNTIME_BENCHMARK_H

#include "cascade/Runtime/Driver.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace cascade::runtime {

struct BenchmarkOptions {
  int warmup = 10;      ///< Runs before the first that counts.
  int repeat = 100;     ///< Runs that count.
  bool flushL2 = false; ///< Write 256 MiB before each run.

  /// Sets of buffers of `bytes` in all that runs take in turn: a run with a
  /// flushed cache finds nothing of the run before it, one without finds
  /// everything.
  size_t sets(int64_t bytes) const;
};

/// Something to time. Both functions queue work for run number k, which counts
/// every run from 0, and do not wait.
struct TimedWork {
  std::string name;                     ///< For an error.
  std::function<Error(size_t)> prepare; ///< Does not count; may be empty.
  std::function<Error(size_t)> run;
};

/// Times work by events on the device.
class Timer {
public:
  static Expected<Timer> create(Driver &driver);

  /// Microseconds of each run that counts, in order.
  Expected<std::vector<double>> time(const TimedWork &work,
                                     const BenchmarkOptions &options);

private:
  explicit Timer(Driver &driver) : driver(&driver) {}
  Error flush(int times);
  Error runOnce(const TimedWork &work, const BenchmarkOptions &options,
                const std::pair<void *, void *> *between);

  Driver *driver;
  DeviceBuffer scratch;
  std::vector<std::pair<void *, void *>> events;
  size_t number = 0; ///< Of the next run.
};

/// Times a copy from device memory to device memory that reads bytes / 2 and
/// writes as much.
Expected<std::vector<double>> timeCopy(Driver &driver, Timer &timer,
                                       int64_t bytes,
                                       const BenchmarkOptions &options);

class ModuleCache;

/// Times a kernel of one block that does nothing.
Expected<std::vector<double>> timeEmptyKernel(Driver &driver,
                                              ModuleCache &modules,
                                              Timer &timer,
                                              const BenchmarkOptions &options);

/// Of a list of times. Quantiles are nearest ranks.
struct TimeSummary {
  double median = 0, least = 0, p10 = 0, p90 = 0;
};
TimeSummary summarise(std::vector<double> times);

} // namespace cascade::runtime

#endif // CASCADE_RUNTIME_BENCHMARK_H
