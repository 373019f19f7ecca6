// A syntax error is MLIR's own, with its place; so are refusals to compile.
// RUN: sh -c "cascade-run %s --device=cpu; echo status \$?" 2>&1 | FileCheck %s
// CHECK: bad-ir.mlir:[[@LINE+3]]:{{.*}}: error:
// CHECK: status 2
func.func @f(%x: tensor<4xf32>) -> tensor<f32> {
  %s = cascade.chain (l) ins(%x[l] : tensor<4xf32>) outs([] : tensor<f32) {
  }
}
