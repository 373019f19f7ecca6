// RUN: cascade-opt %s --cascade-schedule --convert-cascade-to-cluster --split-input-file --verify-diagnostics


func.func @list_on_grid(%x: tensor<8x4096xf32>) -> tensor<8x4xf32> {
  // expected-error @+1 {{axis 'k' is mapped to grid; the axis of a topk takes reg}}
  %y = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i, k] : tensor<8x4xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x lane(32), k: grid>} {
  ^bb0(%e: f32):
    %j = cascade.index l : i32
    %key, %index = cascade.reduce topk %e, %j over (l) into (k) : f32, i32
    cascade.yield %key : f32
  }
  return %y : tensor<8x4xf32>
}
