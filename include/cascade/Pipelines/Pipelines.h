//===- Pipelines.h - The phases from a chain to PTX -----------*- C++ -*-===//
//
// One vocabulary: the phases here are the words of --stop-after, of dump files
// and of docs/Architecture.md.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_PIPELINES_PIPELINES_H
#define CASCADE_PIPELINES_PIPELINES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>

namespace cascade {

/// The phases of a module on its way to PTX, in order.
enum class Phase { Input, Chains, Fused, Mapped, Cluster, Expanded, NVVM, PTX };

llvm::StringRef spelling(Phase phase);
/// The phase of that name, or none.
std::optional<Phase> phaseNamed(llvm::StringRef name);

struct PipelineOptions {
  int64_t cluster = 0; ///< blocks a cluster; 0 chooses
  std::string mapping; ///< a mapping attribute for every chain, or empty
  std::string algorithm = "auto"; ///< of the exchange between blocks
  std::string target = "h200";    ///< the GPU that schedules are made for
};

/// Adds the passes that bring a module from the phase before `phase` to it.
void addPhase(mlir::OpPassManager &passes, Phase phase,
              const PipelineOptions &options);

/// Runs the phases after Input up to `last` (NVVM at most) on `module` and
/// calls `visit` with the module after each of them.
mlir::LogicalResult
runPhases(mlir::ModuleOp module, Phase last, const PipelineOptions &options,
          llvm::function_ref<mlir::LogicalResult(Phase, mlir::ModuleOp)> visit);

/// The reference functions of a module at phase `chains`: for each function
/// NAME_U, evaluated as written, and NAME_R, evaluated in f64; both mapped to
/// one block a row.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
buildReference(mlir::ModuleOp chains);

/// Registers --cascade-to-ptx (up to phase nvvm) and --cascade-to-cpu.
void registerPipelines();

} // namespace cascade

#endif // CASCADE_PIPELINES_PIPELINES_H
