// Bulk loads into stages: a lane of each warp asks for the warp's part of the
// first tiles; each tile is waited for when it is first read, and when the lanes
// have read it for the last time, the same lane asks for the one that takes its
// stage. A row of one tile is read once, into registers, so that its successor
// arrives while it is merged and stored.
// RUN: cascade-opt %s --cascade-fuse --convert-cascade-to-cluster --canonicalize --cse | FileCheck %s
// RUN: cascade-compile %s -o %t && FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: FileCheck %s --check-prefix=JSON < %t.json

// JSON:     "shared": 4096
// Unaligned, the rows are loaded as they are used.
// JSON:     "shared": 0

// Registers for 19 blocks at once: 64 threads, 16 elements of bf16 each.
// PTX: .minnctapersm 19
// PTX: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
// PTX: bar.warp.sync

// CHECK-LABEL: gpu.func @one_tile(
// CHECK-SAME:    workgroup(%[[STAGES:.*]] : memref<256xvector<4xi32>, #gpu.address_space<workgroup>> {cluster.thread_private}, %[[FULL:.*]] : memref<4xi64, #gpu.address_space<workgroup>>)
// CHECK:         scf.if
// CHECK:           cluster.mbarrier.init %[[FULL]]
// CHECK:           cluster.mbarrier.init %[[FULL]]
// CHECK-NEXT:      cluster.fence proxy_async_shared
// CHECK:           scf.for
// CHECK:             cluster.mbarrier.expect_tx %[[FULL]]{{.*}}, %c1024_i32
// CHECK:             cluster.load_async %{{.*}} to %[[STAGES]]{{.*}} mbar %[[FULL]]{{.*}} bytes %c1024_i32
// CHECK:         cluster.warp_barrier
// CHECK:         scf.for
// CHECK:           cluster.mbarrier.wait %[[FULL]]
// CHECK:           memref.load %[[STAGES]]
// CHECK:           memref.load %[[STAGES]]
// CHECK:           %[[NEXT:.*]] = arith.addi %{{.*}}, %c2_i32
// CHECK-NEXT:      cluster.warp_barrier
// CHECK:           scf.if
// CHECK:             cluster.load_async
// CHECK:           cluster.all_reduce
// CHECK-NOT:       memref.load
// CHECK:           llvm.store
func.func @one_tile(%x: tensor<99x1024xbf16>) -> tensor<99x1024xbf16> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<99x1024xbf16>)
      outs([i, l] : tensor<99x1024xbf16>)
      attributes {mapping = #cascade.mapping<i: loop x grid(resident), l: warp(2) x reg(2) x lane(32) x vector(8), load = [0: bulk(2)]>} {
  ^bb0(%e: bf16):
    %f = arith.extf %e : bf16 to f32
    %m = cascade.reduce max %f over (l) : f32
    %d = arith.subf %f, %m : f32
    %o = arith.truncf %d : f32 to bf16
    cascade.yield %o : bf16
  }
  return %y : tensor<99x1024xbf16>
}

// Two tiles a row, which stay in their stages until they are stored.
// CHECK-LABEL: gpu.func @two_tiles(
// CHECK-SAME:    workgroup(%[[STAGES:.*]] : memref<192xvector<4xi32>
// CHECK:         cluster.load_async
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             cluster.mbarrier.wait
// CHECK:             memref.load %[[STAGES]]
// CHECK-NOT:         cluster.load_async
// CHECK:           cluster.all_reduce
// CHECK-NOT:       cluster.mbarrier.wait
// CHECK:           scf.for
// CHECK:             memref.load %[[STAGES]]
// CHECK:             cluster.warp_barrier
// CHECK:             cluster.load_async
// CHECK:             llvm.store
func.func @two_tiles(%x: tensor<99x1024xbf16>) -> tensor<99x1024xbf16> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<99x1024xbf16>)
      outs([i, l] : tensor<99x1024xbf16>)
      attributes {mapping = #cascade.mapping<i: loop x grid(resident), l: loop x warp(2) x lane(32) x vector(8), load = [0: bulk(3)], keep = [0: shared]>} {
  ^bb0(%e: bf16):
    %f = arith.extf %e : bf16 to f32
    %m = cascade.reduce max %f over (l) : f32
    %d = arith.subf %f, %m : f32
    %o = arith.truncf %d : f32 to bf16
    cascade.yield %o : bf16
  }
  return %y : tensor<99x1024xbf16>
}
