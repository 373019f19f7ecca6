//===- PromoteAccumulators.h - Accumulate in f32 at least -----*- C++ -*-===//

#ifndef CASCADE_TRANSFORMS_PROMOTEACCUMULATORS_H
#define CASCADE_TRANSFORMS_PROMOTEACCUMULATORS_H

#include "cascade/Dialect/Cascade/IR/Cascade.h"

namespace cascade {

/// Rule 5 of docs/Semantics.md: a reduction on a float type narrower than f32
/// becomes extf, a reduction in f32 and truncf, so that it rounds once. Both
/// regions of `chain` are rewritten; a second call changes nothing.
void promoteAccumulators(ChainOp chain);

} // namespace cascade

#endif // CASCADE_TRANSFORMS_PROMOTEACCUMULATORS_H
