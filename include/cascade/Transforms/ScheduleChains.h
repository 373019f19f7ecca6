//===- ScheduleChains.h - A mapping for every chain -----------*- C++ -*-===//

#ifndef CASCADE_TRANSFORMS_SCHEDULECHAINS_H
#define CASCADE_TRANSFORMS_SCHEDULECHAINS_H

#include "cascade/Dialect/Cascade/IR/Cascade.h"
#include "cascade/Dialect/Cluster/IR/Cluster.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cascade {

struct ScheduleOptions {
  int64_t cluster = 0;    ///< blocks a cluster, 1 to 16; 0 chooses
  bool vectorise = true;  ///< false: one element an access, any alignment
  bool reference = false; ///< one block a row, one element at a time
  /// A preset of #cluster.target, for what has no `cluster.target`.
  std::string target = "h200";
};

/// The GPU that `op` is scheduled for: what its `cluster.target`, or that of an
/// operation around it, says, or else the preset of `options`. Fails with a
/// diagnostic where that is unknown.
mlir::FailureOr<cluster::TargetAttr> getTarget(mlir::Operation *op,
                                               const ScheduleOptions &options);

/// Where the elements of a row are from one use to the next.
enum class Residency { Registers, Shared, Cache, Streams };

/// A mapping and what is expected of it.
struct RankedMapping {
  MappingAttr mapping;
  double microseconds; ///< infinite: more registers than there are
  Residency residency;
};

/// The candidates for a row chain, the best first. Fails with a diagnostic on
/// other chains, on a cluster size that no cluster has and on an unknown
/// target.
mlir::FailureOr<llvm::SmallVector<RankedMapping>>
rankRowMappings(ChainOp chain, const ScheduleOptions &options);

/// A mapping for a row chain. Fails with a diagnostic on other chains and on a
/// cluster size that no cluster has.
mlir::FailureOr<MappingAttr> scheduleRowChain(ChainOp chain,
                                              const ScheduleOptions &options);

/// Attribute of a function: the variant that runs where this one may not.
inline constexpr llvm::StringLiteral fallbackAttrName = "cascade.fallback";
/// Attribute of a fallback: the function whose place it takes.
inline constexpr llvm::StringLiteral fallbackOfAttrName = "cascade.fallback_of";

/// Whether the mapping of `chain` reads or writes memory several elements at a
/// time, so that it asks for aligned buffers and rows.
bool needsAlignment(ChainOp chain);

/// The same mapping with one element an access.
MappingAttr withoutVectors(ChainOp chain);

/// Gives the chain of `function` its mapping and, where that one asks for
/// alignment, a copy of the function that does not behind it.
mlir::LogicalResult scheduleFunction(mlir::func::FuncOp function,
                                     const ScheduleOptions &options,
                                     MappingAttr given);

} // namespace cascade

#endif // CASCADE_TRANSFORMS_SCHEDULECHAINS_H
