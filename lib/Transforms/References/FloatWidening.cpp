//===- FloatWidening.cpp - The same operations in a wider float -----------===//

#include "FloatWidening.h"

using namespace mlir;
using namespace cascade;

Type FloatWidening::typeOf(Type type) const {
  FloatType narrow = dyn_cast<FloatType>(type), limit = wide;
  return narrow && narrow.getWidth() < limit.getWidth() ? Type(limit) : type;
}

Value FloatWidening::extend(OpBuilder &b, Value value) const {
  Type type = typeOf(value.getType());
  if (type == value.getType())
    return value;
  return arith::ExtFOp::create(b, value.getLoc(), type, value);
}

Value FloatWidening::round(OpBuilder &b, Value value, Type type) const {
  if (value.getType() == type)
    return value;
  return arith::TruncFOp::create(b, value.getLoc(), type, value);
}

/// The constant `attr` in `type`; exact, since `type` is wider.
static FloatAttr convertConstant(FloatAttr attr, FloatType type) {
  APFloat value = attr.getValue();
  bool losesInfo = false;
  value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return FloatAttr::get(type, value);
}

void FloatWidening::cloneOperation(OpBuilder &b, Operation *op,
                                   IRMapping &mapping) const {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return cloneReduce(b, reduce, mapping);
  if (auto cast = dyn_cast<arith::ExtFOp>(op)) {
    // typeOf is monotone: where both ends agree, nothing is left to do.
    Value in = mapping.lookup(cast.getIn());
    Type type = typeOf(cast.getType());
    if (in.getType() != type)
      in = arith::ExtFOp::create(b, cast.getLoc(), type, in);
    mapping.map(cast.getOut(), in);
    return;
  }
  if (auto cast = dyn_cast<arith::TruncFOp>(op)) {
    Value rounded = round(b, mapping.lookup(cast.getIn()), cast.getType());
    mapping.map(cast.getOut(), extend(b, rounded));
    return;
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto attr = dyn_cast<FloatAttr>(constant.getValue());
        attr && typeOf(attr.getType()) != attr.getType()) {
      Value wider = arith::ConstantOp::create(b, constant.getLoc(),
                                              convertConstant(attr, wide));
      mapping.map(constant.getResult(), wider);
      return;
    }
  }
  if (auto cast = dyn_cast<arith::BitcastOp>(op)) {
    // The bits are those of the narrow type.
    Value in = round(b, mapping.lookup(cast.getIn()), cast.getIn().getType());
    Value bits = arith::BitcastOp::create(b, cast.getLoc(), cast.getType(), in);
    mapping.map(cast.getOut(), extend(b, bits));
    return;
  }
  Operation *clone = b.clone(*op, mapping);
  for (auto [from, to] : llvm::zip(op->getResults(), clone->getResults())) {
    to.setType(typeOf(from.getType()));
    mapping.map(from, to);
  }
}

void FloatWidening::cloneStateRegion(Region &from, Region &to,
                                     unsigned numStates,
                                     const IRMapping &outside) const {
  if (from.empty())
    return;
  Block &block = from.front();
  Block *target = new Block();
  to.push_back(target);
  // The new region belongs to no operation yet.
  OpBuilder b(wide.getContext());
  b.setInsertionPointToEnd(target);
  IRMapping mapping = outside;
  for (BlockArgument argument : block.getArguments()) {
    bool isState = argument.getArgNumber() < numStates;
    Type type = argument.getType();
    Value copy =
        target->addArgument(isState ? typeOf(type) : type, argument.getLoc());
    mapping.map(argument, copy);
  }
  for (BlockArgument argument : block.getArguments())
    mapping.map(argument, extend(b, mapping.lookup(argument)));
  for (Operation &op : block.without_terminator())
    cloneOperation(b, &op, mapping);
  SmallVector<Value> values;
  for (Value value : cast<YieldOp>(block.getTerminator()).getValues())
    values.push_back(mapping.lookup(value));
  YieldOp::create(b, block.getTerminator()->getLoc(), values);
}

void FloatWidening::cloneReduce(OpBuilder &b, ReduceOp reduce,
                                IRMapping &mapping) const {
  OperationState state(reduce.getLoc(), reduce->getName());
  state.addAttributes(reduce->getAttrs());
  for (Value operand : reduce->getOperands())
    state.operands.push_back(mapping.lookup(operand));
  for (Type type : reduce->getResultTypes())
    state.types.push_back(typeOf(type));
  unsigned numResults = reduce.getNumResults();
  // A widened reference is wide in the correction as well.
  cloneStateRegion(reduce.getCombiner(), *state.addRegion(), 2 * numResults,
                   mapping);
  cloneStateRegion(reduce.getCorrection(), *state.addRegion(),
                   numResults + 2 * reduce.getRefs().size(), mapping);
  Operation *wider = b.create(state);
  mapping.map(reduce->getResults(), wider->getResults());
}
