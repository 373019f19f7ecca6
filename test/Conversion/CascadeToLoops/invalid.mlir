// RUN: cascade-opt %s --convert-cascade-to-loops --split-input-file --verify-diagnostics

func.func @other_tensor_op(%x: tensor<16xf32>) -> tensor<16xf32> {
  // expected-error @+1 {{'arith.addf' on tensors cannot be lowered beside a chain}}
  %z = arith.addf %x, %x : tensor<16xf32>
  %y = cascade.chain (l) ins(%z[l] : tensor<16xf32>) outs([l] : tensor<16xf32>) {
  ^bb0(%e: f32):
    cascade.yield %e : f32
  }
  return %y : tensor<16xf32>
}

// -----

// expected-error @+1 {{returns a value of type 'f32'}}
func.func @scalar_result(%x: tensor<16xf32>, %s: f32) -> (tensor<16xf32>, f32) {
  %y = cascade.chain (l) ins(%x[l] : tensor<16xf32>) outs([l] : tensor<16xf32>) {
  ^bb0(%e: f32):
    cascade.yield %e : f32
  }
  return %y, %s : tensor<16xf32>, f32
}

// -----

func.func @callee(%x: tensor<16xf32>) -> tensor<16xf32> {
  %y = cascade.chain (l) ins(%x[l] : tensor<16xf32>) outs([l] : tensor<16xf32>) {
  ^bb0(%e: f32):
    cascade.yield %e : f32
  }
  return %y : tensor<16xf32>
}

func.func @caller(%x: tensor<16xf32>) -> tensor<16xf32> {
  // expected-error @+1 {{calls 'callee', a function with chains}}
  %y = func.call @callee(%x) : (tensor<16xf32>) -> tensor<16xf32>
  return %y : tensor<16xf32>
}
