func.func @logsumexp(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x reg(2) x warp(2) x lane(32) x vector(2)>} {
  ^bb0(%e: f32):
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) : f32
    %g = math.log %t : f32
    %s = arith.addf %m, %g : f32
    cascade.yield %s : f32
  }
  return %y : tensor<?xf32>
}
