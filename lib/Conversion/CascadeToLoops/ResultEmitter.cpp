//===- ResultEmitter.cpp - Loops over the results of a chain --------------===//
//
// Results whose maps begin with the same axes share the loops over them. Where
// a fused chain has a replay condition, the branch stands at the outermost loop
// in which the condition is known.
//
//===----------------------------------------------------------------------===//

#include "ChainEvaluator.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace cascade;

LogicalResult ChainEvaluator::emitResults(ArrayRef<Value> results) {
  outputs.assign(results.begin(), results.end());
  auto yield = cast<YieldOp>(chain.getBodyBlock()->getTerminator());
  auto all = llvm::to_vector(llvm::seq<unsigned>(0, chain.getNumResults()));
  return emitGroup(all, 0, chain.getBody(), yield.getReplay());
}

/// Emits `results`, whose maps agree in their first `depth` axes, below the
/// loops over these. `replay` is null where no decision is open.
LogicalResult ChainEvaluator::emitGroup(ArrayRef<unsigned> results,
                                        unsigned depth, Region &region,
                                        Value replay) {
  if (replay && !axesOf(replay).test(frames.boundAxes()))
    return emitReplay(replay, results, depth);

  SmallVector<unsigned> left;
  for (unsigned result : results) {
    if (chain.getOutputMap(result).getNumResults() != depth)
      left.push_back(result);
    else if (failed(replay ? emitReplay(replay, result, depth)
                           : emitStore(result, region)))
      return failure();
  }
  while (!left.empty()) {
    auto axisOf = [&](unsigned result) {
      return chain.getOutputMap(result).getDimPosition(depth);
    };
    unsigned axis = axisOf(left.front());
    SmallVector<unsigned> group, rest;
    for (unsigned result : left)
      (axisOf(result) == axis ? group : rest).push_back(result);
    if (failed(openAxis(axis)) ||
        failed(emitGroup(group, depth + 1, region, replay)))
      return failure();
    frames.close();
    left = std::move(rest);
  }
  return success();
}

/// Emits `results` from the source where `replay` holds, else from the body.
LogicalResult ChainEvaluator::emitReplay(Value replay,
                                         ArrayRef<unsigned> results,
                                         unsigned depth) {
  FailureOr<Value> condition = emitAnyOf(replay);
  if (failed(condition))
    return failure();
  auto branch = scf::IfOp::create(frames.builder(), chain.getLoc(), *condition,
                                  /*withElseRegion=*/true);
  for (auto [block, region] :
       {std::pair(branch.thenBlock(), &chain.getSource()),
        std::pair(branch.elseBlock(), &chain.getBody())}) {
    frames.openIf(branch, block);
    if (failed(emitGroup(results, depth, *region, nullptr)))
      return failure();
    frames.close();
  }
  return success();
}

/// Whether `condition` holds anywhere on the axes that no open loop binds.
FailureOr<Value> ChainEvaluator::emitAnyOf(Value condition) {
  AxisSet open = axesOf(condition);
  open.reset(frames.boundAxes());
  if (open.none())
    return emit(condition);
  Location loc = chain.getLoc();
  Value no = arith::ConstantIntOp::create(frames.builder(), loc, 0, 1);
  FailureOr<scf::ForOp> loop = openAxis(open.find_first(), no);
  if (failed(loop))
    return failure();
  FailureOr<Value> inner = emitAnyOf(condition);
  if (failed(inner))
    return failure();
  Value any = arith::OrIOp::create(frames.builder(), loc,
                                   loop->getRegionIterArg(0), *inner);
  scf::YieldOp::create(frames.builder(), loc, any);
  frames.close();
  return loop->getResult(0);
}

LogicalResult ChainEvaluator::emitStore(unsigned result, Region &region) {
  auto yield = cast<YieldOp>(region.front().getTerminator());
  FailureOr<Value> value = emit(yield.getValues()[result]);
  if (failed(value))
    return failure();
  SmallVector<Value> indices;
  for (AffineExpr expr : chain.getOutputMap(result).getResults()) {
    FailureOr<Value> index = axisIndex(cast<AffineDimExpr>(expr).getPosition());
    if (failed(index))
      return failure();
    indices.push_back(*index);
  }
  memref::StoreOp::create(frames.builder(), chain.getLoc(), *value,
                          outputs[result], indices);
  return success();
}
