//===- Cascade.h - The cascade dialect ------------------------*- C++ -*-===//
//
// The dialect of chains of dependent reductions: `cascade.chain` and what
// stands in its body. docs/Dialects/Cascade.md describes it for users.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_DIALECT_CASCADE_IR_CASCADE_H
#define CASCADE_DIALECT_CASCADE_IR_CASCADE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "cascade/Dialect/Cascade/IR/CascadeDialect.h.inc"
#include "cascade/Dialect/Cascade/IR/CascadeEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "cascade/Dialect/Cascade/IR/CascadeAttributes.h.inc"
#define GET_OP_CLASSES
#include "cascade/Dialect/Cascade/IR/CascadeOps.h.inc"

#endif // CASCADE_DIALECT_CASCADE_IR_CASCADE_H
