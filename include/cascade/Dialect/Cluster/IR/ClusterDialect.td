//===- ClusterDialect.td - The cluster dialect --------------*- tablegen -*-===//

#ifndef CASCADE_DIALECT_CLUSTER_IR_CLUSTERDIALECT_TD
#define CASCADE_DIALECT_CLUSTER_IR_CLUSTERDIALECT_TD

include "mlir/IR/OpBase.td"

def Cluster_Dialect : Dialect {
  let name = "cluster";
  let cppNamespace = "::cascade::cluster";
  let summary = "What the blocks of a thread-block cluster do together";
  let description = [{
    Primitives of a Hopper cluster (barriers, mbarriers, stores into a peer's
    shared memory) and the collectives built from them. Shared memory is a
    memref in `#gpu.address_space<workgroup>`; the shared memory of a peer is
    a memref in memory space `7 : i32` (PTX `.shared::cluster`).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect"];
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let useDefaultAttributePrinterParser = 1;
}

#endif // CASCADE_DIALECT_CLUSTER_IR_CLUSTERDIALECT_TD
