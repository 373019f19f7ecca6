// Softmax and its log-sum-exp: two finishes of one state.
// RUN: cascade-sweep %s --lengths=0,1,2,7,31,32,33,96,127 \
// RUN:   --rows=1,3,20 --segments=1,2,3,8 --patterns=rand,special | FileCheck %s
// RUN: cascade-sweep %s --lengths=577,1000,4097,129280 --rows=1 --segments=1,3 \
// RUN:   --patterns=rand | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed

func.func @softmax_lse(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %y, %lse = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i, l] : tensor<?x?xf32>, [i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) : f32
    %p = arith.divf %w, %t : f32
    %g = math.log %t : f32
    %s = arith.addf %m, %g : f32
    cascade.yield %p, %s : f32, f32
  }
  return %y, %lse : tensor<?x?xf32>, tensor<?xf32>
}

func.func @softmax_lse_bf16(%x: tensor<?x?xbf16>) -> (tensor<?x?xbf16>, tensor<?xf32>) {
  %y, %lse = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>)
      outs([i, l] : tensor<?x?xbf16>, [i] : tensor<?xf32>) {
  ^bb0(%e: bf16):
    %f = arith.extf %e : bf16 to f32
    %m = cascade.reduce max %f over (l) : f32
    %d = arith.subf %f, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) : f32
    %p = arith.divf %w, %t : f32
    %o = arith.truncf %p : f32 to bf16
    %g = math.log %t : f32
    %s = arith.addf %m, %g : f32
    cascade.yield %o, %s : bf16, f32
  }
  return %y, %lse : tensor<?x?xbf16>, tensor<?xf32>
}

// A row without special values, one that is all -inf and one with a NaN.
// RUN: cascade-run %s --device=cpu --entry=softmax_lse --segments=2 \
// RUN:   --input='3x4xf32=0 0 0 0 -inf -inf -inf -inf 1 nan 2 3' \
// RUN:   | FileCheck %s --check-prefix=VALUES
// VALUES: result0: 3x4xf32=0.25 0.25 0.25 0.25 nan nan nan nan nan nan nan nan
// VALUES: result1: 3xf32=1.3862944 nan nan
