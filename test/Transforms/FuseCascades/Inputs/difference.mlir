// What combiner-laws.mlir compiles.
func.func @difference(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %zero = arith.constant 0.0 : f32
    %d = cascade.reduce combine %e over (l) init(%zero) with {
    ^bb0(%a: f32, %b: f32):
      %s = arith.subf %a, %b : f32
      cascade.yield %s : f32
    } : f32
    cascade.yield %d : f32
  }
  return %y : tensor<?xf32>
}
