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

/// Types of a reduction: those of the operands, or a function type where the
/// results have others.
mlir::ParseResult parseReducedTypes(mlir::OpAsmParser &parser,
                                    llvm::SmallVectorImpl<mlir::Type> &inputs,
                                    llvm::SmallVectorImpl<mlir::Type> &results);
void printReducedTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                       mlir::TypeRange inputs, mlir::TypeRange results);

mlir::ParseResult parseOptionalAlgorithm(mlir::OpAsmParser &parser,
                                         AlgorithmAttr &algorithm);
void printOptionalAlgorithm(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                            AlgorithmAttr algorithm);

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

/// Whether a scalar of `type` can be exchanged.
bool isExchangeable(mlir::Type type);

/// Checks the attribute kWorkspaceBytesAttrName of `op`.
mlir::LogicalResult verifyWorkspaceBytes(mlir::Operation *op,
                                         mlir::Attribute value);
/// Checks that a known cluster size is one that hardware has.
mlir::LogicalResult verifyClusterSize(mlir::Operation *op);
/// Checks that `root` is one of `ranks`, or could be where they are unknown.
mlir::LogicalResult verifyRoot(mlir::Operation *op, int64_t root,
                               std::optional<int64_t> ranks);
/// Checks that a reduction of `elements` has either kinds that take them or a
/// merge region.
mlir::LogicalResult verifyKinds(mlir::Operation *op,
                                std::optional<mlir::ArrayAttr> kinds,
                                mlir::Region &merge, mlir::TypeRange elements);
/// Checks that a merge region, if any, takes two states and yields one.
mlir::LogicalResult verifyMerge(mlir::Operation *op, mlir::Region &merge,
                                mlir::TypeRange elements);

/// Checks that `op` is in a kernel: in a gpu.func, a gpu.launch or, once
/// lowered, an llvm.func.
mlir::LogicalResult verifyInKernel(mlir::Operation *op);

} // namespace cascade::cluster

#endif // CASCADE_LIB_DIALECT_CLUSTER_IR_OPSUPPORT_H
