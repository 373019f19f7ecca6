// The largest scaled element: a factor moves out of a maximum only if it cannot
// be negative, and the sum of the elements can.
// RUN: cascade-compile %s --explain=json | FileCheck %s
// CHECK: "passes":{"l":2}
// CHECK-SAME: "at":"r0","class":"refused","index":1,"kind":"max"
// CHECK-SAME: "line":[[#@LINE+9]]
// CHECK-SAME: "pass":1,
// CHECK-SAME: "rule":"sign-not-proved"
func.func @scaled_max(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %sum = cascade.reduce add %e over (l) : f32
    %p = arith.mulf %e, %sum : f32
    %m = cascade.reduce max %p over (l) : f32
    cascade.yield %m : f32
  }
  return %y : tensor<?xf32>
}

// The sum of squares cannot be negative.
// RUN: cascade-compile %S/Inputs/scaled-max-squares.mlir --explain=json | FileCheck %s --check-prefix=PROVED
// PROVED: "passes":{"l":1}
