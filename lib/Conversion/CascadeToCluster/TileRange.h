//===- TileRange.h - The tiles that a pass visits -------------*- C++ -*-===//
//
// Tiles without an element in the domain of any reduction of a pass are left
// out of its loop, and tiles with no element outside of one need no predicates.
// The intervals come from IndexRange. Private to the conversion.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_CONVERSION_CASCADETOCLUSTER_TILERANGE_H
#define CASCADE_CONVERSION_CASCADETOCLUSTER_TILERANGE_H

#include "TileEvaluator.h"
#include "cascade/Analysis/ReductionPasses.h"

namespace cascade {

/// The tiles of a block that a loop over the row visits, by number, in order:
/// those from `first` to `firstFull` and from `endFull` to `end` have elements
/// beyond the row's end or that no domain has. The numbers are the same in all
/// lanes of a warp.
struct TileRange {
  Int first, firstFull, endFull, end;
  /// No domain has indices outside of them.
  IndexLimits limits;
  /// Whether there may be tiles before `firstFull`.
  bool hasHead = false;
  /// Whether all elements of the full tiles are in the domains of all
  /// reductions.
  bool isCertain = false;
  /// Whether there is a tile behind the full ones, where there is at most one
  /// there and before them; null where there may be more.
  mlir::Value hasTail;

  /// The tiles of the row.
  static TileRange all(mlir::OpBuilder &b, const KernelContext &context);
  /// Those of `pass`, if its domains tell; `row` is the scope of the row before
  /// the pass.
  static std::optional<TileRange> of(mlir::OpBuilder &b, TileEvaluator &row,
                                     const ReductionPass &pass);
};

/// A remark on what the domains of `pass` tell, where it has any.
void remarkDomains(TileEvaluator &row, const ReductionPass &pass);

} // namespace cascade

#endif // CASCADE_CONVERSION_CASCADETOCLUSTER_TILERANGE_H
