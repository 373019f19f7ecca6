// RMSNorm with a weight; the output varies over the reduced axis.
// RUN: cascade-sweep %s --lengths=0,1,2,7,31,32,33,96,127 --rows=1,3,20 \
// RUN:   --segments=1,2,3,8 --patterns=rand,special | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed

func.func @rmsnorm(%x: tensor<?x?xbf16>, %g: tensor<?xbf16>) -> tensor<?x?xbf16> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>, %g[l] : tensor<?xbf16>)
      outs([i, l] : tensor<?x?xbf16>) {
  ^bb0(%h: bf16, %gh: bf16):
    %e = arith.extf %h : bf16 to f32
    %w = arith.extf %gh : bf16 to f32
    %sq = arith.mulf %e, %e : f32
    %sum = cascade.reduce add %sq over (l) : f32
    %n = cascade.extent l : i32
    %nf = arith.sitofp %n : i32 to f32
    %mean = arith.divf %sum, %nf : f32
    %eps = arith.constant 1.0e-5 : f32
    %ms = arith.addf %mean, %eps : f32
    %r = math.rsqrt %ms : f32
    %a = arith.mulf %e, %r : f32
    %b = arith.mulf %a, %w : f32
    %o = arith.truncf %b : f32 to bf16
    cascade.yield %o : bf16
  }
  return %y : tensor<?x?xbf16>
}

// RMSNorm then a row of a matrix: r is deferred.
func.func @rmsnorm_matrix(%x: tensor<?x?xf32>, %w: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = cascade.chain (i, l, n)
      ins(%x[i, l] : tensor<?x?xf32>, %w[l, n] : tensor<?x4xf32>)
      outs([i, n] : tensor<?x4xf32>) {
  ^bb0(%e: f32, %we: f32):
    %sq = arith.mulf %e, %e : f32
    %sum = cascade.reduce add %sq over (l) : f32
    %n = cascade.extent l : i32
    %nf = arith.sitofp %n : i32 to f32
    %mean = arith.divf %sum, %nf : f32
    %eps = arith.constant 1.0e-5 : f32
    %ms = arith.addf %mean, %eps : f32
    %r = math.rsqrt %ms : f32
    %a = arith.mulf %e, %we : f32
    %b = arith.mulf %a, %r : f32
    %s = cascade.reduce add %b over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<?x4xf32>
}
