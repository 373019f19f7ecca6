//===- Launcher.h - Runs a plan on a device ---------------------*- C++ -*-===//

#ifndef CASCADE_RUNTIME_LAUNCHER_H
#define CASCADE_RUNTIME_LAUNCHER_H

#include "cascade/Runtime/Benchmark.h"
#include "cascade/Runtime/Driver.h"
#include "cascade/Runtime/Plan.h"
#include "cascade/Runtime/Tensor.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cascade::runtime {

/// The device memory of one plan: one buffer an argument, and a workspace.
class Invocation {
public:
  /// Allocates and copies the inputs to the device. `inputs` has one tensor an
  /// argument; those of outputs are not looked at. One with fewer elements
  /// than its argument, but not none, is repeated.
  static Expected<std::unique_ptr<Invocation>>
  create(Driver &driver, const Plan &plan, const std::vector<Tensor> &inputs);

  /// Fills the outputs with a poison, readies the workspace, launches
  /// `program` from `module` and waits. A workspace of zeros is left to a
  /// program that runs again as the run before has left it. A write outside of
  /// an output is an error.
  Error run(void *module, const ProgramPlan &program);

  /// The outputs of the last run, in the order of the arguments.
  Expected<std::vector<Tensor>> outputs();

  /// Times `program`: microseconds of each run, in order. The runs take `sets`,
  /// one or more of the same plan, in turn.
  static Expected<std::vector<double>>
  benchmark(const std::vector<std::unique_ptr<Invocation>> &sets, void *module,
            const ProgramPlan &program, Timer &timer,
            const BenchmarkOptions &options);

  /// Bytes of the inputs plus bytes of the outputs.
  int64_t bytesMoved() const;

private:
  Invocation(Driver &driver, const Plan &plan) : driver(driver), plan(plan) {}

  /// A launch that is ready to go.
  struct Ready {
    void *kernel = nullptr;
    const Launch *launch = nullptr;
    LaunchShape shape;
    std::vector<std::vector<uint8_t>> values; ///< One a parameter.
  };
  Expected<std::vector<Ready>> makeReady(void *module,
                                         const ProgramPlan &program);
  Expected<std::vector<uint8_t>> valueOf(const Parameter &parameter,
                                         int64_t resident);
  Error launchAll(std::vector<Ready> &launches);
  Error readyWorkspace(const ProgramPlan &program);
  Error copyInput(size_t argument, const Tensor &input);
  Error poisonOutputs();
  Error checkMargins();

  /// Where the elements of an argument start and how many bytes they take.
  DeviceAddress addressOf(size_t argument) const;
  size_t bytesOf(size_t argument) const;

  Driver &driver;
  const Plan &plan;
  std::vector<DeviceBuffer> buffers;
  std::vector<Tensor> scalars; ///< One an argument; empty but for scalars.
  DeviceBuffer workspace;
  const Program *lastProgram = nullptr; ///< that the workspace was readied for
};

/// Loads each module once.
class ModuleCache {
public:
  explicit ModuleCache(Driver &driver) : driver(driver) {}
  Expected<void *> load(const std::string &path);
  Expected<void *> loadText(const std::string &name, const std::string &ptx);

private:
  Driver &driver;
  std::map<std::string, void *> modules;
};

} // namespace cascade::runtime

#endif // CASCADE_RUNTIME_LAUNCHER_H
