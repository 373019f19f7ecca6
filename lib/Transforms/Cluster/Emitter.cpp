//===- Emitter.cpp - Small builders of the expansion ----------------------===//

#include "Expansion.h"
#include "cascade/Transforms/Cluster/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace cascade::cluster;

Value Emitter::constant(int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI32IntegerAttr(value));
}

Value Emitter::add(Value lhs, Value rhs) {
  return arith::AddIOp::create(builder, loc, lhs, rhs);
}

Value Emitter::add(Value lhs, int64_t rhs) {
  return rhs == 0 ? lhs : add(lhs, constant(rhs));
}

Value Emitter::scale(Value value, int64_t factor) {
  if (factor == 1)
    return value;
  return arith::MulIOp::create(builder, loc, value, constant(factor));
}

Value Emitter::divide(Value value, int64_t divisor) {
  return arith::DivUIOp::create(builder, loc, value, constant(divisor));
}

Value Emitter::modulo(Value value, int64_t divisor) {
  return arith::RemUIOp::create(builder, loc, value, constant(divisor));
}

Value Emitter::both(Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return arith::AndIOp::create(builder, loc, lhs, rhs);
}

Value Emitter::below(Value value, int64_t limit) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, value,
                               constant(limit));
}

Value Emitter::equals(Value value, Value other) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, value,
                               other);
}

Value Emitter::equals(Value value, int64_t other) {
  return equals(value, constant(other));
}

Value Emitter::toIndex(Value value) {
  return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                      value);
}

void Emitter::asOneAccess(function_ref<void()> body) {
  Block *block = builder.getInsertionBlock();
  auto end = builder.getInsertionPoint();
  Operation *before = end == block->begin() ? nullptr : &*std::prev(end);
  body();
  auto first = before ? std::next(before->getIterator()) : block->begin();
  auto number = DistinctAttr::create(builder.getUnitAttr());
  for (Operation &op : llvm::make_range(first, end))
    if (!isMemoryEffectFree(&op))
      op.setDiscardableAttr(kExchangeAttrName, number);
}

void Emitter::guarded(Value condition, function_ref<void()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(builder, loc, condition);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  body();
}

SmallVector<Value> Emitter::onlyWhere(Value condition, TypeRange types,
                                      function_ref<SmallVector<Value>()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(builder, loc, types, condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> values = body();
  scf::YieldOp::create(builder, loc, values);
  builder.setInsertionPointToStart(branch.elseBlock());
  SmallVector<Value> zeros;
  for (Type type : types)
    zeros.push_back(
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type)));
  scf::YieldOp::create(builder, loc, zeros);
  return SmallVector<Value>(branch.getResults());
}
