//===- InnerAxes.h - Mappings of chains with inner axes -------*- C++ -*-===//
//
// A chain that streams one axis may have others inside it: the head dimension
// of attention, which a dot product reduces for every key, or the columns of a
// matrix, each with a state of its own. They go to the lanes along which they
// are neighbours in memory, and to vectors and registers of a thread; the
// streamed axis takes the lanes that are left, warps, and the blocks of a
// cluster. Private to the schedule.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_LIB_TRANSFORMS_INNERAXES_H
#define CASCADE_LIB_TRANSFORMS_INNERAXES_H

#include "cascade/Dialect/Cluster/IR/Cluster.h"
#include "cascade/Transforms/ScheduleChains.h"

namespace cascade {

/// Whether `chain` has axes inside `rowAxis`: another one is reduced, or is the
/// one along which elements of the row are neighbours in memory.
bool hasInnerAxes(ChainOp chain, unsigned rowAxis);

/// The mappings of a chain with inner axes that fit, the fastest first by the
/// estimate. Fails with a diagnostic where an inner axis has no mapping.
mlir::FailureOr<llvm::SmallVector<RankedMapping>>
rankInnerMappings(ChainOp chain, unsigned rowAxis,
                  const ScheduleOptions &options,
                  const cluster::TargetConstants &gpu);

/// A remark at every axis that `mapping` loops over inside the row, which is
/// slower than to hold it.
void remarkLoops(ChainOp chain, unsigned rowAxis, MappingAttr mapping);

} // namespace cascade

#endif // CASCADE_LIB_TRANSFORMS_INNERAXES_H
