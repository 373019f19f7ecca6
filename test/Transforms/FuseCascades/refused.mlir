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

// Softmax of standardised logits. The variance is a sum of three products and
// shares the pass of the mean, and so does the largest logit, a map of the largest
// element. The last sum is refused: a factor stands in its exponent.
// CHECK-LABEL: func.func @standardised
// CHECK:         %[[SUM:.*]] = cascade.reduce add %{{.*}} over (l) : f32
// CHECK:         cascade.reduce add %{{.*}}, %{{.*}} over (l) refs(%{{.*}} as centre : f32, %{{.*}} : f32) correct {
// CHECK:         %[[MAX:.*]] = cascade.reduce max %{{.*}} over (l)
// CHECK:         arith.subf %[[MAX]],
// CHECK:         %[[W:.*]] = math.exp %{{.*}} : f32
// CHECK:         cascade.reduce add %[[W]] over (l) : f32
// CHECK:         cascade.yield %{{.*}} replay %{{.*}} : f32
// CHECK:       } source {
// JSON-SAME: "name": "standardised"
// JSON-SAME: "passes":{"l":2}
// JSON-SAME: "accumulators":3,"class":"separable","index":1,{{.*}}"rank":3
// JSON-SAME: "class":"separable","index":2,"kind":"max"
// JSON-SAME: "class":"refused","index":3
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
