//===- Run.h - What cascade-run does --------------------------*- C++ -*-===//

#ifndef CASCADE_PIPELINES_RUN_H
#define CASCADE_PIPELINES_RUN_H

#include "cascade/Target/CPU/RunFile.h"

namespace cascade {

/// Compiles and runs a file on the device of the options; `auto` is the GPU
/// where its driver loads. Exit status as of runOnHost.
int runFile(const RunOptions &options, const mlir::DialectRegistry &registry);

} // namespace cascade

#endif // CASCADE_PIPELINES_RUN_H
