// Rows of known extents that the grid is split over.
// RUN: cascade-run %s --device=sim --patterns=rand,special --interleavings=3 --check | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed

func.func @split_logsumexp(%x: tensor<3x20000xbf16>) -> tensor<3xf32> {
  %y = cascade.chain (i, l) ins(%x[i, l] : tensor<3x20000xbf16>) outs([i] : tensor<3xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: grid(6) x cluster(2) x loop x reg(2) x warp(4) x lane(32) x vector(8), merge = [l: last]>} {
  ^bb0(%xe: bf16):
    %f = arith.extf %xe : bf16 to f32
    %m = cascade.reduce max %f over (l) : f32
    %d = arith.subf %f, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) : f32
    %g = math.log %t : f32
    %s = arith.addf %m, %g : f32
    cascade.yield %s : f32
  }
  return %y : tensor<3xf32>
}

// Shorter than the first of the parts.
func.func @split_short(%x: tensor<2x100xf32>) -> tensor<2xf32> {
  %y = cascade.chain (i, l) ins(%x[i, l] : tensor<2x100xf32>) outs([i] : tensor<2xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: grid(5) x loop x warp(2) x lane(32) x vector(4), merge = [l: last]>} {
  ^bb0(%e: f32):
    %m = cascade.reduce maxnum %e over (l) : f32
    cascade.yield %m : f32
  }
  return %y : tensor<2xf32>
}

func.func @split_top8(%x: tensor<2x9000xf32>) -> (tensor<2x8xf32>, tensor<2x8xi32>) {
  %v, %p = cascade.chain (i, l, k) ins(%x[i, l] : tensor<2x9000xf32>)
      outs([i, k] : tensor<2x8xf32>, [i, k] : tensor<2x8xi32>)
      attributes {mapping = #cascade.mapping<i: grid, l: grid(4) x cluster(2) x loop x warp(4) x lane(32) x vector(4), k: reg(8), merge = [l: last]>} {
  ^bb0(%e: f32):
    %j = cascade.index l : i32
    %tv, %ti = cascade.reduce topk %e, %j over (l) into (k) : f32, i32
    cascade.yield %tv, %ti : f32, i32
  }
  return %v, %p : tensor<2x8xf32>, tensor<2x8xi32>
}
