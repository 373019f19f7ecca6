//===- Passes.h - Transformations of chains -------------------*- C++ -*-===//

#ifndef CASCADE_TRANSFORMS_PASSES_H
#define CASCADE_TRANSFORMS_PASSES_H

#include "cascade/Dialect/Cascade/IR/Cascade.h"
#include "cascade/Dialect/Cluster/IR/Cluster.h"
#include "mlir/Pass/Pass.h"

namespace cascade {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "cascade/Transforms/Passes.h.inc"

} // namespace cascade

#endif // CASCADE_TRANSFORMS_PASSES_H
