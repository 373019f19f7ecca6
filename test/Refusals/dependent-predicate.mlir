// The sum of the elements above the mean: the mean decides which take part.
// RUN: cascade-compile %s --explain=json | FileCheck %s
// CHECK: "passes":{"l":2}
// CHECK-SAME: "at":"x0 > r0 / arith.sitofp(p0)","class":"refused","index":1,"kind":"add"
// CHECK-SAME: "line":[[#@LINE+12]]
// CHECK-SAME: "pass":1,
// CHECK-SAME: "rule":"dependent-predicate"
func.func @sum_above_mean(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %sum = cascade.reduce add %e over (l) : f32
    %n = cascade.extent l : i32
    %nf = arith.sitofp %n : i32 to f32
    %mu = arith.divf %sum, %nf : f32
    %above = arith.cmpf ogt, %e, %mu : f32
    %s = cascade.reduce add %e over (l) where %above : f32
    cascade.yield %s : f32
  }
  return %y : tensor<?xf32>
}
