// RMSNorm then a matrix: the reciprocal root is deferred, and no inverse of it is
// ever taken.
// RUN: cascade-opt %s --cascade-fuse --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @rmsnorm_matrix
// CHECK:       ^bb0(%[[X:.*]]: f32, %[[W:.*]]: f32):
// CHECK:         %[[SQ:.*]] = arith.mulf %[[X]], %[[X]] : f32
// CHECK:         cascade.reduce add %[[SQ]] over (l) : f32
// CHECK:         %[[R:.*]] = math.rsqrt
// CHECK:         %[[XW:.*]] = arith.mulf %[[X]], %[[W]] : f32
// CHECK-NEXT:    %[[S:.*]] = cascade.reduce add %[[XW]] over (l) : f32
// CHECK-NOT:     refs(
// CHECK:         %[[Y:.*]] = arith.mulf %[[S]], %[[R]] : f32
// CHECK-NOT:     arith.divf

// The factor stays in 2^-64 .. 2^64, or the row is replayed.
// CHECK-DAG:     arith.cmpf ole, %{{.*}}, %{{.*}} : f32
// CHECK-DAG:     arith.cmpf oge, %{{.*}}, %{{.*}} : f32
// CHECK:         cascade.yield %[[Y]] replay %{{.*}} : f32
// CHECK-NEXT:  } source {
func.func @rmsnorm_matrix(%x: tensor<?x?xf32>, %w: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = cascade.chain (i, l, n)
      ins(%x[i, l] : tensor<?x?xf32>, %w[l, n] : tensor<?x4xf32>)
      outs([i, n] : tensor<?x4xf32>) {
  ^bb0(%e: f32, %we: f32):
    %sq = arith.mulf %e, %e : f32
    %sum = cascade.reduce add %sq over (l) : f32
    %n = cascade.extent l : i32
    %nf = arith.sitofp %n : i32 to f32
    %mean = arith.divf %sum, %nf : f32
    %eps = arith.constant 1.0e-5 : f32
    %ms = arith.addf %mean, %eps : f32
    %r = math.rsqrt %ms : f32
    %a = arith.mulf %e, %we : f32
    %b = arith.mulf %a, %r : f32
    %s = cascade.reduce add %b over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<?x4xf32>
}
