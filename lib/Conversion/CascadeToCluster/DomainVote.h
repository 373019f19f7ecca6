//===- DomainVote.h - Whether a warp has to do with a tile ----*- C++ -*-===//
//
// A mask in memory leaves out tiles that no bound tells apart. Where it is
// small beside what else a tile loads (a word a key, beside the columns of keys
// and values), the lanes of a warp look at it first, and pass over the tile
// together if none of them has an element in a domain. Private to the
// conversion.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_CONVERSION_CASCADETOCLUSTER_DOMAINVOTE_H
#define CASCADE_CONVERSION_CASCADETOCLUSTER_DOMAINVOTE_H

#include "TileEvaluator.h"
#include "cascade/Analysis/ReductionPasses.h"

namespace cascade {

/// Whether the predicates of `pass` tell, from few elements, which tiles the
/// rest is needed of; `row` is the scope of the row before the pass.
bool isVotedOn(TileEvaluator &row, const ReductionPass &pass);

/// Whether any lane of the warp has an element of `tile` in a domain of `pass`.
mlir::Value emitVote(mlir::OpBuilder &b, TileEvaluator &tile,
                     const ReductionPass &pass);

} // namespace cascade

#endif // CASCADE_CONVERSION_CASCADETOCLUSTER_DOMAINVOTE_H
