// Scales and norms: absolute maximum, the scaled 2-norm, absmax scaling then a
// dot product, cosine similarity, the centred maximum.
// RUN: cascade-sweep %s --lengths=0,1,2,7,31,32,33,96,127 --rows=1,3,20 \
// RUN:   --segments=1,2,3,8 --patterns=rand,special | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed

func.func @absmax(%x: tensor<?x?xf16>) -> tensor<?xf16> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf16>) outs([i] : tensor<?xf16>) {
  ^bb0(%e: f16):
    %a = math.absf %e : f16
    %m = cascade.reduce max %a over (l) : f16
    cascade.yield %m : f16
  }
  return %y : tensor<?xf16>
}

func.func @nrm2(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %abs = math.absf %e : f32
    %a = cascade.reduce max %abs over (l) : f32
    %u = arith.divf %e, %a : f32
    %sq = arith.mulf %u, %u : f32
    %s = cascade.reduce add %sq over (l) : f32
    %root = math.sqrt %s : f32
    %norm = arith.mulf %a, %root : f32
    cascade.yield %norm : f32
  }
  return %y : tensor<?xf32>
}

func.func @absmax_dot(%x: tensor<?x?xf32>, %w: tensor<?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %w[l] : tensor<?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32, %we: f32):
    %abs = math.absf %e : f32
    %a = cascade.reduce max %abs over (l) : f32
    %c = arith.constant 448.0 : f32
    %scale = arith.divf %c, %a : f32
    %u = arith.mulf %e, %scale : f32
    %p = arith.mulf %u, %we : f32
    %s = cascade.reduce add %p over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<?xf32>
}

func.func @cosine(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
  %r = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %y[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %aa = arith.mulf %a, %a : f32
    %bb = arith.mulf %b, %b : f32
    %na = cascade.reduce add %aa over (l) : f32
    %nb = cascade.reduce add %bb over (l) : f32
    %ra = math.sqrt %na : f32
    %rb = math.sqrt %nb : f32
    %n = arith.mulf %ra, %rb : f32
    %ab = arith.mulf %a, %b : f32
    %c = arith.divf %ab, %n : f32
    %s = cascade.reduce add %c over (l) : f32
    cascade.yield %s : f32
  }
  return %r : tensor<?xf32>
}

func.func @centred_maximum(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %sum = cascade.reduce add %e over (l) : f32
    %n = cascade.extent l : i32
    %nf = arith.sitofp %n : i32 to f32
    %mu = arith.divf %sum, %nf : f32
    %d = arith.subf %e, %mu : f32
    %m = cascade.reduce max %d over (l) : f32
    cascade.yield %m : f32
  }
  return %y : tensor<?xf32>
}

// A zero row gives what unfused gives; squares that overflow do not.
// RUN: cascade-run %s --device=cpu --entry=nrm2 --input='3x2xf32=3 4 0 0 3e30 4e30' \
// RUN:   --expected-output='3xf32=5 nan 5e30'
