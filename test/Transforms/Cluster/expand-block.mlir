// RUN: cascade-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(cluster-expand-collectives,cluster-insert-barriers),canonicalize,cse))' | FileCheck %s

gpu.module @k {
  // CHECK-LABEL: gpu.func @noop
  gpu.func @noop(%x: f32, %p: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    // CHECK-NEXT: llvm.store
    // CHECK-NEXT: gpu.return
    llvm.store %x, %p : f32, !llvm.ptr<1>
    gpu.return
  }

  // One buffer with a tuple a warp, one barrier between the store and the load.
  // CHECK-LABEL: gpu.func @all
  // CHECK-SAME: workgroup(%[[B:.*]] : memref<8xi32, #gpu.address_space<workgroup>>)
  gpu.func @all(%x: f32, %p: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    // CHECK-COUNT-5: gpu.shuffle xor
    // CHECK-NOT: gpu.barrier
    // CHECK: scf.if
    // CHECK: memref.store %{{.*}}, %[[B]]
    // CHECK: gpu.barrier
    // CHECK-NOT: gpu.shuffle
    // CHECK-COUNT-8: memref.load %[[B]]
    // CHECK-COUNT-7: arith.addf
    // CHECK-NOT: gpu.barrier
    // CHECK: gpu.return
    %0 = cluster.all_reduce(%x) scope(block) kind(add) : f32
    llvm.store %0, %p : f32, !llvm.ptr<1>
    gpu.return
  }

  // Three warps: every thread reads all three, in order.
  // CHECK-LABEL: gpu.func @three
  gpu.func @three(%x: f32, %p: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    // CHECK: gpu.barrier
    // CHECK-NOT: gpu.shuffle
    // CHECK-COUNT-3: memref.load
    // CHECK-COUNT-2: arith.addf
    // CHECK: llvm.store
    %0 = cluster.all_reduce(%x) scope(block) kind(add) : f32
    llvm.store %0, %p : f32, !llvm.ptr<1>
    gpu.return
  }

  // Six warps, more words than every thread reads: lanes 6 and 7 hold nothing.
  // CHECK-LABEL: gpu.func @six
  gpu.func @six(%x: vector<3xf32>, %p: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 192, 1, 1>} {
    // CHECK: gpu.barrier
    // CHECK: memref.load
    // CHECK: gpu.shuffle xor %{{.*}}, %c1_i32
    // CHECK: gpu.shuffle xor %{{.*}}, %c2_i32
    // CHECK: arith.cmpi ult, %{{.*}}, %c6_i32
    // CHECK: arith.select
    // CHECK: gpu.shuffle xor %{{.*}}, %c4_i32
    %0 = cluster.all_reduce(%x) scope(block) kind(add) : vector<3xf32>
    llvm.store %0, %p : vector<3xf32>, !llvm.ptr<1>
    gpu.return
  }

  // Eight lanes by two warps: four lane groups a warp, tuples of 16 bytes.
  // CHECK-LABEL: gpu.func @groups
  // CHECK-SAME: memref<32xvector<4xi32>, #gpu.address_space<workgroup>>
  gpu.func @groups(%x: f32, %d: f64, %p: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    %0:2 = cluster.all_reduce(%x, %d) scope(block) lanes(8) warps(2) kind(max, add) : f32, f64
    llvm.store %0#0, %p : f32, !llvm.ptr<1>
    llvm.store %0#1, %p : f64, !llvm.ptr<1>
    gpu.return
  }

  // Two collectives have two buffers: still one barrier each.
  // CHECK-LABEL: gpu.func @twice
  gpu.func @twice(%x: f32, %p: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    // CHECK-COUNT-2: gpu.barrier
    // CHECK-NOT: gpu.barrier
    %0 = cluster.all_reduce(%x) scope(block) kind(max) : f32
    %1 = arith.subf %x, %0 : f32
    %2 = cluster.all_reduce(%1) scope(block) kind(add) : f32
    llvm.store %2, %p : f32, !llvm.ptr<1>
    gpu.return
  }

  // The lanes of a warp, and then the warps, are combined by the lanewise
  // region, of as many lanes as there are states: no merge of pairs remains.
  // CHECK-LABEL: gpu.func @lanewise
  gpu.func @lanewise(%m: f32, %t: f32, %p: !llvm.ptr<1>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    // CHECK-COUNT-5: gpu.shuffle xor
    // CHECK: math.exp
    // CHECK-COUNT-5: gpu.shuffle xor
    // CHECK: gpu.barrier
    // CHECK: gpu.shuffle xor %{{.*}}, %c1_i32
    // CHECK: gpu.shuffle xor %{{.*}}, %c2_i32
    // CHECK: gpu.shuffle xor %{{.*}}, %c4_i32
    // CHECK: math.exp
    // CHECK-COUNT-3: gpu.shuffle xor
    // CHECK-NOT: gpu.shuffle
    // CHECK-NOT: math.exp
    // CHECK: llvm.store
    %r:2 = cluster.all_reduce(%m, %t) scope(block) : f32, f32 {
    ^bb0(%ma: f32, %ta: f32, %mb: f32, %tb: f32):
      %mm = arith.maximumf %ma, %mb : f32
      %da = arith.subf %ma, %mm : f32
      %db = arith.subf %mb, %mm : f32
      %ea = math.exp %da : f32
      %eb = math.exp %db : f32
      %sa = arith.mulf %ta, %ea : f32
      %sb = arith.mulf %tb, %eb : f32
      %s = arith.addf %sa, %sb : f32
      cluster.yield %mm, %s : f32, f32
    } lanewise {
    ^bb0(%ml: f32, %tl: f32):
      %mm = cluster.all_reduce(%ml) scope(warp) kind(max) : f32
      %d = arith.subf %ml, %mm : f32
      %e = math.exp %d : f32
      %c = arith.mulf %tl, %e : f32
      %s = cluster.all_reduce(%c) scope(warp) kind(add) : f32
      cluster.yield %mm, %s : f32, f32
    }
    llvm.store %r#1, %p : f32, !llvm.ptr<1>
    gpu.return
  }
}
