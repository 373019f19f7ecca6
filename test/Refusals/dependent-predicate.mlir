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

// Other reasons of the rule.
// RUN: cascade-compile %s --explain=json | sed 's/{"name"/\n&/g; s/{"F"/\n&/g' \
// RUN:   | FileCheck %s --check-prefix=MORE

// All of the row or none of it.
// MORE: "name": "whole_row"{{.*}}"passes":{"l":2}
// MORE: "at":"r0 > 0","class":"refused","index":1,
// MORE-SAME: "reason":"an earlier result decides which iterations take part, a step function of that result"
// MORE-SAME: "rule":"dependent-predicate"
func.func @whole_row(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %sum = cascade.reduce add %xe over (l) : f32
    %c = arith.constant 0.0 : f32
    %is = arith.cmpf ogt, %sum, %c : f32
    %sum1 = cascade.reduce add %xe over (l) where %is : f32
    cascade.yield %sum1 : f32
  }
  return %r0 : tensor<?xf32>
}
