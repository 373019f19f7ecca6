// RUN: cascade-opt %s --pass-pipeline='builtin.module(gpu.module(convert-cluster-to-nvvm,canonicalize,cse))' --split-input-file --verify-diagnostics | FileCheck %s

#wg = #gpu.address_space<workgroup>
gpu.module @k {
  // CHECK-LABEL: llvm.func @primitives
  // CHECK-SAME: nvvm.cluster_dim = array<i32: 4, 1, 1>
  // CHECK-SAME: nvvm.kernel
  // CHECK-SAME: nvvm.reqntid = array<i32: 128, 1, 1>
  gpu.func @primitives(%v: vector<4xi32>, %d: f64, %p: !llvm.ptr<1>)
      workgroup(%q: memref<8xvector<4xi32>, #wg>, %e: memref<8xf64, #wg>, %b: memref<1xi64, #wg>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %i64 = arith.constant 64 : i32
    // CHECK: nvvm.read.ptx.sreg.cluster.ctarank
    %r = cluster.rank : i32
    // CHECK: llvm.inline_asm has_side_effects {{.*}}"mbarrier.init.shared::cta.b64 [$0], $1;", "r,r,~{memory}"
    cluster.mbarrier.init %b[%c0], %i1 : memref<1xi64, #wg>
    // CHECK: "fence.mbarrier_init.release.cluster;", "~{memory}"
    cluster.fence mbarrier_init
    // CHECK: "barrier.cluster.arrive.relaxed;", "~{memory}"
    cluster.barrier arrive relaxed
    // CHECK: "barrier.cluster.wait.acquire;", "~{memory}"
    cluster.barrier wait
    // CHECK: "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;"
    cluster.mbarrier.expect_tx %b[%c0], %i64 : memref<1xi64, #wg>
    // CHECK: st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [dest], {$3, $4, $5, $6}, [mbar];{{.*}}"r,r,r,r,r,r,r,~{memory}"
    cluster.store_async %v to %q[%c0] mbar %b[%c0] rank %r : memref<8xvector<4xi32>, #wg>, memref<1xi64, #wg>
    // CHECK: st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [dest], $3, [mbar];{{.*}}"r,r,r,l,~{memory}"
    cluster.store_async %d to %e[%c0] mbar %b[%c0] rank %r : memref<8xf64, #wg>, memref<1xi64, #wg>
    // CHECK: fence.proxy.async.shared::cta;
    cluster.fence proxy_async_shared
    // CHECK: cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [dest], [$1], $4, [mbar];
    cluster.copy_async %e[%c0] to %e[%c0] mbar %b[%c0] rank %r bytes %i64 : memref<8xf64, #wg>, memref<8xf64, #wg>, memref<1xi64, #wg>
    // CHECK: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], $2, [$3];{{.*}}"r,l,r,r,~{memory}"
    cluster.load_async %p to %e[%c0] mbar %b[%c0] bytes %i64 : !llvm.ptr<1>, memref<8xf64, #wg>, memref<1xi64, #wg>
    // CHECK: llvm.inline_asm has_side_effects {{.*}}barrier.sync 0;{{.*}}@first atom.acq_rel.gpu.global.inc.u32 before, [$1], most;{{.*}}barrier.red.or.pred last, 0, last;{{.*}}"=r,l,r,~{memory}"
    %last = cluster.arrive_last %p count %i64 : !llvm.ptr<1>
    // CHECK: nvvm.bar.warp.sync
    cluster.warp_barrier
    // CHECK: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64
    cluster.mbarrier.wait %b[%c0], %i0 : memref<1xi64, #wg>
    // CHECK: nvvm.mapa %{{.*}}, %{{.*}} : !llvm.ptr<3> -> !llvm.ptr<7>
    %m = cluster.map_shared %e, %r : memref<8xf64, #wg> to memref<8xf64, 7 : i32>
    // CHECK: llvm.load %{{.*}} : !llvm.ptr<7> -> f64
    %x = memref.load %m[%c0] : memref<8xf64, 7 : i32>
    llvm.store %x, %p : f64, !llvm.ptr<1>
    // CHECK: barrier.cluster.arrive.release;
    // CHECK: barrier.cluster.wait.acquire;
    cluster.barrier
    gpu.return
  }

  // Argument attributes stay: they are what makes loads non-coherent.
  // CHECK-LABEL: llvm.func @arguments
  // CHECK-SAME: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}
  gpu.func @arguments(%p: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias, llvm.readonly}) kernel {
    gpu.return
  }
}

// -----

gpu.module @k {
  // CHECK-LABEL: llvm.func @votes
  gpu.func @votes(%condition: i1, %p: !llvm.ptr<1>) kernel {
    // CHECK: %[[ALL:.*]] = llvm.mlir.constant(-1 : i32)
    // CHECK: nvvm.vote.sync any %[[ALL]], %{{.*}} -> i1
    %some = cluster.any %condition
    // CHECK: nvvm.vote.sync ballot %[[ALL]], %{{.*}} -> i32
    %lanes = cluster.ballot %condition
    %none = arith.constant 0 : i32
    %chosen = arith.select %some, %lanes, %none : i32
    llvm.store %chosen, %p : i32, !llvm.ptr<1>
    gpu.return
  }
}

// -----

gpu.module @k {
  gpu.func @collective(%x: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    // expected-error @below {{is a collective: run --cluster-expand-collectives before --convert-cluster-to-nvvm}}
    %s = cluster.all_reduce(%x) scope(block) kind(add) : f32
    gpu.return
  }
}

// -----

gpu.module @k {
  // Several buffers of the dynamic shared memory share its one range.
  // CHECK: llvm.mlir.global external @__wg_two_dynamic_0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
  // CHECK-LABEL: llvm.func @two_dynamic
  // CHECK-SAME:    cluster.dynamic_bytes = 288 : i64
  // CHECK:         llvm.getelementptr {{.*}}[272]
  gpu.func @two_dynamic(%i: index, %x: f32)
      workgroup(%a: memref<65xf32, #gpu.address_space<workgroup>> {cluster.thread_private},
                %b: memref<4xf32, #gpu.address_space<workgroup>> {cluster.dynamic})
      kernel attributes {cluster.dynamic_bytes = 0, known_block_size = array<i32: 64, 1, 1>} {
    memref.store %x, %a[%i] : memref<65xf32, #gpu.address_space<workgroup>>
    memref.store %x, %b[%i] : memref<4xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

#wg = #gpu.address_space<workgroup>
gpu.module @k {
  gpu.func @load_of_shared(%p: !llvm.ptr<3>)
      workgroup(%e: memref<8xf64, #wg>, %b: memref<1xi64, #wg>) kernel {
    %c0 = arith.constant 0 : index
    %i64 = arith.constant 64 : i32
    // expected-error @below {{operand 'source' of type '!llvm.ptr<3>' must be in global memory: use !llvm.ptr<1>}}
    // expected-error @below {{failed to legalize operation 'cluster.load_async'}}
    cluster.load_async %p to %e[%c0] mbar %b[%c0] bytes %i64 : !llvm.ptr<3>, memref<8xf64, #wg>, memref<1xi64, #wg>
    gpu.return
  }
}
