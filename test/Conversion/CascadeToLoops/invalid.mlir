// RUN: cascade-opt %s --convert-cascade-to-loops --split-input-file --verify-diagnostics

func.func @topk(%x: tensor<16xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %v, %i = cascade.chain (l, k)
      ins(%x[l] : tensor<16xf32>) outs([k] : tensor<4xf32>, [k] : tensor<4xi32>) {
  ^bb0(%e: f32):
    %j = cascade.index l : i32
    // expected-error @+1 {{topk is not lowered yet}}
    %key, %index = cascade.reduce topk %e, %j over (l) into (k) : f32, i32
    cascade.yield %key, %index : f32, i32
  }
  return %v, %i : tensor<4xf32>, tensor<4xi32>
}

// -----

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
