//===- Passes.td - Conversions from and to cascade ---------*- tablegen -*-===//

#ifndef CASCADE_CONVERSION_PASSES
#define CASCADE_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def CascadeToLoopsPass
    : Pass<"convert-cascade-to-loops", "::mlir::ModuleOp"> {
  let summary = "lower chains to sequential loops over memrefs";
  let description = [{
    Functions with chains take their results as trailing memref arguments. A
    fused chain becomes one loop a pass; with `segments` of N its reduced axes
    are cut into N segments whose states are merged. A chain that is not fused
    becomes one loop a reduction: the evaluation U of docs/Semantics.md.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::func::FuncDialect"];
  let options = [Option<"segments", "segments", "int64_t", "1",
                        "segments that the reduced axes are cut into">];
}

def CascadeToClusterPass
    : Pass<"convert-cascade-to-cluster", "::mlir::ModuleOp"> {
  let summary = "lower mapped chains to GPU kernels with cluster collectives";
  let dependentDialects = ["::mlir::gpu::GPUDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::vector::VectorDialect",
                           "::cascade::cluster::ClusterDialect"];
  let options = [Option<"algorithm", "algorithm", "std::string", "\"auto\"",
                        "exchange between blocks: auto, mailbox, tree, ring or global">];
}

#endif // CASCADE_CONVERSION_PASSES
