// RUN: cascade-opt %s --canonicalize | FileCheck %s

gpu.module @k {
  // CHECK-LABEL: gpu.func @size_known
  gpu.func @size_known(%p: !llvm.ptr<1>) kernel attributes {known_cluster_size = array<i32: 4, 2, 1>} {
    // CHECK: %[[N:.*]] = arith.constant 8 : i32
    // CHECK: llvm.store %[[N]]
    %n = cluster.size : i32
    llvm.store %n, %p : i32, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @size_unknown
  gpu.func @size_unknown(%p: !llvm.ptr<1>) kernel {
    // CHECK: cluster.size : i32
    %n = cluster.size : i32
    llvm.store %n, %p : i32, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @one_block
  gpu.func @one_block(%x: f32, %p: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 1, 1, 1>} {
    // CHECK: cluster.all_reduce(%{{.*}}) scope(block) kind(add) : f32
    %0 = cluster.all_reduce(%x) scope(cluster) algorithm(tree) kind(add) : f32
    llvm.store %0, %p : f32, !llvm.ptr<1>
    gpu.return
  }

  // A workspace goes with the algorithm.
  // CHECK-LABEL: gpu.func @one_block_global
  gpu.func @one_block_global(%w: memref<64xi32>, %x: f32, %p: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 1, 1, 1>} {
    // CHECK: cluster.all_reduce(%{{.*}}) scope(block) kind(add) : f32
    %0 = cluster.all_reduce(%x) scope(cluster) algorithm(global) workspace(%w : memref<64xi32>) kind(add) : f32
    llvm.store %0, %p : f32, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @one_warp
  gpu.func @one_warp(%x: f32, %p: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    // CHECK: cluster.all_reduce(%{{.*}}) scope(warp) lanes(8) kind(add) : f32
    %0 = cluster.all_reduce(%x) scope(block) lanes(8) warps(1) kind(add) : f32
    llvm.store %0, %p : f32, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @one_lane
  // CHECK-SAME: (%[[X:.*]]: f32, %[[P:.*]]: !llvm.ptr<1>)
  gpu.func @one_lane(%x: f32, %p: !llvm.ptr<1>) kernel {
    // CHECK-NEXT: llvm.store %[[X]], %[[P]]
    %0 = cluster.all_reduce(%x) scope(warp) lanes(1) kind(add) : f32
    llvm.store %0, %p : f32, !llvm.ptr<1>
    gpu.return
  }

  // Unused, it goes; used in a branch, it stays where all threads pass.
  // CHECK-LABEL: gpu.func @effects
  gpu.func @effects(%x: f32, %c: i1, %p: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    // CHECK-COUNT-1: cluster.all_reduce
    // CHECK-NOT: cluster.all_reduce
    // CHECK: scf.if
    %0 = cluster.all_reduce(%x) scope(block) kind(add) : f32
    %1 = cluster.all_reduce(%x) scope(block) kind(max) : f32
    scf.if %c {
      llvm.store %0, %p : f32, !llvm.ptr<1>
    }
    gpu.return
  }
}
