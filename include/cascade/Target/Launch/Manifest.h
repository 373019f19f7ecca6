//===- Manifest.h - How to launch what was compiled -----------*- C++ -*-===//
//
// The launch manifest NAME.json, as docs/Tools.md describes it and
// Runtime/Manifest reads it: for each function its arguments and its launches,
// with grids as expressions of the dynamic dimensions.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_TARGET_LAUNCH_MANIFEST_H
#define CASCADE_TARGET_LAUNCH_MANIFEST_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

namespace cascade {

struct ManifestOptions {
  std::string name;      ///< of the artefact
  std::string chip;      ///< sm_90
  std::string gpu;       ///< h200
  std::string module;    ///< file name of the PTX or cubin
  std::string reference; ///< file name of the reference PTX; may be empty
  /// Bytes of dynamic shared memory by kernel, of those in `mapped` and in
  /// `reference`.
  llvm::StringMap<int64_t> shared;
  /// Bytes for each cluster of the parts of its workspace, by kernel.
  llvm::StringMap<llvm::SmallVector<int64_t>> workspace;

  /// Adds what the kernels of `lowered` say that they take of both, at phase
  /// `expanded` or later.
  void addKernels(mlir::ModuleOp lowered);
};

/// Suffixes of the functions of a reference module.
inline constexpr llvm::StringLiteral referenceUSuffix = "_U";
inline constexpr llvm::StringLiteral referenceRSuffix = "_R";

/// Attribute of a function that is one of several mappings of the same chain: a
/// dictionary of `of`, the name of the function in the source, `index`, in the
/// ranking of the cost model, its `estimate_us`, and the tuning key but for the
/// GPU: `chain`, `shape`, `types` (docs/Tuning.md).
inline constexpr llvm::StringLiteral candidateAttrName = "cascade.candidate";

/// The manifest of the functions in `mapped`, a module at phase `mapped`, and
/// of their reference kernels in `reference` (null without). Fails with a
/// diagnostic on a function that is no kernel.
mlir::FailureOr<llvm::json::Object>
buildManifest(mlir::ModuleOp mapped, mlir::ModuleOp reference,
              const ManifestOptions &options);

/// A C++ file that launches the functions of `manifest` through the CUDA
/// driver, one function each.
std::string emitLauncher(const llvm::json::Object &manifest,
                         llvm::StringRef ptx);

} // namespace cascade

#endif // CASCADE_TARGET_LAUNCH_MANIFEST_H
