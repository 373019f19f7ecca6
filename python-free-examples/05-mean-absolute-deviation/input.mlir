// Mean absolute deviation: |x - mu| cannot be separated into elements and the mean.
func.func @mad(%x: tensor<512x8192xf32> {cascade.name = "x"})
    -> (tensor<512xf32> {cascade.name = "mad"}) {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<512x8192xf32>) outs([i] : tensor<512xf32>) {
  ^bb0(%e: f32):
    %count = cascade.extent l : i32
    %n = arith.sitofp %count : i32 to f32
    %sum = cascade.reduce add %e over (l) : f32
    %mu = arith.divf %sum, %n : f32
    %d = arith.subf %e, %mu : f32
    %a = math.absf %d : f32
    %total = cascade.reduce add %a over (l) : f32
    %mad = arith.divf %total, %n : f32
    cascade.yield %mad : f32
  }
  return %y : tensor<512xf32>
}
