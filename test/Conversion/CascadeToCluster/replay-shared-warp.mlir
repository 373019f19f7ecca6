// Rows that share a warp are replayed together: the threads of all of them take
// part in its shuffles.
// RUN: cascade-opt %s --cascade-fuse --convert-cascade-to-cluster --canonicalize --cse | FileCheck %s

// CHECK:         gpu.func @logsumexp(
// CHECK:           cluster.all_reduce(%{{.*}}, %{{.*}}) scope(warp) lanes(16) : f32, f32 {
// CHECK:           } lanewise {
// CHECK:           %[[ANY:.*]] = cluster.any %
// CHECK-NEXT:      scf.if %[[ANY]] {
// CHECK:             cluster.all_reduce(%{{.*}}) scope(warp) lanes(16) kind(max) : f32
// CHECK:             cluster.all_reduce(%{{.*}}) scope(warp) lanes(16) kind(add) : f32
// CHECK:           } else {
func.func @logsumexp(%x: tensor<?x16xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x16xf32>) outs([i] : tensor<?xf32>)
      attributes {mapping = #cascade.mapping<i: grid x warp(2) x lane(2), l: lane(16)>} {
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
