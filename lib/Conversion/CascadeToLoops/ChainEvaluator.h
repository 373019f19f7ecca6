//===- ChainEvaluator.h - Emit the values of a chain ----------*- C++ -*-===//
//
// Evaluates the values of one chain on demand, below the loops that are open.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_LIB_CONVERSION_CASCADETOLOOPS_CHAINEVALUATOR_H
#define CASCADE_LIB_CONVERSION_CASCADETOLOOPS_CHAINEVALUATOR_H

#include "Frames.h"
#include "cascade/Analysis/ReductionPasses.h"
#include "cascade/Transforms/PassState.h"

namespace cascade {

class ChainEvaluator {
public:
  /// Emits at `builder`. `buffers` holds one value an operand of `chain`: a
  /// memref for a tensor, the scalar itself for a scalar.
  ChainEvaluator(ChainOp chain, mlir::OpBuilder builder,
                 llvm::ArrayRef<mlir::Value> buffers, int64_t segments);

  /// Writes the results of the chain to `outputs`, one memref each.
  mlir::LogicalResult emitResults(llvm::ArrayRef<mlir::Value> outputs);
  /// The extent of `axis`, of type index.
  mlir::Value extentOf(unsigned axis);

private:
  using Values = llvm::SmallVector<mlir::Value>;

  // Values (ChainEvaluator.cpp).
  mlir::FailureOr<mlir::Value> emit(mlir::Value value);
  mlir::FailureOr<Values> emitAll(mlir::ValueRange values);
  mlir::LogicalResult emitArgument(mlir::BlockArgument argument);
  mlir::LogicalResult emitOperation(mlir::Operation *op);
  mlir::FailureOr<mlir::Value> axisIndex(unsigned axis);
  mlir::Value castIndex(mlir::OpBuilder &b, mlir::Value index, mlir::Type type);
  const ReductionPasses &passesOf(mlir::Region *region) const;
  AxisSet axesOf(mlir::Value value) const;

  // Reductions (PassEmitter.cpp).
  mlir::LogicalResult emitReduction(ReduceOp reduce);
  /// The axes that the accumulators of `reduce` vary over: those of its
  /// results, without the one that a topk introduces.
  AxisSet passAxesOf(ReduceOp reduce) const;
  void storeLists(const PassState &state, ReduceOp reduce,
                  mlir::ValueRange results, unsigned place);
  mlir::LogicalResult loadEntry(mlir::OpResult result, mlir::Value buffer);
  ReductionPass membersFor(ReduceOp reduce);
  mlir::FailureOr<mlir::IRMapping> emitLeaves(const ReductionPass &pass);
  mlir::FailureOr<Values> emitNest(const PassState &state, unsigned depth,
                                   Values accumulators,
                                   const mlir::IRMapping &outer);
  mlir::FailureOr<Values> emitSegments(const PassState &state, Values identity,
                                       const mlir::IRMapping &outer);
  mlir::FailureOr<Values> emitSegment(const PassState &state, mlir::Value begin,
                                      mlir::Value end, Values identity,
                                      const mlir::IRMapping &outer);
  mlir::FailureOr<Values> emitStep(const PassState &state, Values accumulators,
                                   const mlir::IRMapping &outer);
  mlir::FailureOr<Values> emitMember(const PassState &state, ReduceOp reduce,
                                     Values accumulators, mlir::Value predicate,
                                     const mlir::IRMapping &outer);
  /// Runs `body` where `predicate` holds; elsewhere the values are `otherwise`.
  mlir::FailureOr<Values>
  emitWhere(mlir::Value predicate, Values otherwise,
            llvm::function_ref<mlir::FailureOr<Values>()> body);

  // Results (ResultEmitter.cpp).
  mlir::LogicalResult emitGroup(llvm::ArrayRef<unsigned> results,
                                unsigned depth, mlir::Region &region,
                                mlir::Value replay);
  mlir::LogicalResult emitReplay(mlir::Value replay,
                                 llvm::ArrayRef<unsigned> results,
                                 unsigned depth);
  mlir::FailureOr<mlir::Value> emitAnyOf(mlir::Value condition);
  mlir::LogicalResult emitStore(unsigned result, mlir::Region &region);
  mlir::FailureOr<mlir::scf::ForOp> openAxis(unsigned axis,
                                             mlir::ValueRange inits = {});

  ChainOp chain;
  llvm::SmallVector<mlir::Value> buffers, outputs;
  int64_t segments;
  ReductionPasses body;
  std::optional<ReductionPasses> source;
  FrameStack frames;
  llvm::SmallVector<mlir::Value> extents;
};

} // namespace cascade

#endif // CASCADE_LIB_CONVERSION_CASCADETOLOOPS_CHAINEVALUATOR_H
