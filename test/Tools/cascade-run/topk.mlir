// RUN: not cascade-run %s --device=cpu 2>&1 | FileCheck %s
// CHECK: topk.mlir:[[@LINE+6]]:{{.*}}: error: topk is not lowered yet
func.func @topk(%x: tensor<16xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %v, %i = cascade.chain (l, k)
      ins(%x[l] : tensor<16xf32>) outs([k] : tensor<4xf32>, [k] : tensor<4xi32>) {
  ^bb0(%e: f32):
    %j = cascade.index l : i32
    %key, %index = cascade.reduce topk %e, %j over (l) into (k) : f32, i32
    cascade.yield %key, %index : f32, i32
  }
  return %v, %i : tensor<4xf32>, tensor<4xi32>
}
