func.func @sum(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: cluster(4) x loop x reg(2) x warp(2) x lane(32)>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<?xf32>
}
