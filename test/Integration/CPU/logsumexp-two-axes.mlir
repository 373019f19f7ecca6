// Log-sum-exp over two axes at once.
// RUN: cascade-sweep %s --lengths=0,1,2,7,32,61 --rows=1,3,20 \
// RUN:   --segments=1,2,3,8 --patterns=rand,special | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed

func.func @logsumexp_two_axes(%x: tensor<?x?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, k, l)
      ins(%x[i, k, l] : tensor<?x?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %m = cascade.reduce max %e over (k, l) : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (k, l) : f32
    %g = math.log %t : f32
    %s = arith.addf %m, %g : f32
    cascade.yield %s : f32
  }
  return %y : tensor<?xf32>
}
