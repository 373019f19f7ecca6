//===- CascadeDialect.cpp - The cascade dialect ---------------------------===//

#include "cascade/Dialect/Cascade/IR/Cascade.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cascade;

#include "cascade/Dialect/Cascade/IR/CascadeDialect.cpp.inc"
#include "cascade/Dialect/Cascade/IR/CascadeEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "cascade/Dialect/Cascade/IR/CascadeAttributes.cpp.inc"

void CascadeDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "cascade/Dialect/Cascade/IR/CascadeOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "cascade/Dialect/Cascade/IR/CascadeAttributes.cpp.inc"
      >();
}

Operation *CascadeDialect::materializeConstant(OpBuilder &builder,
                                               Attribute value, Type type,
                                               Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}
