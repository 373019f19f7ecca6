//===- SplitStates.h - Chains over a part of an axis ----------*- C++ -*-===//

#ifndef CASCADE_TRANSFORMS_SPLITSTATES_H
#define CASCADE_TRANSFORMS_SPLITSTATES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cascade {

/// Suffixes of the functions that `splitStates` adds.
inline constexpr llvm::StringLiteral statesSuffix = "_states";
inline constexpr llvm::StringLiteral mergeSuffix = "_merge";
inline constexpr llvm::StringLiteral finishSuffix = "_finish";

/// Adds, behind `function`, which holds one chain @f, what computes it where
/// its data lies in several places along `axis` (empty: the one that a kernel
/// would stream):
///
/// * `@f_states`, of the arguments of @f: the state of one place, a tensor for
///   each result of a reduction over the axis;
/// * `@f_merge`, of such tensors with the places as a new first dimension, in
///   any number and order, and of the other arguments that this takes: the
///   state of all of them;
/// * `@f_finish`, likewise: the results of @f.
///
/// How states are corrected and merged is what the fused form of the chain
/// says. Fails, with a diagnostic, where that takes several passes over the
/// axis, where a result varies over it, and at a topk.
mlir::LogicalResult splitStates(mlir::func::FuncOp function,
                                llvm::StringRef axis);

} // namespace cascade

#endif // CASCADE_TRANSFORMS_SPLITSTATES_H
