//===- ChainEvaluator.cpp - Emit the values of a chain --------------------===//

#include "ChainEvaluator.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace cascade;

static std::optional<ReductionPasses> sourcePasses(ChainOp chain) {
  if (!chain.isFused())
    return std::nullopt;
  return ReductionPasses(chain, chain.getSource(), /*together=*/false);
}

ChainEvaluator::ChainEvaluator(ChainOp chain, OpBuilder builder,
                               ArrayRef<Value> buffers, int64_t segments)
    : chain(chain), buffers(buffers), segments(segments),
      body(chain, chain.getBody(), /*together=*/chain.isFused()),
      source(sourcePasses(chain)),
      frames(builder, chain.getNumAxes(),
             [this](Value value) { return axesOf(value); }),
      extents(chain.getNumAxes()) {}

const ReductionPasses &ChainEvaluator::passesOf(Region *region) const {
  return source && region == &ChainOp(chain).getSource() ? *source : body;
}

AxisSet ChainEvaluator::axesOf(Value value) const {
  return passesOf(value.getParentRegion()).getAxes().of(value);
}

Value ChainEvaluator::extentOf(unsigned axis) {
  if (extents[axis])
    return extents[axis];
  OpBuilder &b = frames.builderAt(0);
  int64_t size = chain.getStaticExtents()[axis];
  if (!ShapedType::isDynamic(size))
    return extents[axis] =
               arith::ConstantIndexOp::create(b, chain.getLoc(), size);
  // The verifier has checked that an operand fixes a dynamic axis.
  auto [operand, dim] = chain.getExtentSource(axis);
  return extents[axis] =
             memref::DimOp::create(b, chain.getLoc(), buffers[operand], dim);
}

FailureOr<Value> ChainEvaluator::axisIndex(unsigned axis) {
  if (Value index = frames.indexOf(axis))
    return index;
  return chain.emitError() << "cannot be lowered to loops: a value that varies "
                              "over axis '"
                           << chain.getAxisName(axis)
                           << "' is needed outside of it";
}

Value ChainEvaluator::castIndex(OpBuilder &b, Value index, Type type) {
  if (type.isIndex())
    return index;
  return arith::IndexCastOp::create(b, chain.getLoc(), type, index);
}

/// Loads the element of an operand at the indices of its map.
LogicalResult ChainEvaluator::emitArgument(BlockArgument argument) {
  unsigned input = argument.getArgNumber();
  Value buffer = buffers[input];
  if (!isa<MemRefType>(buffer.getType())) {
    frames.map(0, argument, buffer);
    return success();
  }
  AffineMap map = chain.getInputMap(input);
  bool bare = llvm::all_of(map.getResults(), llvm::IsaPred<AffineDimExpr>);
  unsigned place = frames.placementOf(argument, /*speculatable=*/bare);
  OpBuilder &b = frames.builderAt(place);
  SmallVector<Value> axes(chain.getNumAxes());
  AxisSet used = axesOf(argument);
  for (unsigned axis : used.set_bits()) {
    FailureOr<Value> index = axisIndex(axis);
    if (failed(index))
      return failure();
    axes[axis] = *index;
  }
  SmallVector<Value> indices;
  for (AffineExpr expr : map.getResults()) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      indices.push_back(axes[dim.getPosition()]);
      continue;
    }
    Value index = affine::expandAffineExpr(b, chain.getLoc(), expr, axes, {});
    if (!index)
      return chain.emitError() << "cannot be lowered to loops: the map of "
                                  "operand "
                               << input
                               << " has an expression that cannot be "
                                  "expanded";
    indices.push_back(index);
  }
  frames.map(place, argument,
             memref::LoadOp::create(b, chain.getLoc(), buffer, indices));
  return success();
}

/// Whether `op` may run for iterations outside of a domain.
static bool mayRunAnywhere(Operation *op) {
  return isSpeculatable(op) && !isa<arith::FPToSIOp, arith::FPToUIOp>(op);
}

/// Emits an operation whose operands are emitted.
LogicalResult ChainEvaluator::emitOperation(Operation *op) {
  if (auto index = dyn_cast<IndexOp>(op)) {
    unsigned axis = chain.getAxisNumber(index.getAxis());
    FailureOr<Value> value = axisIndex(axis);
    if (failed(value))
      return failure();
    unsigned place = frames.placementOf(index.getResult(), true);
    frames.map(place, index,
               castIndex(frames.builderAt(place), *value, index.getType()));
    return success();
  }
  if (auto extent = dyn_cast<ExtentOp>(op)) {
    Value value = extentOf(chain.getAxisNumber(extent.getAxis()));
    frames.map(0, extent,
               castIndex(frames.builderAt(0), value, extent.getType()));
    return success();
  }
  unsigned place = frames.placementOf(op->getResult(0), mayRunAnywhere(op));
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    auto found = frames.lookup(operand);
    mapping.map(operand, found->value);
    place = std::max(place, found->frame);
  }
  Operation *clone = frames.builderAt(place).clone(*op, mapping);
  for (auto [from, to] : llvm::zip(op->getResults(), clone->getResults()))
    frames.map(place, from, to);
  return success();
}

FailureOr<Value> ChainEvaluator::emit(Value value) {
  // Iterative post-order, so that a long body does not exhaust the stack.
  SmallVector<Value> worklist{value};
  while (!worklist.empty()) {
    Value next = worklist.back();
    if (frames.lookup(next)) {
      worklist.pop_back();
      continue;
    }
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (failed(emitArgument(argument)))
        return failure();
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      Value list = frames.lookupList(next, passAxesOf(reduce));
      if (failed(list ? loadEntry(cast<OpResult>(next), list)
                      : emitReduction(reduce)))
        return failure();
      continue;
    }
    size_t waiting = worklist.size();
    for (Value operand : op->getOperands())
      if (!frames.lookup(operand))
        worklist.push_back(operand);
    if (worklist.size() == waiting && failed(emitOperation(op)))
      return failure();
  }
  return frames.lookup(value)->value;
}

FailureOr<SmallVector<Value>> ChainEvaluator::emitAll(ValueRange values) {
  Values emitted;
  for (Value value : values) {
    FailureOr<Value> one = emit(value);
    if (failed(one))
      return failure();
    emitted.push_back(*one);
  }
  return emitted;
}
