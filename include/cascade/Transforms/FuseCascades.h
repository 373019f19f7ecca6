//===- FuseCascades.h - From a chain to its fused form --------*- C++ -*-===//

#ifndef CASCADE_TRANSFORMS_FUSECASCADES_H
#define CASCADE_TRANSFORMS_FUSECASCADES_H

#include "cascade/Dialect/Cascade/IR/Cascade.h"
#include <string>
#include <vector>

namespace cascade {

/// What was decided about one reduction, in words for people and for JSON.
struct ReductionReport {
  unsigned index = 0;                  ///< in program order
  std::string kind;                    ///< "add"
  llvm::SmallVector<std::string> over; ///< axis names
  std::string verdict;                 ///< independent, separable, ...
  unsigned rank = 0;
  unsigned pass = 0; ///< among the passes over the same axes
  std::string value; ///< F
  struct Term {
    std::string g, h, combine, form, why;
  };
  llvm::SmallVector<Term> terms;
  unsigned accumulators = 1;
  llvm::SmallVector<std::string> refs;
  std::string legality;
  std::string cost; ///< of what the chain had to allow; may be empty
  // Of a refusal.
  std::string rule, reason, at, suggestion;
  mlir::Location loc;

  explicit ReductionReport(mlir::Location loc) : loc(loc) {}
};

/// What was decided about one chain.
struct ChainReport {
  llvm::SmallVector<std::string> axes;
  /// Passes over each group of axes, keyed by their names joined with commas.
  llvm::SmallVector<std::pair<std::string, unsigned>> passes;
  std::vector<ReductionReport> reductions;
};

/// Rewrites `chain` in place into its fused form and says what it decided. A
/// chain whose reductions are all independent keeps its body; one that is fused
/// already is left alone. Fails, with a diagnostic, only on types or kinds that
/// the algebra cannot name.
mlir::LogicalResult fuseChain(ChainOp chain, ChainReport &report);

/// `fuseChain` after a check of the combiner regions (CombinerCheck.h): what
/// the pass and --explain run.
mlir::LogicalResult checkAndFuseChain(ChainOp chain, ChainReport &report);

/// The report as one JSON object, as docs/Tools.md describes.
std::string toJSON(const ChainReport &report);
/// The report as text, one paragraph a reduction.
std::string toText(const ChainReport &report);

} // namespace cascade

#endif // CASCADE_TRANSFORMS_FUSECASCADES_H
