// Exchanges through global memory in a kernel whose launcher provides a workspace:
// the expansion asks for a part of it, 16 bytes at least for each cluster.
// RUN: cascade-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(cluster-expand-collectives)),canonicalize,cse)' | FileCheck %s

// CHECK-LABEL: gpu.func @once(
// CHECK-SAME:      %[[X:[^:]*]]: f32, %[[P:[^:]*]]: !llvm.ptr<1>, %[[W:[^:]*]]: !llvm.ptr<1>) kernel
// CHECK-SAME:      cluster.workspace_bytes = array<i64: 16>, cluster.workspace_words = 4 : i64
// CHECK:         gpu.cluster_id
// CHECK:         scf.if
// CHECK:           %[[MINE:.*]] = llvm.getelementptr %[[W]][%{{.*}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i32
// CHECK:           llvm.store %{{.*}}, %[[MINE]] {alignment = 4 : i64} : i32, !llvm.ptr<1>
// CHECK:         cluster.barrier
// CHECK:         %[[A:.*]] = llvm.getelementptr %[[W]]
// CHECK:         llvm.load %[[A]] {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK:         %[[B:.*]] = llvm.getelementptr %[[W]]
// CHECK:         llvm.load %[[B]] {alignment = 4 : i64} : !llvm.ptr<1> -> i32
gpu.module @kernels {
  gpu.func @once(%x: f32, %p: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>,
                  cluster.workspace_bytes = array<i64>} {
    %s = cluster.all_reduce(%x) scope(cluster) algorithm(global) kind(add) : f32
    llvm.store %s, %p : f32, !llvm.ptr<1>
    gpu.return
  }

  // Nothing to exchange, nothing asked for.
  // CHECK-LABEL: gpu.func @alone(
  // CHECK-SAME:      !llvm.ptr<1>) kernel
  // CHECK-SAME:      cluster.workspace_bytes = array<i64>
  // CHECK-NOT:     cluster.barrier
  gpu.func @alone(%x: f32, %p: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 1, 1, 1>,
                  cluster.workspace_bytes = array<i64>} {
    %s = cluster.all_reduce(%x) scope(cluster) algorithm(global) kind(add) : f32
    llvm.store %s, %p : f32, !llvm.ptr<1>
    gpu.return
  }
}
