// RUN: not cascade-run %s --device=cpu 2>&1 | FileCheck %s
// CHECK: error: type f8E4M3FNUZ cannot be passed; use f64, f32,
func.func @f(%x: tensor<4xf8E4M3FNUZ>) -> tensor<4xf32> {
  %y = cascade.chain (l)
      ins(%x[l] : tensor<4xf8E4M3FNUZ>) outs([l] : tensor<4xf32>) {
  ^bb0(%e: f8E4M3FNUZ):
    %f = arith.extf %e : f8E4M3FNUZ to f32
    cascade.yield %f : f32
  }
  return %y : tensor<4xf32>
}
