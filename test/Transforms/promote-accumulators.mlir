// Accumulators of narrow floats are f32 in every lowering.
// RUN: cascade-opt %s --convert-cascade-to-loops --canonicalize --cse | FileCheck %s

// Payload indices keep their type.
// CHECK-LABEL: func.func @argmax_bf16
// CHECK:         scf.for {{.*}} -> (f32, i32)
// CHECK:         arith.truncf %{{.*}} : f32 to bf16
func.func @argmax_bf16(%x: tensor<8xbf16>) -> (tensor<bf16>, tensor<i32>) {
  %k, %i = cascade.chain (l)
      ins(%x[l] : tensor<8xbf16>) outs([] : tensor<bf16>, [] : tensor<i32>) {
  ^bb0(%e: bf16):
    %j = cascade.index l : i32
    %key, %index = cascade.reduce argmax %e, %j over (l) : bf16, i32
    cascade.yield %key, %index : bf16, i32
  }
  return %k, %i : tensor<bf16>, tensor<i32>
}

// The combiner computes in f32.
// CHECK-LABEL: func.func @combine_f16
// CHECK:         scf.for {{.*}} -> (f32)
// CHECK:           arith.extf %{{.*}} : f16 to f32
// CHECK:           arith.mulf %{{.*}} : f32
func.func @combine_f16(%x: tensor<8xf16>) -> tensor<f16> {
  %y = cascade.chain (l) ins(%x[l] : tensor<8xf16>) outs([] : tensor<f16>) {
  ^bb0(%e: f16):
    %one = arith.constant 1.0 : f16
    %p = cascade.reduce combine %e over (l) init(%one) with {
    ^bb0(%lhs: f16, %rhs: f16):
      %product = arith.mulf %lhs, %rhs : f16
      cascade.yield %product : f16
    } : f16
    cascade.yield %p : f16
  }
  return %y : tensor<f16>
}

// f32 and f64 stay.
// CHECK-LABEL: func.func @noop
// CHECK-NOT:     arith.extf
func.func @noop(%x: tensor<8xf64>) -> tensor<f64> {
  %y = cascade.chain (l) ins(%x[l] : tensor<8xf64>) outs([] : tensor<f64>) {
  ^bb0(%e: f64):
    %s = cascade.reduce add %e over (l) : f64
    cascade.yield %s : f64
  }
  return %y : tensor<f64>
}
