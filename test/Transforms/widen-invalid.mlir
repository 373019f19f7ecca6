// RUN: cascade-opt %s --cascade-widen --verify-diagnostics

func.func @fused(%x: tensor<8xf32>) -> tensor<f32> {
  // expected-error @+1 {{is fused; widen the chain as it was written}}
  %y = cascade.chain (l) ins(%x[l] : tensor<8xf32>) outs([] : tensor<f32>) {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  } source {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<f32>
}
