//===- Passes.td - Transformations of cluster ops ---------*- tablegen -*-===//

#ifndef CASCADE_TRANSFORMS_CLUSTER_PASSES
#define CASCADE_TRANSFORMS_CLUSTER_PASSES

include "mlir/Pass/PassBase.td"

def ExpandCollectivesPass
    : Pass<"cluster-expand-collectives", "::mlir::gpu::GPUFuncOp"> {
  let summary = "turn collectives into shuffles, shared memory and messages";
  let description = [{
    Every `cluster.all_reduce` becomes a butterfly of shuffles within a warp,
    an exchange through shared memory within a block, and messages (`mailbox`)
    or rounds of remote loads (`tree`) between the blocks of a cluster. The
    expansion places what orders blocks; `--cluster-insert-barriers` then
    places what orders the threads of a block. `auto` is the algorithm that is
    predicted to be the fastest (docs/TrafficModel.md).
  }];
  let options = [
    Option<"target", "target", "std::string", "\"h200\"",
           "the GPU, h200 or h100, where no cluster.target says it">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect",
                           "::cascade::cluster::ClusterDialect"];
}

def InsertBarriersPass
    : Pass<"cluster-insert-barriers", "::mlir::gpu::GPUFuncOp"> {
  let summary = "order accesses of shared memory by different threads";
  let description = [{
    Places a `gpu.barrier` (or, where a peer's shared memory is involved, a
    `cluster.barrier`) between two accesses of the same buffer of which one is
    a write, on every path without one, around loops too. Buffers that
    `cluster.store_async` or `cluster.copy_async` write are ordered by their
    mbarriers and left alone. No barrier goes into a branch that only some
    threads take.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect",
                           "::cascade::cluster::ClusterDialect"];
}

def ReportTrafficPass : Pass<"cluster-traffic"> {
  let summary = "report what the collectives of kernels move between blocks";
  let description = [{
    For every collective of scope(cluster), before its expansion, and every
    algorithm of the model (docs/TrafficModel.md): bytes, messages and rounds
    between the blocks, slots to receive into, and predicted cycles. Reports
    them as analysis remarks of the category `cluster-traffic`, and as one JSON
    object with `json`. The IR stays as it is.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"h200\"",
           "the GPU, h200 or h100, where no cluster.target says it">,
    Option<"json", "json", "std::string", "\"\"",
           "file to write the report to as JSON; - is standard output">
  ];
  let dependentDialects = ["::cascade::cluster::ClusterDialect"];
}

#endif // CASCADE_TRANSFORMS_CLUSTER_PASSES
