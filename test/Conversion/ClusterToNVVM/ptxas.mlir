// Two collectives by each algorithm in one kernel are valid PTX.
// RUN: cascade-opt %s --no-implicit-module --pass-pipeline='gpu.module(gpu.func(cluster-expand-collectives,cluster-insert-barriers),canonicalize,cse,convert-cluster-to-nvvm,canonicalize,cse)' \
// RUN:   | sed 's/^gpu.module @k/module/' | mlir-translate --mlir-to-llvmir -o %t.ll
// RUN: llc -mtriple=nvptx64-nvidia-cuda -mcpu=sm_90 -mattr=+ptx81 -O3 %t.ll -o %t.ptx
// REQUIRES: ptxas
// RUN: %ptxas -arch=sm_90 %t.ptx -o /dev/null

gpu.module @k {
  gpu.func @both(%x: f32, %d: f64, %h: f16, %n: i32, %p: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 192, 1, 1>, known_cluster_size = array<i32: 5, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %0:3 = cluster.all_reduce(%x, %d, %h) scope(cluster) kind(max, add, add) : f32, f64, f16
      %1 = cluster.all_reduce(%0#0) scope(cluster) lanes(4) warps(2) kind(add) : f32
      %2 = cluster.all_reduce(%1) scope(cluster) algorithm(tree) kind(maxnum) : f32
      %3 = cluster.all_reduce(%0#1) scope(cluster) algorithm(tree) lanes(8) kind(minnum) : f64
      llvm.store %2, %p : f32, !llvm.ptr<1>
      llvm.store %3, %p : f64, !llvm.ptr<1>
      llvm.store %0#2, %p : f16, !llvm.ptr<1>
    }
    gpu.return
  }

  // Every primitive.
  gpu.func @primitives(%v: vector<2xi64>, %p: !llvm.ptr<1>)
      workgroup(%m: memref<8xvector<2xi64>, #gpu.address_space<workgroup>>, %b: memref<1xi64, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %i64 = arith.constant 64 : i32
    %r = cluster.rank : i32
    cluster.mbarrier.init %b[%c0], %i1 : memref<1xi64, #gpu.address_space<workgroup>>
    cluster.fence mbarrier_init
    cluster.barrier
    cluster.mbarrier.expect_tx %b[%c0], %i64 : memref<1xi64, #gpu.address_space<workgroup>>
    cluster.fence proxy_async
    cluster.fence proxy_async_shared
    cluster.fence acq_rel_cluster
    cluster.store_async %v to %m[%c0] mbar %b[%c0] rank %r : memref<8xvector<2xi64>, #gpu.address_space<workgroup>>, memref<1xi64, #gpu.address_space<workgroup>>
    cluster.copy_async %m[%c0] to %m[%c4] mbar %b[%c0] rank %r bytes %i64 : memref<8xvector<2xi64>, #gpu.address_space<workgroup>>, memref<8xvector<2xi64>, #gpu.address_space<workgroup>>, memref<1xi64, #gpu.address_space<workgroup>>
    cluster.mbarrier.wait %b[%c0], %i0 : memref<1xi64, #gpu.address_space<workgroup>>
    %peer = cluster.map_shared %m, %r : memref<8xvector<2xi64>, #gpu.address_space<workgroup>> to memref<8xvector<2xi64>, 7 : i32>
    %x = memref.load %peer[%c0] : memref<8xvector<2xi64>, 7 : i32>
    llvm.store %x, %p : vector<2xi64>, !llvm.ptr<1>
    gpu.return
  }
}
