// RUN: cascade-opt %s --convert-cascade-to-loops --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @argmax
// CHECK-DAG:     %[[NEG:.*]] = arith.constant 0xFF800000 : f32
// CHECK-DAG:     %[[NONE:.*]] = arith.constant -1 : i32
// CHECK:         scf.for {{.*}} iter_args(%[[K:.*]] = %[[NEG]], %[[J:.*]] = %[[NONE]])
// CHECK:           arith.cmpf ugt
// CHECK:           arith.cmpi ult
func.func @argmax(%x: tensor<16xf32>) -> (tensor<f32>, tensor<i32>) {
  %k, %i = cascade.chain (l)
      ins(%x[l] : tensor<16xf32>) outs([] : tensor<f32>, [] : tensor<i32>) {
  ^bb0(%e: f32):
    %j = cascade.index l : i32
    %key, %index = cascade.reduce argmax %e, %j over (l) : f32, i32
    cascade.yield %key, %index : f32, i32
  }
  return %k, %i : tensor<f32>, tensor<i32>
}

// A user's monoid; its combiner reads a constant of the body.
// CHECK-LABEL: func.func @complex_product
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (f32, f32)
// CHECK-COUNT-4:   arith.mulf
func.func @complex_product(%x: tensor<16xf32>, %y: tensor<16xf32>) -> (tensor<f32>, tensor<f32>) {
  %r0, %r1 = cascade.chain (l)
      ins(%x[l] : tensor<16xf32>, %y[l] : tensor<16xf32>)
      outs([] : tensor<f32>, [] : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %one = arith.constant 1.0 : f32
    %zero = arith.constant 0.0 : f32
    %p:2 = cascade.reduce combine %a, %b over (l) init(%one, %zero) with {
    ^bb0(%ar: f32, %ai: f32, %br: f32, %bi: f32):
      %rr = arith.mulf %ar, %br : f32
      %ii = arith.mulf %ai, %bi : f32
      %ri = arith.mulf %ar, %bi : f32
      %ir = arith.mulf %ai, %br : f32
      %re = arith.subf %rr, %ii : f32
      %im0 = arith.addf %ri, %ir : f32
      %im = arith.addf %im0, %zero : f32
      cascade.yield %re, %im : f32, f32
    } : f32, f32
    cascade.yield %p#0, %p#1 : f32, f32
  }
  return %r0, %r1 : tensor<f32>, tensor<f32>
}
