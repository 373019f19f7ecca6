// RUN: cascade-compile %s -o %t --with-reference
// RUN: FileCheck %s --input-file=%t.ptx
// Rows that are kept in the shared memory of a block or of the blocks of a
// cluster, with tails, one and two inputs, and lists of several tiles.
// CHECK-COUNT-5: .extern .shared

func.func @softmax_kept(%x: tensor<9x5000xbf16>) -> tensor<9x5000xbf16> {
  %y = cascade.chain (i, l) ins(%x[i, l] : tensor<9x5000xbf16>) outs([i, l] : tensor<9x5000xbf16>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x reg(2) x warp(2) x lane(32) x vector(8), keep = [0: shared]>} {
  ^bb0(%h: bf16):
    %e = arith.extf %h : bf16 to f32
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) : f32
    %p = arith.divf %w, %t : f32
    %o = arith.truncf %p : f32 to bf16
    cascade.yield %o : bf16
  }
  return %y : tensor<9x5000xbf16>
}

func.func @softmax_kept_cluster(%x: tensor<5x50000xf32>) -> tensor<5x50000xf32> {
  %y = cascade.chain (i, l) ins(%x[i, l] : tensor<5x50000xf32>) outs([i, l] : tensor<5x50000xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: cluster(4) x loop x reg(2) x warp(8) x lane(32) x vector(4), keep = [0: shared]>} {
  ^bb0(%e: f32):
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) : f32
    %p = arith.divf %w, %t : f32
    cascade.yield %p : f32
  }
  return %y : tensor<5x50000xf32>
}

// The loop outside of the cluster: tiles of a block are not contiguous.
func.func @softmax_kept_interleaved(%x: tensor<5x9000xf32>) -> tensor<5x9000xf32> {
  %y = cascade.chain (i, l) ins(%x[i, l] : tensor<5x9000xf32>) outs([i, l] : tensor<5x9000xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x cluster(3) x reg(2) x warp(2) x lane(32) x vector(4), keep = [0: shared]>} {
  ^bb0(%e: f32):
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) : f32
    %p = arith.divf %w, %t : f32
    cascade.yield %p : f32
  }
  return %y : tensor<5x9000xf32>
}

// Two inputs, of which the results need one and the passes both.
func.func @covariance_kept(%x: tensor<7x3000xf32>, %y: tensor<7x3000xf32>) -> (tensor<7x3000xf32>, tensor<7xf32>) {
  %r:2 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<7x3000xf32>, %y[i, l] : tensor<7x3000xf32>)
      outs([i, l] : tensor<7x3000xf32>, [i] : tensor<7xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x reg(2) x warp(4) x lane(32) x vector(4), keep = [0: shared, 1: shared]>} {
  ^bb0(%a: f32, %b: f32):
    %count = cascade.extent l : i32
    %n = arith.sitofp %count : i32 to f32
    %sa = cascade.reduce add %a over (l) : f32
    %sb = cascade.reduce add %b over (l) : f32
    %ma = arith.divf %sa, %n : f32
    %mb = arith.divf %sb, %n : f32
    %ca = arith.subf %a, %ma : f32
    %cb = arith.subf %b, %mb : f32
    %ab = arith.mulf %ca, %cb : f32
    %s = cascade.reduce add %ab over (l) : f32
    %c = arith.divf %s, %n : f32
    cascade.yield %ca, %c : f32, f32
  }
  return %r#0, %r#1 : tensor<7x3000xf32>, tensor<7xf32>
}

// Two passes: the deviations from the median-like midrange.
func.func @two_passes_kept(%x: tensor<6x4000xf16>) -> tensor<6xf32> {
  %r = cascade.chain (i, l) ins(%x[i, l] : tensor<6x4000xf16>) outs([i] : tensor<6xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: cluster(2) x loop x warp(2) x lane(32) x vector(8), keep = [0: shared]>} {
  ^bb0(%h: f16):
    %e = arith.extf %h : f16 to f32
    %hi = cascade.reduce max %e over (l) : f32
    %lo = cascade.reduce min %e over (l) : f32
    %sum = arith.addf %hi, %lo : f32
    %half = arith.constant 0.5 : f32
    %mid = arith.mulf %sum, %half : f32
    %d = arith.subf %e, %mid : f32
    %size = math.absf %d : f32
    %s = cascade.reduce add %size over (l) : f32
    cascade.yield %s : f32
  }
  return %r : tensor<6xf32>
}
