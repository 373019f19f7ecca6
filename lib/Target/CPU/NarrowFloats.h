//===- NarrowFloats.h - Narrow floats on the host -------------*- C++ -*-===//

#ifndef CASCADE_LIB_TARGET_CPU_NARROWFLOATS_H
#define CASCADE_LIB_TARGET_CPU_NARROWFLOATS_H

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/BuiltinOps.h"

namespace cascade {

/// Rewrites conversions between narrow floats (f16, bf16, fp8) and wider ones
/// into calls, so that they neither depend on the processor nor on the compiler
/// runtime, and so that fp8 saturates. Arithmetic on narrow floats must have
/// been moved to f32 before. Fails, with a diagnostic, on other narrow types.
mlir::LogicalResult convertNarrowFloats(mlir::ModuleOp module);

/// Makes the functions that these calls name known to `engine`.
void registerNarrowFloats(mlir::ExecutionEngine &engine);

} // namespace cascade

#endif // CASCADE_LIB_TARGET_CPU_NARROWFLOATS_H
