//===- Passes.td - From the cluster dialect to NVVM --------*- tablegen -*-===//

#ifndef CASCADE_CONVERSION_CLUSTERTONVVM_PASSES
#define CASCADE_CONVERSION_CLUSTERTONVVM_PASSES

include "mlir/Pass/PassBase.td"

def ClusterToNVVMPass
    : Pass<"convert-cluster-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "lower a gpu.module with cluster operations to NVVM";
  let description = [{
    Converts the primitives of `cluster` one by one, together with gpu, scf,
    arith, math, memref, vector, index and func. Mathematical functions become
    short sequences of hardware instructions where this project has one; the
    others become calls of libdevice.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

def ExpandMathPass : Pass<"cluster-expand-math"> {
  let summary = "expand math functions of f32 and f64 into arithmetic";
  let description = [{
    The formulas of `--convert-cluster-to-nvvm` as plain `arith` and `math.fma`,
    so that they can be run and checked anywhere. f32 exponentials end in
    `math.exp2` with `fastmath<afn>`, which is one hardware instruction.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // CASCADE_CONVERSION_CLUSTERTONVVM_PASSES
