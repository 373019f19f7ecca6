// RUN: cascade-compile %s -o %t --with-reference
// RUN: not grep -E '\.extern|__local_depot' %t.ptx %t.ref.ptx
// Shapes that the scheduler maps in different ways: rows shorter than a warp,
// a row a warp, rows in registers of a block and of a cluster, tails.

func.func @softmax_tiny(%x: tensor<1000x8xf32>) -> tensor<1000x8xf32> {
  %y = cascade.chain (i, l) ins(%x[i, l] : tensor<1000x8xf32>) outs([i, l] : tensor<1000x8xf32>) {
  ^bb0(%e: f32):
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) : f32
    %p = arith.divf %w, %t : f32
    cascade.yield %p : f32
  }
  return %y : tensor<1000x8xf32>
}

func.func @softmax_warp(%x: tensor<77x1000xbf16>) -> tensor<77x1000xbf16> {
  %y = cascade.chain (i, l) ins(%x[i, l] : tensor<77x1000xbf16>) outs([i, l] : tensor<77x1000xbf16>) {
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
  return %y : tensor<77x1000xbf16>
}

func.func @softmax_odd(%x: tensor<9x4099xf16>) -> tensor<9x4099xf16> {
  %y = cascade.chain (i, l) ins(%x[i, l] : tensor<9x4099xf16>) outs([i, l] : tensor<9x4099xf16>) {
  ^bb0(%h: f16):
    %e = arith.extf %h : f16 to f32
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) : f32
    %p = arith.divf %w, %t : f32
    %o = arith.truncf %p : f32 to f16
    cascade.yield %o : f16
  }
  return %y : tensor<9x4099xf16>
}

func.func @softmax_cluster(%x: tensor<5x100000xbf16>) -> tensor<5x100000xbf16> {
  %y = cascade.chain (i, l) ins(%x[i, l] : tensor<5x100000xbf16>) outs([i, l] : tensor<5x100000xbf16>) {
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
  return %y : tensor<5x100000xbf16>
}

func.func @scaled_norm(%x: tensor<3x7x130xf32>) -> tensor<3x7xf32> {
  %y = cascade.chain (b, i, l) ins(%x[b, i, l] : tensor<3x7x130xf32>) outs([b, i] : tensor<3x7xf32>) {
  ^bb0(%e: f32):
    %abs = math.absf %e : f32
    %a = cascade.reduce max %abs over (l) : f32
    %q = arith.divf %e, %a : f32
    %s = arith.mulf %q, %q : f32
    %t = cascade.reduce add %s over (l) : f32
    %r = math.sqrt %t : f32
    %n = arith.mulf %a, %r : f32
    cascade.yield %n : f32
  }
  return %y : tensor<3x7xf32>
}

func.func @logsumexp_1d(%x: tensor<1048576xf32>) -> tensor<f32> {
  %y = cascade.chain (l) ins(%x[l] : tensor<1048576xf32>) outs([] : tensor<f32>) {
  ^bb0(%e: f32):
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) : f32
    %g = math.log %t : f32
    %s = arith.addf %m, %g : f32
    cascade.yield %s : f32
  }
  return %y : tensor<f32>
}
