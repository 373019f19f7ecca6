//===- Compile.h - What cascade-compile does ------------------*- C++ -*-===//

#ifndef CASCADE_PIPELINES_COMPILE_H
#define CASCADE_PIPELINES_COMPILE_H

#include "cascade/Pipelines/Pipelines.h"

namespace cascade {

struct CompileOptions {
  std::string input;
  std::string output; ///< a path without suffix; empty prints text output
  std::string emit;   ///< empty: ptx
  std::string chip = "sm_90";
  std::string stopAfter;
  std::string dumpFolder;
  std::string explain; ///< "", "text" or "json"
  bool withReference = false;
  int64_t tuneSpace = 0; ///< candidates of each function; 0: one, the best
  std::string tuned;     ///< a tuning file, or empty
  PipelineOptions pipeline;
};

/// Exit statuses of the tools (docs/Tools.md).
enum class ExitStatus {
  Right = 0,
  ComparisonFailed = 1,
  BadInput = 2,
  Device = 3
};

/// Compiles one file. Every error has been printed; nothing is written to the
/// output unless everything succeeded.
ExitStatus compileFile(const CompileOptions &options);

class TuningTable;

/// The fusion report of every chain of `module` as the JSON object, or as the
/// text, of --explain; with `tuning`, which has been applied, also what it says
/// of each chain.
mlir::FailureOr<std::string> explainModule(mlir::ModuleOp module, bool json,
                                           const PipelineOptions &options,
                                           const TuningTable *tuning);

} // namespace cascade

#endif // CASCADE_PIPELINES_COMPILE_H
