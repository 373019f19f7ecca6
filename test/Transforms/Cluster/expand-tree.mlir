// RUN: cascade-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(cluster-expand-collectives,cluster-insert-barriers),canonicalize,cse))' | FileCheck %s

gpu.module @k {
  // Eight blocks: three rounds and the exit, a barrier each.
  // CHECK-LABEL: gpu.func @eight
  // CHECK-SAME: workgroup(%[[S:.*]] : memref<1xi32, #gpu.address_space<workgroup>>, %{{.*}} : memref<1xi32, #gpu.address_space<workgroup>>, %{{.*}} : memref<1xi32, #gpu.address_space<workgroup>>)
  gpu.func @eight(%x: f32, %p: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 8, 1, 1>} {
    // CHECK: %[[R:.*]] = cluster.rank
    // CHECK: memref.store %{{.*}}, %[[S]]
    // CHECK: cluster.barrier
    // CHECK: %[[P:.*]] = arith.xori %[[R]], %c1_i32
    // CHECK: %[[M:.*]] = cluster.map_shared %[[S]], %[[P]]
    // CHECK: memref.load %[[M]]
    // CHECK-COUNT-3: cluster.barrier
    // CHECK-NOT: cluster.barrier
    // CHECK: gpu.return
    %s = cluster.all_reduce(%x) scope(cluster) algorithm(tree) kind(add) : f32
    llvm.store %s, %p : f32, !llvm.ptr<1>
    gpu.return
  }

  // Three blocks: ranks 0 and 1 become one, then two meet.
  // CHECK-LABEL: gpu.func @three
  gpu.func @three(%x: f32, %p: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 3, 1, 1>} {
    // CHECK: arith.cmpi ult, %{{.*}}, %c2_i32
    // CHECK-COUNT-3: cluster.barrier
    // CHECK-NOT: cluster.barrier
    // CHECK: gpu.return
    %s = cluster.all_reduce(%x) scope(cluster) algorithm(tree) kind(add) : f32
    llvm.store %s, %p : f32, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @two
  gpu.func @two(%x: f32, %p: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    // CHECK-COUNT-2: cluster.barrier
    // CHECK-NOT: cluster.barrier
    // CHECK: gpu.return
    %s = cluster.all_reduce(%x) scope(cluster) algorithm(tree) kind(add) : f32
    llvm.store %s, %p : f32, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @sixteen
  gpu.func @sixteen(%x: f32, %p: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 16, 1, 1>} {
    // CHECK-COUNT-5: cluster.barrier
    // CHECK-NOT: cluster.barrier
    // CHECK: gpu.return
    %s = cluster.all_reduce(%x) scope(cluster) algorithm(tree) kind(add) : f32
    llvm.store %s, %p : f32, !llvm.ptr<1>
    gpu.return
  }
}
