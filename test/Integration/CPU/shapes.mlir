// Chains in odd shapes: a transposed result, a broadcast result, two chains in a
// row, composite indices, results over different axes of one attention state, and
// an operand that does not vary over the reduced axis.
// RUN: cascade-sweep %s --lengths=0,1,2,7,33 --rows=1,3,20 \
// RUN:   --segments=1,2,3,8 --patterns=rand,special | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed

// RUN: cascade-run %s --device=cpu --entry=transposed --input='2x3xf32=1 2 3 4 5 7' | FileCheck %s --check-prefix=TRANSPOSED
// TRANSPOSED: result0: 3x2xf32=-2 -3 -1 -2 0 0
// RUN: cascade-run %s --device=cpu --entry=windows --input='6xf32=1 2 3 4 5 6' --input=3xf32=1 | FileCheck %s --check-prefix=WINDOWS
// WINDOWS: result0: 4xf32=6 9 12 15

func.func @transposed(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([l, i] : tensor<?x?xf32>) {
  ^bb0(%e: f32):
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    cascade.yield %d : f32
  }
  return %y : tensor<?x?xf32>
}

func.func @broadcast(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i, l] : tensor<?x?xf32>) {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<?x?xf32>
}

func.func @two_chains(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i, l] : tensor<?x?xf32>) {
  ^bb0(%e: f32):
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    cascade.yield %w : f32
  }
  %z = cascade.chain (i, l)
      ins(%y[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %z : tensor<?xf32>
}

// Weighted sums of three neighbours.
func.func @windows(%x: tensor<6xf32>, %w: tensor<3xf32>) -> tensor<4xf32> {
  %y = cascade.chain (i, k)
      ins(%x[i + k] : tensor<6xf32>, %w[k] : tensor<3xf32>)
      outs([i] : tensor<4xf32>) {
  ^bb0(%e: f32, %f: f32):
    %p = arith.mulf %e, %f : f32
    %s = cascade.reduce add %p over (k) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<4xf32>
}

// The output varies over e, the log-sum-exp does not.
func.func @attention_lse(%s: tensor<?x?xf32>, %v: tensor<?x?x5xf32>)
    -> (tensor<?x5xf32>, tensor<?xf32>) {
  %o, %lse = cascade.chain (b, l, e)
      ins(%s[b, l] : tensor<?x?xf32>, %v[b, l, e] : tensor<?x?x5xf32>)
      outs([b, e] : tensor<?x5xf32>, [b] : tensor<?xf32>) {
  ^bb0(%se: f32, %ve: f32):
    %m = cascade.reduce max %se over (l) : f32
    %d = arith.subf %se, %m : f32
    %x = math.exp %d : f32
    %t = cascade.reduce add %x over (l) : f32
    %p = arith.divf %x, %t : f32
    %w = arith.mulf %p, %ve : f32
    %out = cascade.reduce add %w over (l) : f32
    %g = math.log %t : f32
    %sum = arith.addf %m, %g : f32
    cascade.yield %out, %sum : f32, f32
  }
  return %o, %lse : tensor<?x5xf32>, tensor<?xf32>
}

func.func @constant_operand(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %z = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %y[i] : tensor<?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32, %f: f32):
    %s = cascade.reduce add %f over (l) : f32
    %m = cascade.reduce max %e over (l) : f32
    %t = arith.addf %s, %m : f32
    cascade.yield %t : f32
  }
  return %z : tensor<?xf32>
}
