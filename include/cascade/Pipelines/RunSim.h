//===- RunSim.h - cascade-run --device=sim --------------------*- C++ -*-===//

#ifndef CASCADE_PIPELINES_RUNSIM_H
#define CASCADE_PIPELINES_RUNSIM_H

#include "cascade/Pipelines/Pipelines.h"
#include "cascade/Pipelines/Run.h"

namespace cascade {

/// The flags of cascade-run that only the simulated device takes
/// (docs/SimulatedDevice.md).
struct SimRunOptions {
  PipelineOptions pipeline;
  int64_t interleavings = 1;  ///< seeds S, S + 1, ...
  int64_t offsetElements = 0; ///< of every buffer from a boundary
  std::string patterns;       ///< "rand,special": of the first argument
  std::string grid, block, clusterDims; ///< "X[,Y[,Z]]", of a file of kernels
};

/// Compiles a file to the phase `expanded` and runs its functions on the
/// simulated device; a file without chains has its kernels run as they are.
/// Exit status as of runOnHost; 3 where the device reports something.
int runOnSimulator(const RunOptions &options, const SimRunOptions &sim,
                   const mlir::DialectRegistry &registry);

} // namespace cascade

#endif // CASCADE_PIPELINES_RUNSIM_H
