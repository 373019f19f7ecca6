//===- NarrowFloats.h - 8-bit floats on the GPU ---------------*- C++ -*-===//
//
// PTX converts between 8-bit floats and wider ones, two at a time, and does
// nothing else with them (PTX ISA, "Data Movement and Conversion Instructions:
// cvt"; sm_89 and later):
//
//   cvt.rn.satfinite.{e4m3x2|e5m2x2}.f32 d, a, b;   a into the upper byte of d
//   cvt.rn.f16x2.{e4m3x2|e5m2x2} d, a;              the lower byte into the
//                                                   lower half of d
//
// What `arith.truncf` to f8E4M3FN or f8E5M2 means, here as on the CPU
// (lib/Target/CPU/NarrowFloats.cpp):
// * It rounds to nearest, ties to even, once; subnormal results are kept. f16
//   and bf16 are widened to f32 before, which is exact. f64 is rounded to odd
//   in f32 before: the 24 bits of f32 are at least two more than those of the
//   result, so that rounding these to nearest is the same as rounding the f64
//   (Boldo and Melquiond, "Emulation of a FMA and Correctly Rounded Sums:
//   Proved Algorithms Using Rounding to Odd", theorem 3). An f64 below the
//   normals of f32 becomes zero in either case, and one above its largest
//   saturates.
// * It saturates: numbers beyond the largest finite one, 448 or 57344, and
//   infinities become that number with their sign (`.satfinite`: "if the
//   absolute value of input is greater than MAX_NORM, the result is
//   sign-preserved MAX_NORM").
// * NaN becomes NaN; which one is not said.
//
// `arith.extf` is exact: f16 holds every number of both types, infinities of
// f8E5M2 too, and NaN stays NaN.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_LIB_CONVERSION_CLUSTERTONVVM_NARROWFLOATS_H
#define CASCADE_LIB_CONVERSION_CLUSTERTONVVM_NARROWFLOATS_H

#include "mlir/Support/LLVM.h"

namespace mlir::gpu {
class GPUModuleOp;
} // namespace mlir::gpu

namespace cascade::cluster {

/// Rewrites `arith.truncf` to and `arith.extf` from f8E4M3FN and f8E5M2 into
/// the instructions above, in pairs where two casts of a block can wait for one
/// another. Arithmetic and functions in these types are computed in f32 and
/// rounded after each. What is left of 8-bit floats are moved bits, which the
/// conversion to LLVM makes i8.
mlir::LogicalResult lowerNarrowFloats(mlir::gpu::GPUModuleOp module);

} // namespace cascade::cluster

#endif // CASCADE_LIB_CONVERSION_CLUSTERTONVVM_NARROWFLOATS_H
