//===- KernelBuilder.h - The body of one kernel ---------------*- C++ -*-===//

#ifndef CASCADE_CONVERSION_CASCADETOCLUSTER_KERNELBUILDER_H
#define CASCADE_CONVERSION_CASCADETOCLUSTER_KERNELBUILDER_H

#include "KernelContext.h"

namespace cascade {

/// Emits everything after the prologue at `b`: the passes, the replay of the
/// source where the chain has one, and the stores of the results.
void buildKernelBody(mlir::OpBuilder &b, KernelContext &context,
                     mlir::gpu::GPUFuncOp kernel);

} // namespace cascade

#endif // CASCADE_CONVERSION_CASCADETOCLUSTER_KERNELBUILDER_H
