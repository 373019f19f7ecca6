//===- Tuning.h - Measured mappings ---------------------------*- C++ -*-===//
//
// `--tune-space` compiles a function once for each candidate mapping,
// `cascade-launch --tune` times them and writes a tuning file
// (Runtime/TuningFile.h), and `--tuned` takes the mappings from there.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_PIPELINES_TUNING_H
#define CASCADE_PIPELINES_TUNING_H

#include "cascade/Dialect/Cascade/IR/Cascade.h"
#include "cascade/Pipelines/Pipelines.h"
#include "cascade/Runtime/TuningFile.h"
#include "llvm/ADT/StringMap.h"

namespace cascade {

/// The candidates that `--tune-space` takes if it gives no number, and the most
/// that it may give.
inline constexpr int64_t defaultCandidates = 12, mostCandidates = 256;

/// What a measured mapping of the fused chain `chain` is kept under. The hash
/// takes no account of the mapping, of names of values and functions, of
/// locations and of extents, which are in the shape: exact where the axis is
/// reduced or a list, since digits have to cover it; "257..512", the range up
/// to a power of two, where it is parallel; "?" where it is dynamic. `gpu`
/// names the GPU where the chain has no `cluster.target`.
runtime::TuningKey tuningKeyOf(ChainOp chain, llvm::StringRef gpu);

/// Replaces every function with a chain in `fused`, a module at that phase, by
/// its `most` best-ranked candidates NAME__m0, NAME__m1... with their mapping
/// and an attribute for the manifest. Fails with a diagnostic.
mlir::LogicalResult expandTuneSpace(mlir::ModuleOp fused, int64_t most,
                                    const PipelineOptions &options);

/// What became of one chain under `--tuned`.
struct TunedChain {
  runtime::TuningKey key;
  bool isGiven = false; ///< The chain came with a mapping, which stays.
  std::optional<size_t> entry;
  MappingAttr mapping; ///< Of the entry.
};

/// A tuning file, with every mapping parsed.
class TuningTable {
public:
  /// Fails with a message for the user: `path`, the place and the remedy.
  static runtime::Expected<TuningTable> read(const std::string &path,
                                             mlir::MLIRContext &context);

  /// Gives each chain of `fused` without a mapping that of its key. An error
  /// where an entry does not fit its chain.
  runtime::Error apply(mlir::ModuleOp fused, llvm::StringRef gpu);

  /// The chains of a function of the last `apply`, in order.
  llvm::ArrayRef<TunedChain> chainsOf(llvm::StringRef function) const;
  const runtime::TuningEntry &entry(size_t number) const {
    return file.entries[number];
  }
  /// "tuned.json: entries[2]".
  std::string place(size_t number) const;

private:
  runtime::TuningFile file;
  llvm::SmallVector<MappingAttr> mappings; ///< One an entry.
  llvm::StringMap<llvm::SmallVector<TunedChain, 1>> chains;
};

} // namespace cascade

#endif // CASCADE_PIPELINES_TUNING_H
