// Softmax of each row, and its log-sum-exp.
func.func @softmax(%x: tensor<64x4096xbf16> {cascade.name = "x"})
    -> (tensor<64x4096xbf16> {cascade.name = "y"},
        tensor<64xf32> {cascade.name = "lse"}) {
  %y, %lse = cascade.chain (i, l)
      ins(%x[i, l] : tensor<64x4096xbf16>)
      outs([i, l] : tensor<64x4096xbf16>, [i] : tensor<64xf32>) {
  ^bb0(%xe: bf16):
    %f = arith.extf %xe : bf16 to f32
    %m = cascade.reduce max %f over (l) : f32
    %d = arith.subf %f, %m : f32
    %e = math.exp %d : f32
    %t = cascade.reduce add %e over (l) : f32
    %p = arith.divf %e, %t : f32
    %o = arith.truncf %p : f32 to bf16
    %g = math.log %t : f32
    %s = arith.addf %m, %g : f32
    cascade.yield %o, %s : bf16, f32
  }
  return %y, %lse : tensor<64x4096xbf16>, tensor<64xf32>
}
