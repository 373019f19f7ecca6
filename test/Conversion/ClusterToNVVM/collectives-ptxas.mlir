// Every collective by every algorithm is valid PTX.
// RUN: cascade-opt %s --no-implicit-module --pass-pipeline='gpu.module(gpu.func(cluster-expand-collectives,cluster-insert-barriers),canonicalize,cse,convert-cluster-to-nvvm,canonicalize,cse)' \
// RUN:   | sed 's/^gpu.module @k/module/' | mlir-translate --mlir-to-llvmir -o %t.ll
// RUN: llc -mtriple=nvptx64-nvidia-cuda -mcpu=sm_90 -mattr=+ptx81 -O3 %t.ll -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// REQUIRES: ptxas
// RUN: %ptxas -arch=sm_90 %t.ptx -o /dev/null

// CHECK-DAG: .extern .shared .align 16 .b8 __wg_slices_0[];
// CHECK-DAG: cp.async.bulk.shared::cluster.shared::cta
// CHECK-DAG: shfl.sync.idx.b32

gpu.module @k {
  gpu.func @tuples(%x: f32, %d: f64, %h: f16, %b: i1, %v: vector<12xbf16>, %n: i32, %p: !llvm.ptr<1>, %w: memref<4096xi32>) kernel
      attributes {known_block_size = array<i32: 192, 1, 1>, known_cluster_size = array<i32: 3, 2, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %r0:3 = cluster.reduce(%x, %d, %b) scope(cluster) algorithm(mailbox) root(2) kind(add, max, or) : f32, f64, i1
      llvm.store %r0#0, %p : f32, !llvm.ptr<1>
      llvm.store %r0#1, %p : f64, !llvm.ptr<1>
      llvm.store %r0#2, %p : i1, !llvm.ptr<1>
      %r1:2 = cluster.broadcast(%x, %h) scope(cluster) algorithm(mailbox) root(5) : f32, f16
      llvm.store %r1#0, %p : f32, !llvm.ptr<1>
      llvm.store %r1#1, %p : f16, !llvm.ptr<1>
      %r2:3 = cluster.reduce(%x, %d, %b) scope(cluster) algorithm(tree) root(2) kind(add, max, or) : f32, f64, i1
      llvm.store %r2#0, %p : f32, !llvm.ptr<1>
      llvm.store %r2#1, %p : f64, !llvm.ptr<1>
      llvm.store %r2#2, %p : i1, !llvm.ptr<1>
      %r3:2 = cluster.broadcast(%x, %h) scope(cluster) algorithm(tree) root(5) : f32, f16
      llvm.store %r3#0, %p : f32, !llvm.ptr<1>
      llvm.store %r3#1, %p : f16, !llvm.ptr<1>
      %r4:3 = cluster.reduce(%x, %d, %b) scope(cluster) algorithm(global) workspace(%w : memref<4096xi32>) root(2) kind(add, max, or) : f32, f64, i1
      llvm.store %r4#0, %p : f32, !llvm.ptr<1>
      llvm.store %r4#1, %p : f64, !llvm.ptr<1>
      llvm.store %r4#2, %p : i1, !llvm.ptr<1>
      %r5:2 = cluster.broadcast(%x, %h) scope(cluster) algorithm(global) workspace(%w : memref<4096xi32>) root(5) : f32, f16
      llvm.store %r5#0, %p : f32, !llvm.ptr<1>
      llvm.store %r5#1, %p : f16, !llvm.ptr<1>
      %r6 = cluster.reduce(%v) scope(cluster) algorithm(mailbox) scatter kind(maxnum) : (vector<12xbf16>) -> vector<2xbf16>
      llvm.store %r6, %p : vector<2xbf16>, !llvm.ptr<1>
      %r7 = cluster.gather(%x) scope(cluster) algorithm(mailbox) root(1) : (f32) -> vector<6xf32>
      llvm.store %r7, %p : vector<6xf32>, !llvm.ptr<1>
      %r8 = cluster.reduce(%v) scope(cluster) algorithm(global) workspace(%w : memref<4096xi32>) scatter kind(maxnum) : (vector<12xbf16>) -> vector<2xbf16>
      llvm.store %r8, %p : vector<2xbf16>, !llvm.ptr<1>
      %r9 = cluster.gather(%x) scope(cluster) algorithm(global) workspace(%w : memref<4096xi32>) root(1) : (f32) -> vector<6xf32>
      llvm.store %r9, %p : vector<6xf32>, !llvm.ptr<1>
      %r10 = cluster.all_gather(%x) scope(cluster) algorithm(mailbox) : (f32) -> vector<6xf32>
      llvm.store %r10, %p : vector<6xf32>, !llvm.ptr<1>
      %r11 = cluster.all_gather(%x) scope(cluster) algorithm(ring) : (f32) -> vector<6xf32>
      llvm.store %r11, %p : vector<6xf32>, !llvm.ptr<1>
      %r12 = cluster.all_gather(%x) scope(cluster) algorithm(global) workspace(%w : memref<4096xi32>) : (f32) -> vector<6xf32>
      llvm.store %r12, %p : vector<6xf32>, !llvm.ptr<1>
      %r13 = cluster.all_reduce(%v) scope(cluster) algorithm(ring) kind(add) : vector<12xbf16>
      llvm.store %r13, %p : vector<12xbf16>, !llvm.ptr<1>
      %r14 = cluster.all_reduce(%v) scope(cluster) algorithm(scatter) kind(add) : vector<12xbf16>
      llvm.store %r14, %p : vector<12xbf16>, !llvm.ptr<1>
      %r15 = cluster.all_reduce(%v) scope(cluster) algorithm(global) workspace(%w : memref<4096xi32>) kind(add) : vector<12xbf16>
      llvm.store %r15, %p : vector<12xbf16>, !llvm.ptr<1>
      %r16 = cluster.reduce(%v) scope(block) scatter kind(add) : (vector<12xbf16>) -> vector<2xbf16>
      llvm.store %r16, %p : vector<2xbf16>, !llvm.ptr<1>
      %r17 = cluster.reduce(%v) scope(warp) lanes(4, stride 2) scatter kind(add) : (vector<12xbf16>) -> vector<3xbf16>
      llvm.store %r17, %p : vector<3xbf16>, !llvm.ptr<1>
      %r18 = cluster.all_gather(%d) scope(block) warps(2) : (f64) -> vector<2xf64>
      llvm.store %r18, %p : vector<2xf64>, !llvm.ptr<1>
      %r19 = cluster.gather(%d) scope(warp) lanes(4) root(3) : (f64) -> vector<4xf64>
      llvm.store %r19, %p : vector<4xf64>, !llvm.ptr<1>
      %r20 = cluster.broadcast(%d) scope(block) root(1) : f64
      llvm.store %r20, %p : f64, !llvm.ptr<1>
      %r21 = cluster.broadcast(%d) scope(warp) root(1) : f64
      llvm.store %r21, %p : f64, !llvm.ptr<1>
    }
    gpu.return
  }

  gpu.func @slices(%n: i32)
      workgroup(%m: memref<12288xf32, #gpu.address_space<workgroup>> {cluster.dynamic}) kernel
      attributes {known_block_size = array<i32: 192, 1, 1>, known_cluster_size = array<i32: 3, 2, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      cluster.slice.all_reduce %m algorithm(scatter) kind(add) : memref<12288xf32, #gpu.address_space<workgroup>>
      cluster.slice.all_reduce %m algorithm(ring) kind(max) : memref<12288xf32, #gpu.address_space<workgroup>>
      cluster.slice.reduce %m algorithm(scatter) root(4) kind(add) : memref<12288xf32, #gpu.address_space<workgroup>>
      cluster.slice.reduce %m algorithm(mailbox) root(4) kind(add) : memref<12288xf32, #gpu.address_space<workgroup>>
      cluster.slice.reduce %m scatter kind(add) : memref<12288xf32, #gpu.address_space<workgroup>>
      cluster.slice.all_gather %m algorithm(mailbox) : memref<12288xf32, #gpu.address_space<workgroup>>
      cluster.slice.all_gather %m algorithm(ring) : memref<12288xf32, #gpu.address_space<workgroup>>
      cluster.slice.gather %m root(3) : memref<12288xf32, #gpu.address_space<workgroup>>
      cluster.slice.broadcast %m algorithm(mailbox) root(5) : memref<12288xf32, #gpu.address_space<workgroup>>
      cluster.slice.broadcast %m algorithm(tree) root(5) : memref<12288xf32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }
}
