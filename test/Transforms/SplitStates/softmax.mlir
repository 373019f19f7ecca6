// The states of a chain, their merge and its results from them.
// RUN: cascade-opt %s --cascade-split-states | FileCheck %s
// RUN: cascade-opt %s --cascade-split-states=axis=l \
// RUN:   | cascade-compile - --emit=ptx | FileCheck %s --check-prefix=PTX

// Sums are against the maximum, 0 where that is infinite.
// CHECK-LABEL: func.func @weighted_states(
// CHECK-SAME:    -> (tensor<8xf32>, tensor<8xf32>, tensor<8x16xf32>)
// CHECK:         cascade.chain (i, l, e)
// CHECK:         outs([i] : tensor<8xf32>, [i] : tensor<8xf32>, [i, e] : tensor<8x16xf32>)
// CHECK:         %[[M:.*]] = cascade.reduce max %{{.*}} over (l) : f32
// CHECK:         %[[T:.*]] = cascade.reduce add %{{.*}} over (l) refs(%[[M]] as exponent : f32) correct
// CHECK:         %[[O:.*]] = cascade.reduce add %{{.*}} over (l) refs(%[[M]] as exponent : f32) correct
// CHECK:         cascade.yield %[[M]], %[[T]], %[[O]] : f32, f32, f32
// CHECK:       source

// CHECK-LABEL: func.func @weighted_merge(
// CHECK-SAME:    %{{.*}}: tensor<?x8xf32>, %{{.*}}: tensor<?x8xf32>, %{{.*}}: tensor<?x8x16xf32>)
// CHECK:         cascade.chain (part, i, e)
// CHECK:         %[[M:.*]] = cascade.reduce max %{{.*}} over (part) : f32
// CHECK:         %[[T:.*]] = cascade.reduce add %{{.*}} over (part) refs(%[[M]] as exponent : f32) correct
// CHECK:         %[[O:.*]] = cascade.reduce add %{{.*}} over (part) refs(%[[M]] as exponent : f32) correct
// CHECK:         cascade.yield %[[M]], %[[T]], %[[O]] : f32, f32, f32

// The bias, which results need, is an argument; the scores are not.
// CHECK-LABEL: func.func @weighted_finish(
// CHECK-SAME:    %{{.*}}: tensor<?x8xf32>, %{{.*}}: tensor<?x8xf32>, %{{.*}}: tensor<?x8x16xf32>, %{{.*}}: tensor<16xf32> {cascade.name = "bias"}) -> tensor<8x16xbf16>
// CHECK:         outs([i, e] : tensor<8x16xbf16>)
// CHECK:         arith.divf
// CHECK:         arith.addf
// CHECK:         arith.truncf

// PTX-DAG: .entry weighted(
// PTX-DAG: .entry weighted_states(
// PTX-DAG: .entry weighted_merge(
// PTX-DAG: .entry weighted_finish(

func.func @weighted(%s: tensor<8x?xf32>, %v: tensor<?x16xf32>,
                    %bias: tensor<16xf32> {cascade.name = "bias"}) -> tensor<8x16xbf16> {
  %y = cascade.chain (i, l, e)
      ins(%s[i, l] : tensor<8x?xf32>, %v[l, e] : tensor<?x16xf32>, %bias[e] : tensor<16xf32>)
      outs([i, e] : tensor<8x16xbf16>) {
  ^bb0(%score: f32, %value: f32, %b: f32):
    %m = cascade.reduce max %score over (l) : f32
    %d = arith.subf %score, %m : f32
    %p = math.exp %d : f32
    %t = cascade.reduce add %p over (l) : f32
    %w = arith.divf %p, %t : f32
    %x = arith.mulf %w, %value : f32
    %o = cascade.reduce add %x over (l) : f32
    %r = arith.addf %o, %b : f32
    %n = arith.truncf %r : f32 to bf16
    cascade.yield %n : bf16
  }
  return %y : tensor<8x16xbf16>
}
