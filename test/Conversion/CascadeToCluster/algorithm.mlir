// How the blocks of a cluster exchange their states. By `global` the kernel has a
// workspace, whose size the expansion says.
// RUN: cascade-opt %s --convert-cascade-to-cluster=algorithm=tree | FileCheck %s --check-prefixes=CHECK,TREE
// RUN: cascade-opt %s --convert-cascade-to-cluster=algorithm=global | FileCheck %s --check-prefixes=CHECK,GLOBAL
// RUN: not cascade-opt %s --convert-cascade-to-cluster=algorithm=star 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: error: 'star' is not an algorithm; use auto, mailbox, tree, ring or global

// CHECK-LABEL: gpu.func @sum(
// TREE-NOT:        workspace
// GLOBAL:          cluster.workspace_bytes = array<i64>
// TREE:          cluster.all_reduce{{.*}} scope(cluster) algorithm(tree)
// GLOBAL:        cluster.all_reduce{{.*}} scope(cluster) algorithm(global)
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
