//===- IntBuilder.cpp - Integer arithmetic that folds constants -----------===//

#include "KernelContext.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace cascade;

Value IntBuilder::materialise(Int x) const {
  if (x.value)
    return x.value;
  return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(*x.constant));
}

Int IntBuilder::add(Int x, Int y) const {
  if (x.constant && y.constant)
    return constant(*x.constant + *y.constant);
  if (x.constant && *x.constant == 0)
    return y;
  if (y.constant && *y.constant == 0)
    return x;
  return wrap(arith::AddIOp::create(b, loc, materialise(x), materialise(y),
                                    arith::IntegerOverflowFlags::nsw));
}

Int IntBuilder::sub(Int x, Int y) const {
  if (x.constant && y.constant)
    return constant(*x.constant - *y.constant);
  if (y.constant && *y.constant == 0)
    return x;
  return wrap(arith::SubIOp::create(b, loc, materialise(x), materialise(y)));
}

Int IntBuilder::mul(Int x, Int y) const {
  if (x.constant && y.constant)
    return constant(*x.constant * *y.constant);
  for (auto [one, other] : {std::pair(x, y), std::pair(y, x)}) {
    if (one.constant && *one.constant == 1)
      return other;
    if (one.constant && *one.constant == 0)
      return constant(0);
  }
  return wrap(arith::MulIOp::create(b, loc, materialise(x), materialise(y),
                                    arith::IntegerOverflowFlags::nsw));
}

Int IntBuilder::divUI(Int x, Int y) const {
  if (x.constant && y.constant && *y.constant)
    return constant(*x.constant / *y.constant);
  if (y.constant && *y.constant == 1)
    return x;
  return wrap(arith::DivUIOp::create(b, loc, materialise(x), materialise(y)));
}

Int IntBuilder::remUI(Int x, Int y) const {
  if (x.constant && y.constant && *y.constant)
    return constant(*x.constant % *y.constant);
  if (y.constant && *y.constant == 1)
    return constant(0);
  return wrap(arith::RemUIOp::create(b, loc, materialise(x), materialise(y)));
}

Int IntBuilder::minSI(Int x, Int y) const {
  if (x.constant && y.constant)
    return constant(std::min(*x.constant, *y.constant));
  return wrap(arith::MinSIOp::create(b, loc, materialise(x), materialise(y)));
}

Int IntBuilder::maxSI(Int x, Int y) const {
  if (x.constant && y.constant)
    return constant(std::max(*x.constant, *y.constant));
  return wrap(arith::MaxSIOp::create(b, loc, materialise(x), materialise(y)));
}

Value IntBuilder::lessThan(Int x, Int y) const {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                               materialise(x), materialise(y));
}

Value IntBuilder::both(Value x, Value y) const {
  if (!x || !y)
    return x ? x : y;
  return arith::AndIOp::create(b, loc, x, y);
}
