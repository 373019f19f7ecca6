// RUN: cascade-opt %s --convert-cascade-to-cluster --canonicalize --cse | FileCheck %s

// Every element of the tile is put into the list of its thread where it beats
// the last entry; one collective merges the lists; the maximum over the list
// and the results need no other thread.
// CHECK:         gpu.func @topk(
// CHECK:           scf.for {{.*}} -> (f32, i32, f32, i32, f32, i32)
// CHECK-COUNT-4:     scf.if {{.*}} -> (f32, i32, f32, i32, f32, i32)
// CHECK:           %[[LIST:.*]]:6 = cluster.all_reduce({{.*}}) scope(cluster) warps(4) : f32, i32, f32, i32, f32, i32
// CHECK-NOT:       cluster.all_reduce
// CHECK:           %[[MAX:.*]] = arith.maximumf %[[LIST]]#0, %[[LIST]]#2
// CHECK-NEXT:      arith.maximumf %[[MAX]], %[[LIST]]#4
// CHECK:           scf.if
// CHECK-COUNT-6:     llvm.store
// CHECK-NOT:         llvm.store
// CHECK:           gpu.return
func.func @topk(%x: tensor<8x4096xf32>) -> (tensor<8x3xf32>, tensor<8x3xi32>) {
  %y, %z = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i, k] : tensor<8x3xf32>, [i, k] : tensor<8x3xi32>)
      attributes {mapping = #cascade.mapping<i: grid, l: cluster(2) x loop x warp(4) x lane(32) x vector(4), k: reg(3)>} {
  ^bb0(%e: f32):
    %j = cascade.index l : i32
    %key, %index = cascade.reduce topk %e, %j over (l) into (k) : f32, i32
    %m = cascade.reduce max %key over (k) : f32
    %d = arith.subf %key, %m : f32
    cascade.yield %d, %index : f32, i32
  }
  return %y, %z : tensor<8x3xf32>, tensor<8x3xi32>
}
