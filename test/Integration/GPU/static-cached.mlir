// RUN: cascade-compile %s -o %t --with-reference
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: cascade-run %s --device=sim --check --patterns=rand,special --interleavings=4 --seed=7 | FileCheck %s --check-prefix=SIM
// RUN: cascade-run %s --device=sim --check --patterns=rand,special --interleavings=4 --seed=8 | FileCheck %s --check-prefix=SIM
// Rows that are kept in the L2 cache from one run over them to the next, by
// blocks, clusters and resident grids, with tails, and rows that are replayed.
// CHECK-COUNT-4: createpolicy.fractional.L2::evict_last.b64
// SIM: {{^[1-9][0-9]*}} passed, 0 failed

func.func @softmax_cached(%x: tensor<9x5000xbf16>) -> tensor<9x5000xbf16> {
  %y = cascade.chain (i, l) ins(%x[i, l] : tensor<9x5000xbf16>) outs([i, l] : tensor<9x5000xbf16>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x reg(2) x warp(2) x lane(32) x vector(8), keep = [0: l2]>} {
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

func.func @softmax_cached_cluster(%x: tensor<5x50000xf32>) -> tensor<5x50000xf32> {
  %y = cascade.chain (i, l) ins(%x[i, l] : tensor<5x50000xf32>) outs([i, l] : tensor<5x50000xf32>)
      attributes {mapping = #cascade.mapping<i: loop x grid(resident), l: loop x cluster(3) x reg(2) x warp(8) x lane(32) x vector(4), keep = [0: l2]>} {
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

// Two passes and a third for the results, with weights that all rows share.
func.func @layer_norm_cached(%x: tensor<7x9000xf16>, %w: tensor<9000xf16>) -> tensor<7x9000xf16> {
  %y = cascade.chain (i, l) ins(%x[i, l] : tensor<7x9000xf16>, %w[l] : tensor<9000xf16>) outs([i, l] : tensor<7x9000xf16>)
      attributes {mapping = #cascade.mapping<i: grid, l: cluster(2) x loop x reg(4) x warp(4) x lane(32) x vector(8), keep = [0: l2, 1: l2]>} {
  ^bb0(%h: f16, %g: f16):
    %e = arith.extf %h : f16 to f32
    %ge = arith.extf %g : f16 to f32
    %n = arith.constant 9000.0 : f32
    %s = cascade.reduce add %e over (l) : f32
    %mu = arith.divf %s, %n : f32
    %d = arith.subf %e, %mu : f32
    %a = math.absf %d : f32
    %v = cascade.reduce add %a over (l) : f32
    %sd = arith.divf %v, %n : f32
    %q = arith.divf %d, %sd : f32
    %r = arith.mulf %q, %ge : f32
    %o = arith.truncf %r : f32 to f16
    cascade.yield %o : f16
  }
  return %y : tensor<7x9000xf16>
}

// Two passes whose results do not vary along the row, loads a tile ahead.
func.func @deviation_cached(%x: tensor<7x9000xbf16>) -> tensor<7xf32> {
  %y = cascade.chain (i, l) ins(%x[i, l] : tensor<7x9000xbf16>) outs([i] : tensor<7xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x reg(2) x warp(4) x lane(32) x vector(8), load = [0: ahead(1)], keep = [0: l2]>} {
  ^bb0(%h: bf16):
    %e = arith.extf %h : bf16 to f32
    %n = arith.constant 9000.0 : f32
    %s = cascade.reduce add %e over (l) : f32
    %mu = arith.divf %s, %n : f32
    %d = arith.subf %e, %mu : f32
    %a = math.absf %d : f32
    %v = cascade.reduce add %a over (l) : f32
    cascade.yield %v : f32
  }
  return %y : tensor<7xf32>
}
