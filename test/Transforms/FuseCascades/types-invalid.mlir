// RUN: cascade-opt %s --cascade-fuse --verify-diagnostics

func.func @i128(%x: tensor<?xi128>) -> tensor<i128> {
  %y = cascade.chain (l) ins(%x[l] : tensor<?xi128>) outs([] : tensor<i128>) {
  ^bb0(%e: i128):
    // expected-error @+1 {{uses a value of a type that the split test does not know; use f64, f32, f16, bf16, f8E4M3FN, f8E5M2, index or i1 to i64}}
    %s = cascade.reduce add %e over (l) : i128
    cascade.yield %s : i128
  }
  return %y : tensor<i128>
}
