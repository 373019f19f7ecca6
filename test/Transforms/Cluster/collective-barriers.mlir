// RUN: cascade-opt %s --no-implicit-module --pass-pipeline='gpu.module(gpu.func(cluster-expand-collectives,cluster-insert-barriers),canonicalize,cse)' \
// RUN:   | grep -E 'gpu.func|gpu.barrier|cluster.(barrier|fence|mbarrier|copy_async|store_async)|map_shared|scf.for|memref.(load|store)|gpu.return' | FileCheck %s
// The order of a collective, exactly. cascade-collectives --mutate takes each of
// these out and expects the simulated device to notice.

#wg = #gpu.address_space<workgroup>

gpu.module @k {
  // Every thread fences what it wrote; one barrier before the first copy, which
  // also publishes the mbarrier; one before the exit of a source.
  // CHECK-LABEL: gpu.func @all_gather
  // CHECK-NEXT: cluster.mbarrier.init
  // CHECK-NEXT: cluster.fence mbarrier_init
  // CHECK-NEXT: memref.store
  // CHECK-NEXT: cluster.fence proxy_async_shared
  // CHECK-NEXT: cluster.barrier
  // CHECK-NEXT: cluster.mbarrier.expect_tx %{{.*}}, %c192_i32
  // CHECK-NEXT: cluster.copy_async {{.*}} bytes %c64_i32
  // CHECK-NEXT: cluster.mbarrier.wait
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: cluster.barrier
  // CHECK-NEXT: gpu.return
  gpu.func @all_gather(%x: f32, %p: memref<64xf32>) workgroup(%m: memref<64xf32, #wg>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    memref.store %x, %m[%t] : memref<64xf32, #wg>
    cluster.slice.all_gather %m : memref<64xf32, #wg>
    %v = memref.load %m[%c0] : memref<64xf32, #wg>
    llvm.inline_asm has_side_effects "", "f" %v : (f32) -> ()
    gpu.return
  }

  // By slices: a barrier of the block between the reduction and the copies.
  // CHECK-LABEL: gpu.func @all_reduce
  // CHECK-NEXT: cluster.mbarrier.init
  // CHECK-NEXT: cluster.fence mbarrier_init
  // CHECK-NEXT: memref.store
  // CHECK-NEXT: cluster.fence proxy_async_shared
  // CHECK-NEXT: cluster.map_shared
  // CHECK-NEXT: cluster.map_shared
  // CHECK-NEXT: cluster.barrier
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: memref.store
  // CHECK-NEXT: cluster.fence proxy_async_shared
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: cluster.mbarrier.expect_tx %{{.*}}, %c128_i32
  // CHECK-NEXT: cluster.copy_async {{.*}} bytes %c128_i32
  // CHECK-NEXT: cluster.mbarrier.wait
  // CHECK-NEXT: cluster.barrier
  // CHECK-NEXT: gpu.return
  gpu.func @all_reduce(%x: f32) workgroup(%m: memref<64xf32, #wg>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    %t = gpu.thread_id x
    memref.store %x, %m[%t] : memref<64xf32, #wg>
    cluster.slice.all_reduce %m algorithm(scatter) kind(add) : memref<64xf32, #wg>
    gpu.return
  }

  // In a loop two barriers: one frees the buffer of the copies before, one orders
  // what was written since.
  // CHECK-LABEL: gpu.func @broadcast_loop
  // CHECK: cluster.barrier arrive relaxed
  // CHECK-NEXT: cluster.barrier wait
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: cluster.barrier
  // CHECK-NEXT: memref.store
  // CHECK-NEXT: cluster.fence proxy_async_shared
  // CHECK-NEXT: cluster.barrier
  // CHECK-NEXT: cluster.mbarrier.expect_tx
  // CHECK-NEXT: cluster.copy_async
  // CHECK-NEXT: cluster.mbarrier.wait
  // CHECK-NEXT: cluster.barrier
  // CHECK-NEXT: gpu.return
  gpu.func @broadcast_loop(%x: f32, %n: index) workgroup(%m: memref<64xf32, #wg>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    scf.for %i = %c0 to %n step %c1 {
      memref.store %x, %m[%t] : memref<64xf32, #wg>
      cluster.slice.broadcast %m root(0) : memref<64xf32, #wg>
    }
    gpu.return
  }

  // Two collectives on tuples by messages: no barrier but that of the entry.
  // CHECK-LABEL: gpu.func @messages
  // CHECK-NEXT: cluster.mbarrier.init
  // CHECK-NEXT: cluster.mbarrier.init
  // CHECK-NEXT: cluster.fence mbarrier_init
  // CHECK-NEXT: cluster.barrier arrive relaxed
  // CHECK-NEXT: cluster.barrier wait
  // CHECK-NEXT: cluster.mbarrier.expect_tx
  // CHECK-NEXT: cluster.store_async
  // CHECK-NEXT: cluster.mbarrier.wait
  // CHECK-COUNT-4: memref.load
  // CHECK-NEXT: cluster.mbarrier.expect_tx
  // CHECK-NEXT: cluster.store_async
  // CHECK-NEXT: cluster.mbarrier.wait
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: gpu.return
  gpu.func @messages(%x: f32, %p: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    %g = cluster.all_gather(%x) scope(cluster) : (f32) -> vector<4xf32>
    %b = cluster.broadcast(%x) scope(cluster) root(1) : f32
    llvm.store %g, %p : vector<4xf32>, !llvm.ptr<1>
    llvm.store %b, %p : f32, !llvm.ptr<1>
    gpu.return
  }

  // For one rank, in a loop: nothing comes back from the root, so that every
  // second round waits for all.
  // CHECK-LABEL: gpu.func @gather_loop
  // CHECK: scf.for
  // CHECK-NEXT: cluster.mbarrier.expect_tx
  // CHECK-NEXT: cluster.barrier
  // CHECK-NEXT: cluster.store_async
  // CHECK-NEXT: cluster.mbarrier.wait
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: gpu.return
  gpu.func @gather_loop(%x: f32, %n: index, %p: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %g = cluster.gather(%x) scope(cluster) root(1) : (f32) -> vector<2xf32>
      llvm.store %g, %p : vector<2xf32>, !llvm.ptr<1>
    }
    gpu.return
  }

  // Through global memory: one barrier, and in a loop too.
  // CHECK-LABEL: gpu.func @global_loop
  // CHECK-SAME: cluster.workspace_words = 4 : i64
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: memref.store
  // CHECK-NEXT: cluster.barrier
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: gpu.return
  gpu.func @global_loop(%x: f32, %n: index, %w: memref<?xi32>, %p: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %s = cluster.all_reduce(%x) scope(cluster) algorithm(global) workspace(%w : memref<?xi32>) kind(add) : f32
      llvm.store %s, %p : f32, !llvm.ptr<1>
    }
    gpu.return
  }

  // A tree of two rounds in a loop: the barrier of a round frees the slot of the
  // one before, and only the exit needs one more.
  // CHECK-LABEL: gpu.func @tree_loop
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: memref.store
  // CHECK-NEXT: cluster.barrier
  // CHECK-NEXT: cluster.map_shared
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: memref.store
  // CHECK-NEXT: cluster.barrier
  // CHECK-NEXT: cluster.map_shared
  // CHECK-NEXT: memref.load
  // CHECK-NEXT: cluster.barrier
  // CHECK-NEXT: gpu.return
  gpu.func @tree_loop(%x: f32, %n: index, %p: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %s = cluster.all_reduce(%x) scope(cluster) algorithm(tree) kind(add) : f32
      llvm.store %s, %p : f32, !llvm.ptr<1>
    }
    gpu.return
  }
}
