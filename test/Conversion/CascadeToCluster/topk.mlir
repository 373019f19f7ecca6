// RUN: cascade-opt %s --convert-cascade-to-cluster --canonicalize --cse | FileCheck %s

// One word a lane, of key and position, is carried from tile to tile: 32 bits
// and 12. A tile of which no lane has a key that beats the last entry is
// skipped; otherwise groups are taken while any lane has one, and of a group
// elements while any lane has one. Warps and blocks exchange their lists through
// shared memory. The lanes evaluate their entries again; the maximum over the
// list goes over the lanes, and each stores its own.
// CHECK:         gpu.func @topk(
// CHECK-SAME:      workgroup(%{{.*}} : memref<16xi64, #gpu.address_space<workgroup>>, %{{.*}} : memref<4xi64, #gpu.address_space<workgroup>>)
// CHECK:           %[[LIST:.*]] = scf.for {{.*}} -> (i64)
// CHECK:             arith.cmpf ugt
// CHECK:             %[[SOME:.*]] = cluster.any
// CHECK:             scf.if %[[SOME]] -> (i64)
// CHECK:               scf.while
// CHECK:                 cluster.any
// CHECK:                 scf.while
// CHECK:                   cluster.any
// CHECK:           gpu.barrier
// CHECK:           cluster.barrier
// CHECK:           cluster.map_shared
// CHECK:           scf.if {{.*}} -> (f32, i32)
// CHECK:           cluster.all_reduce({{.*}}) scope(warp) kind(max) : f32
// CHECK:           scf.if
// CHECK-COUNT-1:     llvm.store
// CHECK:           scf.if
// CHECK-COUNT-1:     llvm.store
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

// Of 16 bits and a row of at most 65536, key and position are one word of 32
// bits. Four rows share a warp: a lane has one entry.
// CHECK:         gpu.func @narrow(
// CHECK:           scf.while {{.*}} : (i32, i32) -> (i32, i32)
// CHECK-NOT:       cluster.all_reduce
// CHECK:           gpu.return
func.func @narrow(%x: tensor<8x65536xbf16>) -> tensor<8x8xi32> {
  %z = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<8x65536xbf16>) outs([i, k] : tensor<8x8xi32>)
      attributes {mapping = #cascade.mapping<i: grid x lane(4), l: loop x reg(4) x lane(8) x vector(8), k: reg(8)>} {
  ^bb0(%x0: bf16):
    %e = arith.extf %x0 : bf16 to f32
    %j = cascade.index l : i32
    %key, %index = cascade.reduce topk %e, %j over (l) into (k) : f32, i32
    cascade.yield %index : i32
  }
  return %z : tensor<8x8xi32>
}

// An index that is not the position comes between key and position.
// CHECK:         gpu.func @labelled(
// CHECK:           scf.while {{.*}} : (i32, i32, i64, i32) -> (i32, i32, i64, i32)
// CHECK:           gpu.return
func.func @labelled(%x: tensor<8x64xf32>, %label: tensor<64xi64>) -> tensor<8x8xi64> {
  %z = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<8x64xf32>, %label[l] : tensor<64xi64>) outs([i, k] : tensor<8x8xi64>)
      attributes {mapping = #cascade.mapping<i: grid, l: lane(32) x vector(2), k: reg(8)>} {
  ^bb0(%e: f32, %j: i64):
    %key, %index = cascade.reduce topk %e, %j over (l) into (k) : f32, i64
    cascade.yield %index : i64
  }
  return %z : tensor<8x8xi64>
}
