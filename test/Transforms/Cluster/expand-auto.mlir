// `auto` is the algorithm of the fewest predicted cycles whose slots fit, on the
// GPU that the kernel is for.
// RUN: cascade-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(cluster-expand-collectives)))' | FileCheck %s
// RUN: not cascade-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(cluster-expand-collectives{target=a100})))' 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: unknown target 'a100'; use h200 or h100

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @small
  // CHECK:         cluster.store_async
  // CHECK:         gpu.return
  gpu.func @small(%x: f32) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 16, 1, 1>} {
    %s = cluster.all_reduce(%x) scope(cluster) kind(add) : f32
    gpu.return
  }

  // 16 slots of 256 tuples of 16 bytes: 64 KiB.
  // CHECK-LABEL: gpu.func @large_slots
  // CHECK-NOT:     cluster.store_async
  // CHECK-COUNT-4: cluster.map_shared
  // CHECK:         gpu.return
  gpu.func @large_slots(%x: f64, %y: f64) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, known_cluster_size = array<i32: 16, 1, 1>} {
    %s:2 = cluster.all_reduce(%x, %y) scope(cluster) lanes(1) warps(1) kind(add, add) : f64, f64
    gpu.return
  }

  // 32 KiB of slots fit once, but not in the two sets of a loop.
  // CHECK-LABEL: gpu.func @in_loop
  // CHECK-NOT:     cluster.store_async
  // CHECK:         cluster.map_shared
  // CHECK:         gpu.return
  gpu.func @in_loop(%x: f64, %n: index) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>, known_cluster_size = array<i32: 16, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %j = %c0 to %n step %c1 {
      %s = cluster.all_reduce(%x) scope(cluster) lanes(1) warps(1) kind(add) : f64
    }
    gpu.return
  }

  // CHECK-LABEL: gpu.func @slow_messages
  // CHECK-NOT:     cluster.store_async
  // CHECK:         cluster.map_shared
  // CHECK:         gpu.return
  gpu.func @slow_messages(%x: f32) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>,
                  cluster.target = #cluster.target<name = "slow", base = "h200", mailbox_cycles = [2000, 2000, 2000, 2000]>} {
    %s = cluster.all_reduce(%x) scope(cluster) kind(add) : f32
    gpu.return
  }
}
