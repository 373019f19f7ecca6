//===- Passes.h - Conversions from and to cascade -------------*- C++ -*-===//

#ifndef CASCADE_CONVERSION_PASSES_H
#define CASCADE_CONVERSION_PASSES_H

#include "cascade/Dialect/Cascade/IR/Cascade.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace cascade {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "cascade/Conversion/Passes.h.inc"

} // namespace cascade

#endif // CASCADE_CONVERSION_PASSES_H
