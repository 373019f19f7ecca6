// A refused reduction keeps its value and starts the next pass of its axes; what
// follows it may fuse with it.
// RUN: cascade-opt %s --cascade-fuse --verify-roundtrip | FileCheck %s
// RUN: cascade-compile %s --explain=json | FileCheck %s --check-prefix=JSON

// CHECK-LABEL: func.func @count_above_mean
// CHECK:         %[[SUM:.*]] = cascade.reduce add %{{.*}} over (l) : f32
// CHECK:         %[[MU:.*]] = arith.divf %[[SUM]]
// CHECK:         %[[ABOVE:.*]] = arith.cmpf ogt, %{{.*}}, %[[MU]] : f32
// CHECK:         %[[C:.*]] = arith.select %[[ABOVE]]
// CHECK:         cascade.reduce add %[[C]] over (l) : f32
// CHECK-NOT:     refs(
// CHECK-NOT:     replay
// CHECK:         return
// JSON: "name": "count_above_mean"
// JSON-SAME: "passes":{"l":2}
// JSON-SAME: "class":"refused","index":1
func.func @count_above_mean(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %sum = cascade.reduce add %e over (l) : f32
    %n = cascade.extent l : i32
    %nf = arith.sitofp %n : i32 to f32
    %mu = arith.divf %sum, %nf : f32
    %above = arith.cmpf ogt, %e, %mu : f32
    %one = arith.constant 1.0 : f32
    %zero = arith.constant 0.0 : f32
    %c = arith.select %above, %one, %zero : f32
    %s = cascade.reduce add %c over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<?xf32>
}

// Softmax of standardised logits. The variance is refused (rank above one) and
// starts pass 1. The largest logit joins it: the variance, a sum of squares, is
// not negative and moves out of the maximum. In the exponent the variance stays
// with the elements, so the last sum starts pass 2.
// CHECK-LABEL: func.func @standardised
// CHECK:         %[[C:.*]] = arith.subf
// CHECK:         %[[SQ:.*]] = arith.mulf %[[C]], %[[C]] : f32
// CHECK:         %[[VAR:.*]] = cascade.reduce add %[[SQ]] over (l) : f32
// CHECK:         %[[Z:.*]] = arith.divf %[[C]], %[[VAR]] : f32
// CHECK:         %[[MAX:.*]] = cascade.reduce max %[[C]] over (l) : f32
// CHECK:         %[[M:.*]] = arith.divf %[[MAX]], %[[VAR]] : f32
// CHECK:         %[[D:.*]] = arith.subf %[[Z]], %[[M]] : f32
// CHECK:         %[[W:.*]] = math.exp %[[D]] : f32
// CHECK:         cascade.reduce add %[[W]] over (l) : f32
// CHECK:         cascade.yield %{{.*}} replay %{{.*}} : f32
// CHECK:       } source {
// JSON-SAME: "name": "standardised"
// JSON-SAME: "passes":{"l":3}
// JSON-SAME: "pass":1,{{.*}}"rule":"rank-above-one"
// JSON-SAME: "class":"separable","index":2,"kind":"max"{{.*}}"pass":1
// JSON-SAME: "class":"refused","index":3,{{.*}}"pass":2,
// JSON-SAME: "rule":"not-separable"
func.func @standardised(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %sum = cascade.reduce add %e over (l) : f32
    %n = cascade.extent l : i32
    %nf = arith.sitofp %n : i32 to f32
    %mu = arith.divf %sum, %nf : f32
    %c = arith.subf %e, %mu : f32
    %sq = arith.mulf %c, %c : f32
    %var = cascade.reduce add %sq over (l) : f32
    %z = arith.divf %c, %var : f32
    %m = cascade.reduce max %z over (l) : f32
    %d = arith.subf %z, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) : f32
    cascade.yield %t : f32
  }
  return %y : tensor<?xf32>
}
