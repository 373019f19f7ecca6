// The scaled 2-norm: the largest magnitude is a reference that is divided by, so
// the correction is (old / new)^2.
// RUN: cascade-opt %s --cascade-fuse --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @nrm2
// CHECK:       ^bb0(%[[X:.*]]: f32):
// CHECK:         %[[ABS:.*]] = math.absf %[[X]] : f32
// CHECK:         %[[A:.*]] = cascade.reduce max %[[ABS]] over (l) : f32
// CHECK:         %[[U:.*]] = arith.divf %[[X]], %[[A]] : f32
// CHECK:         %[[SQ:.*]] = arith.mulf %[[U]], %[[U]] : f32
// CHECK:         %[[S:.*]] = cascade.reduce add %[[SQ]] over (l) refs(%[[A]] as divisor : f32) correct {
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32, %[[OLD:.*]]: f32, %[[NEW:.*]]: f32):
// CHECK:           %[[RATIO:.*]] = arith.divf %[[OLD]], %[[NEW]] : f32
// CHECK:           %[[SCALE:.*]] = arith.mulf %[[RATIO]], %[[RATIO]] : f32
// CHECK:           %[[MOVED:.*]] = arith.mulf %[[ACC]], %[[SCALE]] : f32
// CHECK:           %[[KEPT:.*]] = arith.select %{{.*}}, %[[ACC]], %[[MOVED]] : f32
// CHECK:           %[[FIXED:.*]] = arith.select %{{.*}}, %[[ACC]], %[[KEPT]] : f32
// CHECK-NEXT:      cascade.yield %[[FIXED]] : f32
// CHECK:         %[[ROOT:.*]] = math.sqrt %[[S]] : f32
// CHECK:         %[[NORM:.*]] = arith.mulf %[[A]], %[[ROOT]] : f32
// CHECK:         cascade.yield %[[NORM]] replay %{{.*}} : f32
// CHECK-NEXT:  } source {
// CHECK:         cascade.reduce add %{{.*}} over (l) : f32
func.func @nrm2(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %abs = math.absf %e : f32
    %a = cascade.reduce max %abs over (l) : f32
    %u = arith.divf %e, %a : f32
    %sq = arith.mulf %u, %u : f32
    %s = cascade.reduce add %sq over (l) : f32
    %root = math.sqrt %s : f32
    %norm = arith.mulf %a, %root : f32
    cascade.yield %norm : f32
  }
  return %y : tensor<?xf32>
}
