// A fused chain: one pass with one correction a tile, a merge of states as the
// collective, and the source on the cold path.
// RUN: cascade-opt %s --cascade-fuse --convert-cascade-to-cluster --canonicalize --cse | FileCheck %s

// CHECK:         gpu.func @logsumexp(
// CHECK-DAG:       %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:       %[[NEGINF:.*]] = arith.constant 0xFF800000 : f32

// The step. Four elements: their maximum, one correction, four exponentials.
// CHECK:           scf.for {{.*}} iter_args(%[[M:.*]] = %[[NEGINF]], %[[T:.*]] = %[[ZERO]]) -> (f32, f32) : i32 {
// CHECK-COUNT-2:     llvm.load %{{.*}} -> vector<2xf32>
// CHECK-COUNT-4:     arith.maximumf
// CHECK:             math.exp
// CHECK:             arith.mulf %[[T]], %{{.*}} : f32
// CHECK-COUNT-4:     math.exp
// CHECK-NOT:         math.exp
// CHECK:             scf.yield %{{.*}}, %{{.*}} : f32, f32

// The merge of two states: both sides are corrected to the joint maximum.
// CHECK:           %[[S:.*]]:2 = cluster.all_reduce(%{{.*}}, %{{.*}}) scope(block) warps(2) : f32, f32 {
// CHECK-NEXT:      ^bb0(%[[MA:.*]]: f32, %[[TA:.*]]: f32, %[[MB:.*]]: f32, %[[TB:.*]]: f32):
// CHECK:             %[[MM:.*]] = arith.maximumf %[[MA]], %[[MB]] : f32
// CHECK:             arith.mulf %[[TA]], %{{.*}} : f32
// CHECK:             arith.mulf %[[TB]], %{{.*}} : f32
// CHECK:             %[[TT:.*]] = arith.addf
// CHECK:             cluster.yield %[[MM]], %[[TT]] : f32, f32
// That of many lanes: their maximum, one correction, their sum.
// CHECK:           } lanewise {
// CHECK-NEXT:      ^bb0(%[[ML:.*]]: f32, %[[TL:.*]]: f32):
// CHECK:             %[[LM:.*]] = cluster.all_reduce(%[[ML]]) scope(warp) kind(max) : f32
// CHECK:             math.exp
// CHECK-NOT:         math.exp
// CHECK:             %[[LT:.*]] = cluster.all_reduce(%{{.*}}) scope(warp) kind(add) : f32
// CHECK:             cluster.yield %[[LM]], %[[LT]] : f32, f32

// The condition is that of the fused chain, and the same in all threads.
// CHECK:           %[[FINE:.*]] = arith.andi
// CHECK:           scf.if %[[FINE]] {
// CHECK:             math.log %[[S]]#1 : f32
// CHECK:           } else {

// Two passes of one element a thread.
// CHECK:             scf.for {{.*}} iter_args(%{{.*}} = %[[NEGINF]]) -> (f32) : i32 {
// CHECK:               llvm.load %{{.*}} -> f32
// CHECK:             %[[CM:.*]] = cluster.all_reduce(%{{.*}}) scope(block) warps(2) kind(max) : f32
// CHECK:             scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]]) -> (f32) : i32 {
// CHECK:               arith.subf %{{.*}}, %[[CM]] : f32
// CHECK:             %[[CT:.*]] = cluster.all_reduce(%{{.*}}) scope(block) warps(2) kind(add) : f32
// CHECK:             math.log %[[CT]] : f32
func.func @logsumexp(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x reg(2) x warp(2) x lane(32) x vector(2)>} {
  ^bb0(%e: f32):
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) : f32
    %g = math.log %t : f32
    %s = arith.addf %m, %g : f32
    cascade.yield %s : f32
  }
  return %y : tensor<?xf32>
}
