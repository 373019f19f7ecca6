// RMSNorm of each row, then a product with a matrix: y = (x r) w with
// r = 1 / sqrt(mean x^2 + eps).
func.func @rmsnorm_matrix(%x: tensor<64x2048xf32> {cascade.name = "x"},
                          %w: tensor<2048x16xf32> {cascade.name = "w"})
    -> (tensor<64x16xf32> {cascade.name = "y"}) {
  %y = cascade.chain (i, n, l)
      ins(%x[i, l] : tensor<64x2048xf32>, %w[l, n] : tensor<2048x16xf32>)
      outs([i, n] : tensor<64x16xf32>) {
  ^bb0(%xe: f32, %we: f32):
    %sq = arith.mulf %xe, %xe : f32
    %sum = cascade.reduce add %sq over (l) : f32
    %count = cascade.extent l : i32
    %length = arith.sitofp %count : i32 to f32
    %mean = arith.divf %sum, %length : f32
    %eps = arith.constant 1.0e-5 : f32
    %ms = arith.addf %mean, %eps : f32
    %r = math.rsqrt %ms : f32
    %normed = arith.mulf %xe, %r : f32
    %p = arith.mulf %normed, %we : f32
    %s = cascade.reduce add %p over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<64x16xf32>
}
