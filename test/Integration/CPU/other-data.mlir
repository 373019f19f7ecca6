// Exponentials against the maximum of other data: nothing bounds them while the
// pass runs. A correction may underflow as one factor where its two halves do
// not, and elements may meet a maximum that is still -inf.
// RUN: cascade-run %s --device=cpu --segments=2 --input='1x2xf32=0 120' \
// RUN:   --input='1x2xf32=80 0' --expected-output='1xf32=4.248354e-18'
// RUN: cascade-run %s --device=cpu --segments=2 --input='1x2xf32=-inf -200' \
// RUN:   --input='1x2xf32=-120 -400' --expected-output='1xf32=5.540622e34'
func.func @other_data(%x: tensor<?x?xf32>, %z: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %z[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %m = cascade.reduce max %a over (l) : f32
    %d = arith.subf %b, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) : f32
    cascade.yield %t : f32
  }
  return %y : tensor<?xf32>
}
