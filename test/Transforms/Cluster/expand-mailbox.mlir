// RUN: cascade-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(cluster-expand-collectives,cluster-insert-barriers),canonicalize,cse))' | FileCheck %s

gpu.module @k {
  // CHECK-LABEL: gpu.func @once
  // CHECK-SAME: workgroup(%[[M:.*]] : memref<1xi64, #gpu.address_space<workgroup>>, %{{.*}} : memref<4xvector<2xi32>, #gpu.address_space<workgroup>>, %[[S:.*]] : memref<8xvector<2xi32>, #gpu.address_space<workgroup>>)
  gpu.func @once(%x: f32, %y: f32, %p: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 8, 1, 1>} {
    // At entry: initialise, publish, arrive without waiting.
    // CHECK: scf.if
    // CHECK-NEXT: cluster.mbarrier.init %[[M]]
    // CHECK-NEXT: cluster.fence mbarrier_init
    // CHECK: cluster.barrier arrive relaxed
    // Then the block's own reduction, and the wait just before the exchange.
    // CHECK: gpu.barrier
    // CHECK: cluster.barrier wait
    // CHECK-NEXT: scf.if
    // CHECK-NEXT: cluster.mbarrier.expect_tx %[[M]][%{{.*}}], %c64_i32
    // CHECK: scf.if
    // CHECK: cluster.store_async %{{.*}} to %[[S]][%{{.*}}] mbar %[[M]][%{{.*}}] rank
    // CHECK: cluster.mbarrier.wait %[[M]][%{{.*}}], %c0_i32
    // CHECK: memref.load %[[S]]
    // CHECK-COUNT-6: gpu.shuffle xor
    // CHECK-NOT: cluster.
    // CHECK: gpu.return
    %0:2 = cluster.all_reduce(%x, %y) scope(cluster) : f32, f32 {
    ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
      %m = arith.maximumf %a, %c : f32
      %s = arith.addf %b, %d : f32
      cluster.yield %m, %s : f32, f32
    }
    llvm.store %0#0, %p : f32, !llvm.ptr<1>
    llvm.store %0#1, %p : f32, !llvm.ptr<1>
    gpu.return
  }

  // In a loop: two sets of slots and mbarriers, parity from a carried count.
  // CHECK-LABEL: gpu.func @loop
  // CHECK-SAME: workgroup(%[[M:.*]] : memref<2xi64, #gpu.address_space<workgroup>>, %[[S:.*]] : memref<6xi32, #gpu.address_space<workgroup>>)
  gpu.func @loop(%x: f32, %n: i32, %p: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 3, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: cluster.barrier arrive relaxed
    // CHECK-NEXT: cluster.barrier wait
    // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[K:.*]] = %c0_i32) -> (f32, i32)
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> (f32) : i32 {
      // CHECK: %[[NEXT:.*]] = arith.addi %[[K]], %c1_i32
      // CHECK: %[[ROUND:.*]] = arith.andi %[[K]], %c1_i32
      // CHECK: %[[PHASE:.*]] = arith.shrui %[[K]], %c1_i32
      // CHECK: %[[PARITY:.*]] = arith.andi %[[PHASE]], %c1_i32
      // CHECK: %[[SET:.*]] = arith.index_castui %[[ROUND]]
      // CHECK: cluster.mbarrier.expect_tx %[[M]][%[[SET]]], %c12_i32
      // CHECK: cluster.mbarrier.wait %[[M]][%[[SET]]], %[[PARITY]]
      // CHECK-NOT: gpu.barrier
      // CHECK: scf.yield %{{.*}}, %[[NEXT]]
      %s = cluster.all_reduce(%acc) scope(cluster) algorithm(mailbox) kind(add) : f32
      scf.yield %s : f32
    }
    llvm.store %r, %p : f32, !llvm.ptr<1>
    gpu.return
  }

  // On a cold path: everything is set up at entry, outside of the branch.
  // CHECK-LABEL: gpu.func @cold
  gpu.func @cold(%x: f32, %n: i32, %c: i1, %p: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    // CHECK: cluster.mbarrier.init
    // CHECK: cluster.barrier arrive relaxed
    // CHECK: cluster.barrier wait
    // CHECK: scf.if %arg2 -> (f32) {
    // CHECK-NOT: cluster.mbarrier.init
    // CHECK-NOT: cluster.barrier
    // CHECK: gpu.barrier
    // CHECK: cluster.store_async
    // CHECK: {cluster.uniform}
    %r = scf.if %c -> (f32) {
      %s = cluster.all_reduce(%x) scope(cluster) kind(add) : f32
      scf.yield %s : f32
    } else {
      scf.yield %x : f32
    }
    llvm.store %r, %p : f32, !llvm.ptr<1>
    gpu.return
  }

  // A branch in a loop in a while: the count passes through all of them.
  // CHECK-LABEL: gpu.func @nested
  gpu.func @nested(%x: f32, %n: i32, %p: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 16, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // CHECK: scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %c0_i32) : (i32, i32) -> (i32, i32)
    %e = scf.while (%k = %c0) : (i32) -> i32 {
      %more = arith.cmpi slt, %k, %n : i32
      scf.condition(%more) %k : i32
    } do {
    // CHECK: ^bb0(%{{.*}}: i32, %[[A:.*]]: i32):
    ^bb0(%k: i32):
      // CHECK: %[[F:.*]] = scf.for {{.*}} iter_args(%[[B:.*]] = %[[A]]) -> (i32)
      scf.for %i = %c0 to %n step %c1 : i32 {
        %odd = arith.cmpi ne, %i, %k : i32
        // CHECK: %[[G:.*]] = scf.if %{{.*}} -> (i32) {
        // CHECK: } else {
        // CHECK-NEXT: scf.yield %[[B]] : i32
        scf.if %odd {
          %s = cluster.all_reduce(%x) scope(cluster) kind(add) : f32
          llvm.store %s, %p : f32, !llvm.ptr<1>
        }
        // CHECK: scf.yield %[[G]] : i32
      }
      %k1 = arith.addi %k, %c1 : i32
      // CHECK: scf.yield %{{.*}}, %[[F]] : i32, i32
      scf.yield %k1 : i32
    }
    gpu.return
  }

  // One block exchanges with nobody.
  // CHECK-LABEL: gpu.func @one
  gpu.func @one(%x: f32, %p: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 1, 1, 1>} {
    // CHECK-NOT: cluster.
    // CHECK: gpu.return
    %s = cluster.all_reduce(%x) scope(cluster) algorithm(mailbox) kind(add) : f32
    llvm.store %s, %p : f32, !llvm.ptr<1>
    gpu.return
  }
}
