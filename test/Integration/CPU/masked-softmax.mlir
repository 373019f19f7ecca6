// Softmax over the first len[i] elements: masked rows give the identities.
// RUN: cascade-sweep %s --lengths=0,1,2,7,31,32,33,96,127 --rows=1,3,20 \
// RUN:   --segments=1,2,3,8 --patterns=rand,special | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed

func.func @masked_softmax(%x: tensor<?x?xf32>, %len: tensor<?xi32>)
    -> (tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %y, %m1, %t1 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %len[i] : tensor<?xi32>)
      outs([i, l] : tensor<?x?xf32>, [i] : tensor<?xf32>, [i] : tensor<?xf32>) {
  ^bb0(%e: f32, %n: i32):
    %j = cascade.index l : i32
    %in = arith.cmpi slt, %j, %n : i32
    %m = cascade.reduce max %e over (l) where %in : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) where %in : f32
    %p = arith.divf %w, %t : f32
    %zero = arith.constant 0.0 : f32
    %o = arith.select %in, %p, %zero : f32
    cascade.yield %o, %m, %t : f32, f32, f32
  }
  return %y, %m1, %t1 : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>
}
