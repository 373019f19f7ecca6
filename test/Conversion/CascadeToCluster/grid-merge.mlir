// A row that two clusters share: each leaves its state in the workspace, the
// last to arrive merges both, in the order of the grid, and goes on alone.
// RUN: cascade-opt %s --cascade-fuse --convert-cascade-to-cluster --canonicalize --cse --split-input-file | FileCheck %s

// The first 16 bytes of a slot are for the counter. The state has two words,
// and one thread of the cluster stores them.
// CHECK-LABEL: gpu.func @logsumexp
// CHECK-SAME:  %[[WORKSPACE:[a-z0-9]+]]: !llvm.ptr<1>) kernel attributes {
// CHECK-SAME:  cluster.workspace_bytes = array<i64: 32>
// CHECK-SAME:  known_cluster_size = array<i32: 4, 1, 1>
// CHECK:         cluster.rank
// CHECK:         cluster.all_reduce
// CHECK-SAME:    scope(cluster)
// CHECK:         scf.if
// CHECK:           scf.if
// CHECK:             llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xi32>, !llvm.ptr<1>
// CHECK:           }
// CHECK:           %[[COUNT:.*]] = cluster.arrive_last %{{.*}} count %c2_i32 : !llvm.ptr<1>
// CHECK-NEXT:      scf.if %[[COUNT]] {
// CHECK-COUNT-2:     llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xi32>
// CHECK:             math.log
// The replay is of the whole row, by this block alone.
// CHECK:             scf.if
// CHECK-NOT:           scope(cluster)
// CHECK:         gpu.return
func.func @logsumexp(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l) ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: grid(2) x cluster(4) x loop x warp(2) x lane(32) x vector(4), merge = [l: last]>} {
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

// -----

// Two rows a block: they arrive together.
// CHECK-LABEL: gpu.func @rows_of_block
// CHECK-SAME:  cluster.workspace_bytes = array<i64: 32>
// CHECK:         cluster.arrive_last %{{.*}} count %c3_i32
// CHECK-NOT:     cluster.arrive_last
func.func @rows_of_block(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l) ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>)
      attributes {mapping = #cascade.mapping<i: grid x warp(2), l: grid(3) x loop x warp(2) x lane(32) x vector(4), merge = [l: last]>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<?xf32>
}

// -----

// The list of a topk: all lanes of a warp leave their entries.
// CHECK-LABEL: gpu.func @topk
// CHECK-SAME:  cluster.workspace_bytes = array<i64: 272>
// CHECK:         cluster.arrive_last %{{.*}} count %c2_i32
// CHECK:         scf.for
// CHECK:           llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xi32>
func.func @topk(%x: tensor<4x?xf32>) -> (tensor<4x8xf32>, tensor<4x8xi32>) {
  %v, %p = cascade.chain (i, l, k) ins(%x[i, l] : tensor<4x?xf32>)
      outs([i, k] : tensor<4x8xf32>, [i, k] : tensor<4x8xi32>)
      attributes {mapping = #cascade.mapping<i: grid, l: grid(2) x loop x warp(2) x lane(32) x vector(4), k: reg(8), merge = [l: last]>} {
  ^bb0(%e: f32):
    %j = cascade.index l : i32
    %tv, %ti = cascade.reduce topk %e, %j over (l) into (k) : f32, i32
    cascade.yield %tv, %ti : f32, i32
  }
  return %v, %p : tensor<4x8xf32>, tensor<4x8xi32>
}
