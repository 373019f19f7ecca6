// Moments: variance, LayerNorm, covariance; the mean is a running reference.
// RUN: cascade-sweep %s --lengths=0,1,2,7,31,32,33,96,127 --rows=1,3,20 \
// RUN:   --segments=1,2,3,8 --patterns=rand,special | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed

// RUN: cascade-run %s --device=cpu --entry=layer_norm --segments=2 --input='2x4xf32=1 2 3 4 10001 10002 10003 10004' --expected-output='2x4xf32=-1.3416355 -0.4472118 0.4472118 1.3416355 -1.3416355 -0.4472118 0.4472118 1.3416355'

func.func @variance(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %mean, %var = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>, [i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %n = cascade.extent l : i32
    %nf = arith.sitofp %n : i32 to f32
    %sum = cascade.reduce add %e over (l) : f32
    %mu = arith.divf %sum, %nf : f32
    %d = arith.subf %e, %mu : f32
    %sq = arith.mulf %d, %d : f32
    %m2 = cascade.reduce add %sq over (l) : f32
    %v = arith.divf %m2, %nf : f32
    cascade.yield %mu, %v : f32, f32
  }
  return %mean, %var : tensor<?xf32>, tensor<?xf32>
}

func.func @layer_norm(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i, l] : tensor<?x?xf32>) {
  ^bb0(%e: f32):
    %n = cascade.extent l : i32
    %nf = arith.sitofp %n : i32 to f32
    %sum = cascade.reduce add %e over (l) : f32
    %mu = arith.divf %sum, %nf : f32
    %d = arith.subf %e, %mu : f32
    %sq = arith.mulf %d, %d : f32
    %m2 = cascade.reduce add %sq over (l) : f32
    %v = arith.divf %m2, %nf : f32
    %eps = arith.constant 1.0e-5 : f32
    %ve = arith.addf %v, %eps : f32
    %r = math.rsqrt %ve : f32
    %o = arith.mulf %d, %r : f32
    cascade.yield %o : f32
  }
  return %y : tensor<?x?xf32>
}

func.func @covariance(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
  %c = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %y[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %n = cascade.extent l : i32
    %nf = arith.sitofp %n : i32 to f32
    %sa = cascade.reduce add %a over (l) : f32
    %sb = cascade.reduce add %b over (l) : f32
    %ma = arith.divf %sa, %nf : f32
    %mb = arith.divf %sb, %nf : f32
    %da = arith.subf %a, %ma : f32
    %db = arith.subf %b, %mb : f32
    %p = arith.mulf %da, %db : f32
    %s = cascade.reduce add %p over (l) : f32
    cascade.yield %s : f32
  }
  return %c : tensor<?xf32>
}
