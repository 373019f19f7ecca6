// RUN: cascade-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(gpu.func(cluster-insert-barriers)))' | FileCheck %s

#wg = #gpu.address_space<workgroup>
gpu.module @k {
  // CHECK-LABEL: gpu.func @write_read
  gpu.func @write_read(%x: f32, %p: !llvm.ptr<1>) workgroup(%m: memref<64xf32, #wg>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c63 = arith.constant 63 : index
    %t = gpu.thread_id x
    %o = arith.subi %c63, %t : index
    // CHECK: memref.store
    // CHECK-NEXT: gpu.barrier
    // CHECK-NEXT: memref.load
    memref.store %x, %m[%t] : memref<64xf32, #wg>
    %v = memref.load %m[%o] : memref<64xf32, #wg>
    llvm.store %v, %p : f32, !llvm.ptr<1>
    gpu.return
  }

  // A thread reads what it wrote.
  // CHECK-LABEL: gpu.func @own_noop
  gpu.func @own_noop(%x: f32, %p: !llvm.ptr<1>) workgroup(%m: memref<64xf32, #wg>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    // CHECK-NOT: gpu.barrier
    // CHECK: gpu.return
    %t = gpu.thread_id x
    memref.store %x, %m[%t] : memref<64xf32, #wg>
    %v = memref.load %m[%t] : memref<64xf32, #wg>
    llvm.store %v, %p : f32, !llvm.ptr<1>
    gpu.return
  }

  // Two buffers; a barrier that stands already.
  // CHECK-LABEL: gpu.func @other_noop
  gpu.func @other_noop(%x: f32, %p: !llvm.ptr<1>)
      workgroup(%m: memref<64xf32, #wg>, %n: memref<64xf32, #wg>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    // CHECK-COUNT-1: gpu.barrier
    // CHECK-NOT: gpu.barrier
    // CHECK: gpu.return
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    memref.store %x, %m[%t] : memref<64xf32, #wg>
    %v = memref.load %n[%c0] : memref<64xf32, #wg>
    gpu.barrier
    %w = memref.load %m[%c0] : memref<64xf32, #wg>
    llvm.store %w, %p : f32, !llvm.ptr<1>
    gpu.return
  }

  // Around a loop: the next write waits for the reads.
  // CHECK-LABEL: gpu.func @loop
  gpu.func @loop(%x: f32, %n: i32, %p: !llvm.ptr<1>) workgroup(%m: memref<64xf32, #wg>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0i = arith.constant 0 : i32
    %c1i = arith.constant 1 : i32
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    // CHECK: scf.for
    // CHECK-NEXT: gpu.barrier
    // CHECK-NEXT: memref.store
    // CHECK-NEXT: gpu.barrier
    // CHECK-NEXT: memref.load
    scf.for %i = %c0i to %n step %c1i : i32 {
      memref.store %x, %m[%t] : memref<64xf32, #wg>
      %v = memref.load %m[%c0] : memref<64xf32, #wg>
      llvm.store %v, %p : f32, !llvm.ptr<1>
    }
    gpu.return
  }

  // One thread writes: the barriers stand outside of its branch.
  // What only reads in a loop waits once, before it.
  // CHECK-LABEL: gpu.func @read_loop
  gpu.func @read_loop(%x: f32, %n: index, %p: !llvm.ptr<1>) workgroup(%m: memref<64xf32, #wg>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    // CHECK: memref.store
    memref.store %x, %m[%t] : memref<64xf32, #wg>
    // CHECK-NEXT: gpu.barrier
    // CHECK-NEXT: scf.for
    %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (f32) {
      // CHECK-NOT: gpu.barrier
      %v = memref.load %m[%i] : memref<64xf32, #wg>
      %b = arith.addf %a, %v : f32
      scf.yield %b : f32
    }
    llvm.store %s, %p : f32, !llvm.ptr<1>
    // CHECK: gpu.return
    gpu.return
  }

  // CHECK-LABEL: gpu.func @branch
  gpu.func @branch(%x: f32, %p: !llvm.ptr<1>) workgroup(%m: memref<64xf32, #wg>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    %u = memref.load %m[%c0] : memref<64xf32, #wg>
    llvm.store %u, %p : f32, !llvm.ptr<1>
    // CHECK: gpu.barrier
    // CHECK-NEXT: scf.if
    // CHECK-NEXT: memref.store
    // CHECK-NEXT: }
    // CHECK-NEXT: gpu.barrier
    // CHECK-NEXT: memref.load
    scf.if %first {
      memref.store %x, %m[%c0] : memref<64xf32, #wg>
    }
    %v = memref.load %m[%c0] : memref<64xf32, #wg>
    llvm.store %v, %p : f32, !llvm.ptr<1>
    gpu.return
  }

  // A peer's memory: cluster barriers, one before the block leaves.
  // CHECK-LABEL: gpu.func @remote
  gpu.func @remote(%x: f32, %p: !llvm.ptr<1>) workgroup(%m: memref<64xf32, #wg>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    %c1 = arith.constant 1 : i32
    %t = gpu.thread_id x
    %r = cluster.rank : i32
    %o = arith.xori %r, %c1 : i32
    // CHECK: memref.store
    // CHECK: cluster.map_shared
    // CHECK-NEXT: cluster.barrier
    // CHECK-NEXT: memref.load
    // CHECK: cluster.barrier
    // CHECK-NEXT: gpu.return
    memref.store %x, %m[%t] : memref<64xf32, #wg>
    %peer = cluster.map_shared %m, %o : memref<64xf32, #wg> to memref<64xf32, 7 : i32>
    %v = memref.load %peer[%t] : memref<64xf32, 7 : i32>
    llvm.store %v, %p : f32, !llvm.ptr<1>
    gpu.return
  }

  // A relaxed arrival publishes nothing.
  // CHECK-LABEL: gpu.func @relaxed
  gpu.func @relaxed(%x: f32, %p: !llvm.ptr<1>) workgroup(%m: memref<64xf32, #wg>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    memref.store %x, %m[%t] : memref<64xf32, #wg>
    // CHECK: cluster.barrier arrive relaxed
    // CHECK-NEXT: cluster.barrier wait
    // CHECK-NEXT: gpu.barrier
    cluster.barrier arrive relaxed
    cluster.barrier wait
    %v = memref.load %m[%c0] : memref<64xf32, #wg>
    llvm.store %v, %p : f32, !llvm.ptr<1>
    gpu.return
  }
}

// -----

#wg = #gpu.address_space<workgroup>
gpu.module @k {
  gpu.func @divergent(%x: f32, %p: !llvm.ptr<1>) workgroup(%m: memref<64xf32, #wg>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %low = arith.cmpi ult, %t, %c32 : index
    // expected-note @below {{the branch is here}}
    scf.if %low {
      // expected-note @below {{the other access is here}}
      memref.store %x, %m[%t] : memref<64xf32, #wg>
      // expected-error @below {{may touch shared memory that another thread touches in the same branch}}
      %v = memref.load %m[%c0] : memref<64xf32, #wg>
      llvm.store %v, %p : f32, !llvm.ptr<1>
    }
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @barrier(%x: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %low = arith.cmpi ult, %t, %c32 : index
    // expected-note @below {{the branch is here}}
    scf.if %low {
      // expected-error @below {{stands in a branch that not all threads take}}
      gpu.barrier
    }
    gpu.return
  }
}
