func.func @scaled_max(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %sq = arith.mulf %e, %e : f32
    %sum = cascade.reduce add %sq over (l) : f32
    %p = arith.mulf %e, %sum : f32
    %m = cascade.reduce max %p over (l) : f32
    cascade.yield %m : f32
  }
  return %y : tensor<?xf32>
}
