//===- RunFile.h - What cascade-run does ----------------------*- C++ -*-===//

#ifndef CASCADE_TARGET_CPU_RUNFILE_H
#define CASCADE_TARGET_CPU_RUNFILE_H

#include "mlir/IR/DialectRegistry.h"
#include <optional>
#include <string>
#include <vector>

namespace cascade {

/// The flags of cascade-run, as docs/Tools.md describes them.
struct RunOptions {
  std::string file;
  std::string entry;           ///< Empty: the only function with chains.
  std::string device = "auto"; ///< cpu, gpu or auto.
  int64_t segments = 1;
  std::vector<std::string> inputs;   ///< Specs; a missing one is `rand`.
  std::vector<std::string> outputs;  ///< "@path" of .npy files.
  std::vector<std::string> expected; ///< Specs.
  std::vector<std::string> dims;     ///< "NAME=SIZE".
  bool check = false, checkBitwise = false;
  std::optional<double> rtol, atol;
  uint64_t seed = 0;
  int64_t repeat = 1;
};

/// Compiles one function of a file for this machine's CPU, runs it and prints
/// its results. The result is the exit status: 0 right, 1 a comparison failed,
/// 2 bad input or flags, 3 device. Every error has been printed.
int runOnHost(const RunOptions &options, const mlir::DialectRegistry &registry);

} // namespace cascade

#endif // CASCADE_TARGET_CPU_RUNFILE_H
