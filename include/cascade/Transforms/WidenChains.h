//===- WidenChains.h - The reference evaluation in f64 --------*- C++ -*-===//

#ifndef CASCADE_TRANSFORMS_WIDENCHAINS_H
#define CASCADE_TRANSFORMS_WIDENCHAINS_H

#include "cascade/Dialect/Cascade/IR/Cascade.h"

namespace cascade {

/// Rewrites the body of `chain`, which is not fused, into the reference
/// evaluation R of docs/Semantics.md: every float operation in f64, the
/// narrowing casts of the source kept as roundings, one rounding of each
/// result.
void widenToF64(ChainOp chain);

} // namespace cascade

#endif // CASCADE_TRANSFORMS_WIDENCHAINS_H
