//===- SimRun.h - What the two ways to simulate share ----------*- C++ -*-===//

#ifndef CASCADE_LIB_PIPELINES_SIMRUN_H
#define CASCADE_LIB_PIPELINES_SIMRUN_H

#include "cascade/Pipelines/RunSim.h"
#include "cascade/Runtime/Error.h"
#include "cascade/Runtime/Tensor.h"
#include "cascade/Target/Sim/Simulator.h"

namespace cascade {

/// What outputs hold before a run: in every float type a number near overflow.
inline constexpr uint8_t simPoison = 0x7B;

/// Cases counted for the last line and the exit status.
struct SimCounts {
  unsigned cases = 0;     ///< runs of a function
  unsigned reports = 0;   ///< cases that the device reported something in
  unsigned differing = 0; ///< cases with wrong results
};

/// `tensor` as a buffer of a launch.
sim::Argument bufferOf(runtime::Tensor &tensor, std::string name,
                       bool isWritable, bool isInitialised, int64_t offset);
/// `scalar` as an argument passed by value.
sim::Argument scalarOf(const runtime::Tensor &scalar);

/// Runs every gpu.func of `module` as it is.
runtime::Error runKernels(mlir::ModuleOp module, const RunOptions &options,
                          const SimRunOptions &sim, SimCounts &counts);
/// Compiles the chains of `module` and runs them.
runtime::Error runChains(mlir::ModuleOp module, const RunOptions &options,
                         const SimRunOptions &sim, SimCounts &counts);

} // namespace cascade

#endif // CASCADE_LIB_PIPELINES_SIMRUN_H
