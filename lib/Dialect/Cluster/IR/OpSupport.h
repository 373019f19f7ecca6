//===- OpSupport.h - Shared by the operations of cluster ---*- C++ -*-===//

#ifndef CASCADE_LIB_DIALECT_CLUSTER_IR_OPSUPPORT_H
#define CASCADE_LIB_DIALECT_CLUSTER_IR_OPSUPPORT_H

#include "cascade/Dialect/Cluster/IR/Cluster.h"

namespace cascade::cluster {

mlir::ParseResult parseKinds(mlir::OpAsmParser &parser, mlir::ArrayAttr &kinds);
void printKinds(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                mlir::ArrayAttr kinds);

mlir::ParseResult parseParticipants(mlir::OpAsmParser &parser, ScopeAttr &scope,
                                    AlgorithmAttr &algorithm,
                                    mlir::IntegerAttr &lanes,
                                    mlir::IntegerAttr &stride,
                                    mlir::IntegerAttr &warps);
void printParticipants(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                       ScopeAttr scope, AlgorithmAttr algorithm,
                       mlir::IntegerAttr lanes, mlir::IntegerAttr stride,
                       mlir::IntegerAttr warps);

mlir::ParseResult parseBarrierMode(mlir::OpAsmParser &parser,
                                   BarrierPhaseAttr &phase,
                                   OrderingAttr &ordering);
void printBarrierMode(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                      BarrierPhaseAttr phase, OrderingAttr ordering);

mlir::ParseResult parseMergeRegion(mlir::OpAsmParser &parser,
                                   mlir::Region &region);
void printMergeRegion(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                      mlir::Region &region);
mlir::ParseResult parseMergeRegions(mlir::OpAsmParser &parser,
                                    mlir::Region &merge,
                                    mlir::Region &lanewise);
void printMergeRegions(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                       mlir::Region &merge, mlir::Region &lanewise);

/// Checks that `op` is in a kernel: in a gpu.func, a gpu.launch or, once
/// lowered, an llvm.func.
mlir::LogicalResult verifyInKernel(mlir::Operation *op);

} // namespace cascade::cluster

#endif // CASCADE_LIB_DIALECT_CLUSTER_IR_OPSUPPORT_H
