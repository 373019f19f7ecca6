//===- CascadeDialect.td - The cascade dialect -------------*- tablegen -*-===//

#ifndef CASCADE_DIALECT
#define CASCADE_DIALECT

include "mlir/IR/OpBase.td"

def Cascade_Dialect : Dialect {
  let name = "cascade";
  let cppNamespace = "::cascade";
  let summary = "Chains of dependent reductions over named axes";
  let description = [{
    One operation, `cascade.chain`, holds a set of reductions over a common
    iteration space in which later reductions use the results of earlier ones.
    Its body is scalar mathematics in `arith` and `math`; named axes do the
    rest. The meaning of a chain is its unfused evaluation: every reduction
    finishes before its first use (docs/Semantics.md).
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

#endif // CASCADE_DIALECT
