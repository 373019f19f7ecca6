// Cosine similarity: the norms are deferred, nothing is a reference.
// RUN: cascade-opt %s --cascade-fuse --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @cosine
// CHECK:       ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK-DAG:     %[[AA:.*]] = arith.mulf %[[A]], %[[A]] : f32
// CHECK-DAG:     %[[BB:.*]] = arith.mulf %[[B]], %[[B]] : f32
// CHECK-DAG:     %[[NA:.*]] = cascade.reduce add %[[AA]] over (l) : f32
// CHECK-DAG:     %[[NB:.*]] = cascade.reduce add %[[BB]] over (l) : f32
// CHECK-DAG:     %[[RA:.*]] = math.sqrt %[[NA]] : f32
// CHECK-DAG:     %[[RB:.*]] = math.sqrt %[[NB]] : f32
// CHECK-DAG:     %[[N:.*]] = arith.mulf %[[RA]], %[[RB]] : f32
// CHECK:         %[[AB:.*]] = arith.mulf %[[A]], %[[B]] : f32
// CHECK-NEXT:    %[[DOT:.*]] = cascade.reduce add %[[AB]] over (l) : f32
// CHECK-NOT:     refs(
// CHECK:         %[[COS:.*]] = arith.divf %[[DOT]], %[[N]] : f32
// CHECK:         cascade.yield %[[COS]] replay %{{.*}} : f32
// CHECK-NEXT:  } source {
// CHECK:         %[[TERM:.*]] = arith.divf
// CHECK:         cascade.reduce add %[[TERM]] over (l) : f32
func.func @cosine(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
  %r = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %y[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %aa = arith.mulf %a, %a : f32
    %bb = arith.mulf %b, %b : f32
    %na = cascade.reduce add %aa over (l) : f32
    %nb = cascade.reduce add %bb over (l) : f32
    %ra = math.sqrt %na : f32
    %rb = math.sqrt %nb : f32
    %n = arith.mulf %ra, %rb : f32
    %ab = arith.mulf %a, %b : f32
    %c = arith.divf %ab, %n : f32
    %s = cascade.reduce add %c over (l) : f32
    cascade.yield %s : f32
  }
  return %r : tensor<?xf32>
}
