func.func @sum(%x: tensor<20x8xf32>) -> tensor<20xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<20x8xf32>) outs([i] : tensor<20xf32>)
      attributes {mapping = #cascade.mapping<i: grid x warp(2) x lane(4), l: lane(8)>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<20xf32>
}
