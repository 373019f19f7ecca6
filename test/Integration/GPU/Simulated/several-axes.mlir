// Reductions over several axes in one kernel, besides attention.
// RUN: cascade-run %s --device=sim --dim=i=0,1,30,101 --dim=l=0,1,45,77 --dim=k=45 \
// RUN:   --patterns=rand,special --check | FileCheck %s
// CHECK: {{^[1-9][0-9]*}} passed, 0 failed

// Rows and columns of one matrix.
func.func @rows_and_columns(%x: tensor<8x130xf32>) -> (tensor<8xf32>, tensor<130xf32>) {
  %y, %z = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x130xf32>) outs([i] : tensor<8xf32>, [l] : tensor<130xf32>) {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    %m = cascade.reduce max %e over (i) : f32
    cascade.yield %s, %m : f32, f32
  }
  return %y, %z : tensor<8xf32>, tensor<130xf32>
}

// The same, any number of columns.
func.func @rows_and_columns_long(%x: tensor<8x?xf32>) -> (tensor<8xf32>, tensor<?xf32>) {
  %y, %z = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x?xf32>) outs([i] : tensor<8xf32>, [l] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    %m = cascade.reduce max %e over (i) : f32
    cascade.yield %s, %m : f32, f32
  }
  return %y, %z : tensor<8xf32>, tensor<?xf32>
}

// The sum of a row goes into that of columns.
func.func @rows_then_columns(%x: tensor<?x48xf32>) -> tensor<48xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x48xf32>) outs([l] : tensor<48xf32>) {
  ^bb0(%e: f32):
    %a = math.absf %e : f32
    %s = cascade.reduce add %a over (l) : f32
    %d = arith.divf %a, %s : f32
    %m = cascade.reduce add %d over (i) : f32
    cascade.yield %m : f32
  }
  return %y : tensor<48xf32>
}

// Two axes that do not meet.
func.func @two_axes(%x: tensor<5x?xf32>, %z: tensor<5x?xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %y, %w = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<5x?xf32>, %z[i, k] : tensor<5x?xf32>) outs([i] : tensor<5xf32>, [i] : tensor<5xf32>) {
  ^bb0(%e: f32, %f: f32):
    %s = cascade.reduce add %e over (l) : f32
    %m = cascade.reduce max %f over (k) : f32
    cascade.yield %s, %m : f32, f32
  }
  return %y, %w : tensor<5xf32>, tensor<5xf32>
}

// A sum over the columns of attention.
func.func @norm_of_result(%q: tensor<2x32xf32>, %k: tensor<2x?x32xf32>, %v: tensor<2x?x64xf32>) -> tensor<2x64xf32> {
  %y = cascade.chain (h, l, d, e)
      ins(%q[h, d] : tensor<2x32xf32>, %k[h, l, d] : tensor<2x?x32xf32>, %v[h, l, e] : tensor<2x?x64xf32>) outs([h, e] : tensor<2x64xf32>) {
  ^bb0(%qe: f32, %ke: f32, %ve: f32):
    %qk = arith.mulf %qe, %ke : f32
    %s = cascade.reduce add %qk over (d) : f32
    %m = cascade.reduce max %s over (l) : f32
    %dm = arith.subf %s, %m : f32
    %x = math.exp %dm : f32
    %t = cascade.reduce add %x over (l) : f32
    %p = arith.divf %x, %t : f32
    %w = arith.mulf %p, %ve : f32
    %o = cascade.reduce add %w over (l) : f32
    %oo = arith.mulf %o, %o : f32
    %n = cascade.reduce add %oo over (e) : f32
    %c = arith.constant 1.0e-5 : f32
    %nc = arith.addf %n, %c : f32
    %r = math.rsqrt %nc : f32
    %or = arith.mulf %o, %r : f32
    cascade.yield %or : f32
  }
  return %y : tensor<2x64xf32>
}
