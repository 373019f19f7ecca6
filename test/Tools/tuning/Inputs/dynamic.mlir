func.func @logsumexp(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %lse = cascade.chain (row, col)
      ins(%x[row, col] : tensor<?x?xf32>)
      outs([row] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %m = cascade.reduce max %e over (col) : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (col) : f32
    %g = math.log %t : f32
    %s = arith.addf %m, %g : f32
    cascade.yield %s : f32
  }
  return %lse : tensor<?xf32>
}
