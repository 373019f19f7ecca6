// RUN: cascade-opt %s --verify-roundtrip | FileCheck %s

#wg = #gpu.address_space<workgroup>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @primitives
  gpu.func @primitives(%v: f32, %h: f16, %w: vector<4xi32>)
      workgroup(%m: memref<8xf32, #wg>, %q: memref<8xvector<4xi32>, #wg>,
                %b: memref<2xi64, #wg>, %src: memref<64xf32, #wg>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %i0 = arith.constant 0 : i32
    %i1 = arith.constant 1 : i32
    %i64 = arith.constant 64 : i32
    // CHECK: cluster.rank : i32
    %r = cluster.rank : i32
    // CHECK: cluster.size : i32
    %s = cluster.size : i32
    %true = arith.constant true
    // CHECK: cluster.any %{{.*}}
    %some = cluster.any %true
    // CHECK: cluster.ballot %{{.*}}
    %lanes = cluster.ballot %true
    %pair = vector.from_elements %h, %h : vector<2xf16>
    // CHECK: cluster.mma[%[[P:[^,]*]], %[[P]], %[[P]], %[[P]]] [%[[P]], %[[P]]] [%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] : vector<2xf16>
    %sums:4 = cluster.mma [%pair, %pair, %pair, %pair] [%pair, %pair] [%v, %v, %v, %v] : vector<2xf16>
    // CHECK: cluster.transpose %{{.*}} : vector<2xf16>
    %turned = cluster.transpose %pair : vector<2xf16>
    // CHECK: cluster.mbarrier.init %{{.*}}[%{{.*}}], %{{.*}} : memref<2xi64, #gpu.address_space<workgroup>>
    cluster.mbarrier.init %b[%c0], %i1 : memref<2xi64, #wg>
    // CHECK: cluster.fence mbarrier_init
    cluster.fence mbarrier_init
    // CHECK: cluster.barrier arrive relaxed
    cluster.barrier arrive relaxed
    // CHECK: cluster.barrier wait
    cluster.barrier wait
    // CHECK: cluster.barrier{{ *$}}
    cluster.barrier
    // CHECK: cluster.barrier arrive{{$}}
    cluster.barrier arrive
    cluster.barrier wait
    // CHECK: cluster.mbarrier.expect_tx %{{.*}}[%{{.*}}], %{{.*}}
    cluster.mbarrier.expect_tx %b[%c0], %i64 : memref<2xi64, #wg>
    // CHECK: cluster.store_async %{{.*}} to %{{.*}}[%{{.*}}] mbar %{{.*}}[%{{.*}}] rank %{{.*}} : memref<8xf32, #gpu.address_space<workgroup>>, memref<2xi64, #gpu.address_space<workgroup>>
    cluster.store_async %v to %m[%c0] mbar %b[%c0] rank %r : memref<8xf32, #wg>, memref<2xi64, #wg>
    cluster.store_async %w to %q[%c0] mbar %b[%c0] rank %r : memref<8xvector<4xi32>, #wg>, memref<2xi64, #wg>
    // CHECK: cluster.fence proxy_async_shared
    cluster.fence proxy_async_shared
    // CHECK: cluster.copy_async %{{.*}}[%{{.*}}] to %{{.*}}[%{{.*}}] mbar %{{.*}}[%{{.*}}] rank %{{.*}} bytes %{{.*}}
    cluster.copy_async %src[%c0] to %src[%c0] mbar %b[%c0] rank %r bytes %i64
        : memref<64xf32, #wg>, memref<64xf32, #wg>, memref<2xi64, #wg>
    // CHECK: cluster.load_async %{{.*}} to %{{.*}}[%{{.*}}] mbar %{{.*}}[%{{.*}}] bytes %{{.*}} : !llvm.ptr<1>, memref<64xf32, #gpu.address_space<workgroup>>, memref<2xi64, #gpu.address_space<workgroup>>
    %global = llvm.mlir.zero : !llvm.ptr<1>
    cluster.load_async %global to %src[%c0] mbar %b[%c0] bytes %i64
        : !llvm.ptr<1>, memref<64xf32, #wg>, memref<2xi64, #wg>
    // CHECK: cluster.arrive_last %{{.*}} count %{{.*}} : !llvm.ptr<1>
    %last = cluster.arrive_last %global count %i64 : !llvm.ptr<1>
    // CHECK: cluster.warp_barrier
    cluster.warp_barrier
    // CHECK: cluster.mbarrier.wait %{{.*}}[%{{.*}}], %{{.*}}
    cluster.mbarrier.wait %b[%c0], %i0 : memref<2xi64, #wg>
    // CHECK: cluster.map_shared %{{.*}}, %{{.*}} : memref<8xf32, #gpu.address_space<workgroup>> to memref<8xf32, 7 : i32>
    %p = cluster.map_shared %m, %r : memref<8xf32, #wg> to memref<8xf32, 7 : i32>
    %x = memref.load %p[%c0] : memref<8xf32, 7 : i32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @collectives
  gpu.func @collectives(%x: f32, %h: bf16, %i: i32, %v: vector<16xf32>, %ws: memref<?xi32>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>,
                  known_cluster_size = array<i32: 8, 1, 1>} {
    // CHECK: cluster.all_reduce(%{{.*}}) scope(block) kind(add) : f32
    %0 = cluster.all_reduce(%x) scope(block) kind(add) : f32
    // CHECK: cluster.all_reduce(%{{.*}}, %{{.*}}) scope(warp) lanes(8) kind(maxnum, minui) : bf16, i32
    %1:2 = cluster.all_reduce(%h, %i) scope(warp) lanes(8) kind(maxnum, minui) : bf16, i32
    // CHECK: cluster.all_reduce(%{{.*}}) scope(block) lanes(4, stride 8) warps(2) kind(add) : f32
    %s0 = cluster.all_reduce(%x) scope(block) lanes(4, stride 8) warps(2) kind(add) : f32
    // CHECK: cluster.all_reduce(%{{.*}}) scope(warp) lanes(4) kind(add) : f32
    %s1 = cluster.all_reduce(%x) scope(warp) lanes(4, stride 1) kind(add) : f32
    // CHECK: cluster.all_reduce(%{{.*}}, %{{.*}}) scope(cluster) algorithm(tree) warps(2) : f32, f32 {
    // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32, %{{.*}}: f32):
    // CHECK: cluster.yield %[[A]], %{{.*}} : f32, f32
    %2:2 = cluster.all_reduce(%x, %x) scope(cluster) algorithm(tree) warps(2) : f32, f32 {
    ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
      %t = arith.addf %b, %d : f32
      cluster.yield %a, %t : f32, f32
    }
    // CHECK: cluster.reduce(%{{.*}}) scope(cluster) root(3) kind(add) : f32
    %3 = cluster.reduce(%x) scope(cluster) root(3) kind(add) : f32
    // CHECK: cluster.reduce(%{{.*}}) scope(cluster) scatter kind(max) : (vector<16xf32>) -> vector<2xf32>
    %4 = cluster.reduce(%v) scope(cluster) scatter kind(max) : (vector<16xf32>) -> vector<2xf32>
    // CHECK: cluster.reduce(%{{.*}}) scope(block) lanes(1) root(1) : vector<16xf32> {
    %40 = cluster.reduce(%v) scope(block) lanes(1) root(1) : vector<16xf32> {
    ^bb0(%a: vector<16xf32>, %b: vector<16xf32>):
      %t = arith.addf %a, %b : vector<16xf32>
      cluster.yield %t : vector<16xf32>
    }
    // CHECK: cluster.all_gather(%{{.*}}) scope(cluster) algorithm(ring) : (vector<16xf32>) -> vector<128xf32>
    %41 = cluster.all_gather(%v) scope(cluster) algorithm(ring) : (vector<16xf32>) -> vector<128xf32>
    // CHECK: cluster.all_gather(%{{.*}}) scope(cluster) : (f32) -> vector<8xf32>
    %5 = cluster.all_gather(%x) scope(cluster) : (f32) -> vector<8xf32>
    // CHECK: cluster.gather(%{{.*}}) scope(block) root(0) : (i32) -> vector<8xi32>
    %6 = cluster.gather(%i) scope(block) root(0) : (i32) -> vector<8xi32>
    // CHECK: cluster.gather(%{{.*}}) scope(cluster) lanes(1) warps(1) scatter : (i32) -> vector<8xi32>
    %61 = cluster.gather(%i) scope(cluster) lanes(1) warps(1) scatter : (i32) -> vector<8xi32>
    // CHECK: cluster.broadcast(%{{.*}}, %{{.*}}) scope(cluster) root(7) : f32, i32
    %7:2 = cluster.broadcast(%x, %i) scope(cluster) root(7) : f32, i32
    // CHECK: cluster.broadcast(%{{.*}}) scope(cluster) algorithm(global) workspace(%{{.*}} : memref<?xi32>) root(0) : f32
    %8 = cluster.broadcast(%x) scope(cluster) algorithm(global) workspace(%ws : memref<?xi32>) root(0) : f32
    // CHECK: cluster.all_reduce(%{{.*}}) scope(cluster) algorithm(global) workspace(%{{.*}} : memref<?xi32>) kind(add) : f32
    %9 = cluster.all_reduce(%x) scope(cluster) algorithm(global) workspace(%ws : memref<?xi32>) kind(add) : f32
    gpu.return
  }
}

gpu.module @slices {
  // CHECK-LABEL: gpu.func @slices
  gpu.func @slices() workgroup(%m: memref<64xf32, #wg>) kernel
      attributes {known_block_size = array<i32: 256, 1, 1>,
                  known_cluster_size = array<i32: 8, 1, 1>} {
    // CHECK: cluster.slice.all_reduce %[[M:.*]] kind(add) : memref<64xf32, #gpu.address_space<workgroup>>
    cluster.slice.all_reduce %m kind(add) : memref<64xf32, #wg>
    // CHECK: cluster.slice.all_reduce %[[M]] algorithm(ring) : memref<64xf32, #gpu.address_space<workgroup>> {
    cluster.slice.all_reduce %m algorithm(ring) : memref<64xf32, #wg> {
    ^bb0(%a: f32, %b: f32):
      cluster.yield %b : f32
    }
    // CHECK: cluster.slice.reduce %[[M]] root(3) kind(max) : memref
    cluster.slice.reduce %m root(3) kind(max) : memref<64xf32, #wg>
    // CHECK: cluster.slice.reduce %[[M]] scatter kind(max) : memref
    cluster.slice.reduce %m scatter kind(max) : memref<64xf32, #wg>
    // CHECK: cluster.slice.all_gather %[[M]] : memref
    cluster.slice.all_gather %m : memref<64xf32, #wg>
    // CHECK: cluster.slice.gather %[[M]] root(1) : memref
    cluster.slice.gather %m root(1) : memref<64xf32, #wg>
    // CHECK: cluster.slice.broadcast %[[M]] algorithm(tree) root(7) : memref
    cluster.slice.broadcast %m algorithm(tree) root(7) : memref<64xf32, #wg>
    gpu.return
  }
}

// CHECK-LABEL: gpu.func @lanewise
// CHECK:         cluster.all_reduce(%{{.*}}, %{{.*}}) scope(block) : f32, f32 {
// CHECK:         } lanewise {
// CHECK-NEXT:    ^bb0(%[[M:.*]]: f32, %[[T:.*]]: f32):
// CHECK-NEXT:      %[[MM:.*]] = cluster.all_reduce(%[[M]]) scope(warp) kind(max) : f32
gpu.module @lanewise_module {
  gpu.func @lanewise(%m: f32, %t: f32) -> (f32, f32) {
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
    gpu.return %r#0, %r#1 : f32, f32
  }
}
