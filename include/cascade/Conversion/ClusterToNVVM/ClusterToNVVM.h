//===- ClusterToNVVM.h - From the cluster dialect to NVVM -----*- C++ -*-===//

#ifndef CASCADE_CONVERSION_CLUSTERTONVVM_CLUSTERTONVVM_H
#define CASCADE_CONVERSION_CLUSTERTONVVM_CLUSTERTONVVM_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class LLVMTypeConverter;
class RewritePatternSet;
namespace arith {
class ArithDialect;
} // namespace arith
namespace cf {
class ControlFlowDialect;
} // namespace cf
namespace gpu {
class GPUModuleOp;
} // namespace gpu
namespace LLVM {
class LLVMDialect;
} // namespace LLVM
namespace math {
class MathDialect;
} // namespace math
namespace NVVM {
class NVVMDialect;
} // namespace NVVM
namespace vector {
class VectorDialect;
} // namespace vector
} // namespace mlir

namespace cascade::cluster {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "cascade/Conversion/ClusterToNVVM/Passes.h.inc"

/// Patterns for the primitives of the cluster dialect; collectives have none.
void populateClusterToNVVMPatterns(const mlir::LLVMTypeConverter &converter,
                                   mlir::RewritePatternSet &patterns);

/// Functions that PTX has instructions for, and the exponential of
/// `fastmath<afn>`; to be tried before the calls of libdevice.
void populateNativeMathPatterns(const mlir::LLVMTypeConverter &converter,
                                mlir::RewritePatternSet &patterns);

/// exp, exp2, expm1, log, log2, log10, log1p, rsqrt and tanh as arithmetic.
/// Errors against the exact value, in ulps of the type, as measured in the
/// tests of these patterns: see MathF32.cpp and MathF64.cpp. Types below f32
/// are computed in f32, vectors by element.
void populateMathExpansionPatterns(mlir::RewritePatternSet &patterns);

/// bf16 elements of a vector to f32, without the conversion of PTX. Exact; a
/// signalling NaN stays one.
void populateWidenBF16Patterns(mlir::RewritePatternSet &patterns);

} // namespace cascade::cluster

#endif // CASCADE_CONVERSION_CLUSTERTONVVM_CLUSTERTONVVM_H
