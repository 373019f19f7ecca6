// Reductions that do not depend on each other keep their body; a lone reduction
// is its own fused form; a fused chain is left alone.
// RUN: cascade-opt %s --cascade-fuse | FileCheck %s
// RUN: cascade-opt %s --cascade-fuse -o %t.once
// RUN: cascade-opt %s --cascade-fuse --cascade-fuse -o %t.twice
// RUN: diff %t.once %t.twice

// CHECK-LABEL: func.func @sum
// CHECK:         cascade.reduce add %{{.*}} over (l) : f32
// CHECK-NEXT:    cascade.yield %{{.*}} : f32
// CHECK-NOT:     source
func.func @sum(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<?xf32>
}

// CHECK-LABEL: func.func @independent
// CHECK:         cascade.reduce max %{{.*}} over (l) : f32
// CHECK:         cascade.reduce min %{{.*}} over (l) : f32
// CHECK-NOT:     refs(
// CHECK-NOT:     replay
// CHECK:         return
func.func @independent(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %y, %z = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>, [i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %hi = cascade.reduce max %e over (l) : f32
    %lo = cascade.reduce min %e over (l) : f32
    cascade.yield %hi, %lo : f32, f32
  }
  return %y, %z : tensor<?xf32>, tensor<?xf32>
}

// No reduction at all.
// CHECK-LABEL: func.func @pointwise
// CHECK:         arith.mulf
// CHECK-NOT:     source
// CHECK:         return
func.func @pointwise(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (l) ins(%x[l] : tensor<?xf32>) outs([l] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %s = arith.mulf %e, %e : f32
    cascade.yield %s : f32
  }
  return %y : tensor<?xf32>
}

// The reduction over j uses those over i, but not over the same axis: two groups,
// one pass each.
// CHECK-LABEL: func.func @two_groups
// CHECK-DAG:     cascade.reduce add %{{.*}} over (i) : f32
// CHECK-DAG:     cascade.reduce max %{{.*}} over (j) : f32
// CHECK-NOT:     refs(
// CHECK:         return
func.func @two_groups(%x: tensor<?x?xf32>) -> tensor<f32> {
  %y = cascade.chain (i, j)
      ins(%x[i, j] : tensor<?x?xf32>) outs([] : tensor<f32>) {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (i) : f32
    %m = cascade.reduce max %s over (j) : f32
    cascade.yield %m : f32
  }
  return %y : tensor<f32>
}
