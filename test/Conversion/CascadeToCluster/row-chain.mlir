func.func @sum(%x: tensor<8x1024xf32>, %c: f32) -> tensor<8xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x1024xf32>, %c[] : f32) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: reg(2) x warp(4) x lane(32) x vector(4)>} {
  ^bb0(%e: f32, %k: f32):
    %s = cascade.reduce add %e over (l) : f32
    %r = arith.mulf %s, %k : f32
    cascade.yield %r : f32
  }
  return %y : tensor<8xf32>
}
