// Extents known at run time come as i32 arguments behind the buffers. Each of four
// blocks loops over its full tiles, then takes at most one that overhangs.
// RUN: cascade-opt %s --convert-cascade-to-cluster --canonicalize --cse | FileCheck %s

// CHECK:         gpu.func @sum(%[[X:.*]]: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %[[Y:.*]]: !llvm.ptr<1> {llvm.noalias}, %[[ROWS:.*]]: i32, %[[LENGTH:.*]]: i32, %{{.*}}: i32) kernel
// CHECK-SAME:        known_block_size = array<i32: 64, 1, 1>
// CHECK-SAME:        known_cluster_size = array<i32: 4, 1, 1>
// CHECK-DAG:       %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:       cluster.rank : i32
// CHECK:           %[[FULL:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[ZERO]]) -> (f32) : i32 {
// CHECK-COUNT-2:     llvm.load %{{.*}} invariant {alignment = 4 : i64} : !llvm.ptr<1> -> f32
// CHECK-NOT:         arith.select
// CHECK:             scf.yield
// CHECK:           %[[ALL:.*]] = scf.if %{{.*}} -> (f32) {

// Elements beyond the end are read from inside the row and contribute the
// identity.
// CHECK:             %[[IN:.*]] = arith.cmpi slt, %[[AT:.*]], %[[LENGTH]] : i32
// CHECK:             arith.minsi %[[AT]], %{{.*}} : i32
// CHECK:             arith.select %[[IN]], %{{.*}}, %[[ZERO]] : f32
// CHECK:             scf.yield
// CHECK:           } else {
// CHECK-NEXT:        scf.yield %[[FULL]] : f32
// CHECK:           cluster.all_reduce(%[[ALL]]) scope(cluster) warps(2) kind(add) : f32
func.func @sum(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: cluster(4) x loop x reg(2) x warp(2) x lane(32)>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<?xf32>
}
