// A product of ratios: no operation is known that carries the maximum through a
// product of an unknown number of factors.
// RUN: cascade-compile %s --explain=json | FileCheck %s
// CHECK: "passes":{"l":2}
// CHECK-SAME: "at":"x0 / r0","class":"refused","index":1,"kind":"mul"
// CHECK-SAME: "line":[[#@LINE+9]]
// CHECK-SAME: "pass":1,
// CHECK-SAME: "rule":"unsupported-kind"
func.func @product_of_ratios(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %m = cascade.reduce max %e over (l) : f32
    %q = arith.divf %e, %m : f32
    %p = cascade.reduce mul %q over (l) : f32
    cascade.yield %p : f32
  }
  return %y : tensor<?xf32>
}
