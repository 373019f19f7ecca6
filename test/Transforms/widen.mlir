// RUN: cascade-opt %s --cascade-widen | FileCheck %s

// Every operation is in f64; the narrowing cast of the source still rounds, and
// the result rounds once.
// CHECK-LABEL: func.func @rounded_weights
// CHECK:       ^bb0(%[[A:.*]]: bf16, %[[V:.*]]: f32):
// CHECK-DAG:     %[[X:.*]] = arith.extf %[[A]] : bf16 to f64
// CHECK-DAG:     %[[W:.*]] = arith.extf %[[V]] : f32 to f64
// CHECK:         %[[M:.*]] = cascade.reduce max %[[X]] over (l) : f64
// CHECK:         %[[D:.*]] = arith.subf %[[X]], %[[M]] : f64
// CHECK:         %[[E:.*]] = math.exp %[[D]] : f64
// CHECK:         %[[N:.*]] = arith.truncf %[[E]] : f64 to bf16
// CHECK:         %[[B:.*]] = arith.extf %[[N]] : bf16 to f64
// CHECK:         %[[C:.*]] = arith.constant 5.000000e-01 : f64
// CHECK:         arith.mulf %{{.*}}, %[[C]] : f64
// CHECK:         %[[S:.*]] = cascade.reduce add %{{.*}} over (l) : f64
// CHECK:         %[[R:.*]] = arith.truncf %[[S]] : f64 to f32
// CHECK:         cascade.yield %[[R]] : f32
func.func @rounded_weights(%x: tensor<8xbf16>, %v: tensor<8xf32>) -> tensor<f32> {
  %y = cascade.chain (l)
      ins(%x[l] : tensor<8xbf16>, %v[l] : tensor<8xf32>) outs([] : tensor<f32>) {
  ^bb0(%a: bf16, %w: f32):
    %e = arith.extf %a : bf16 to f32
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %p = math.exp %d : f32
    %q = arith.truncf %p : f32 to bf16
    %r = arith.extf %q : bf16 to f32
    %c = arith.constant 0.5 : f32
    %h = arith.mulf %r, %c : f32
    %t = arith.mulf %h, %w : f32
    %s = cascade.reduce add %t over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<f32>
}

// Conversions and comparisons adapt; integers stay; a reduction typed below f32
// rounds at its finish; the combiner is widened.
// CHECK-LABEL: func.func @conversions
// CHECK:         arith.sitofp %{{.*}} : i32 to f64
// CHECK:         arith.cmpf olt, %{{.*}} : f64
// CHECK:         arith.fptosi %{{.*}} : f64 to i32
// CHECK:         %[[S:.*]] = cascade.reduce add %{{.*}} over (l) : f64
// CHECK:         %[[T:.*]] = arith.truncf %[[S]] : f64 to f16
// CHECK:         arith.extf %[[T]] : f16 to f64
// CHECK:         cascade.reduce combine %{{.*}} over (l) init(%{{.*}}) with {
// CHECK:         ^bb0(%[[P:.*]]: f64, %[[Q:.*]]: f64):
// CHECK:           arith.mulf %[[P]], %[[Q]] : f64
func.func @conversions(%x: tensor<8xf16>) -> (tensor<f16>, tensor<i32>, tensor<f32>) {
  %y, %z, %u = cascade.chain (l)
      ins(%x[l] : tensor<8xf16>)
      outs([] : tensor<f16>, [] : tensor<i32>, [] : tensor<f32>) {
  ^bb0(%a: f16):
    %i = cascade.index l : i32
    %f = arith.sitofp %i : i32 to f32
    %e = arith.extf %a : f16 to f32
    %lt = arith.cmpf olt, %e, %f : f32
    %pick = arith.select %lt, %e, %f : f32
    %n = arith.fptosi %pick : f32 to i32
    %count = cascade.reduce add %n over (l) : i32
    %s = cascade.reduce add %a over (l) : f16
    %one = arith.constant 1.0 : f32
    %p = cascade.reduce combine %e over (l) init(%one) with {
    ^bb0(%lhs: f32, %rhs: f32):
      %product = arith.mulf %lhs, %rhs : f32
      cascade.yield %product : f32
    } : f32
    cascade.yield %s, %count, %p : f16, i32, f32
  }
  return %y, %z, %u : tensor<f16>, tensor<i32>, tensor<f32>
}
