// The exchanges of a fused decode block (QKV projection, attention, output
// projection) of one head in a cluster, in two dataflows: docs/TrafficModel.md.
// Llama-2-7B: head dimension H = 128, hidden size D = 4096; N = 4 blocks of 128
// threads, h = H / N = 32; a cache of L = 4096 tokens; f32, one value a thread
// and group.
// RUN: cascade-opt %s --cluster-traffic=json=- -o /dev/null \
// RUN:   | tr '{' '\n' | FileCheck %s

// Split over tokens: three all-gathers of h values, 3 h 4 (N - 1) N = 4608 bytes.
// CHECK-COUNT-3: "algorithm":"mailbox","bytes":1536,
// The all-reduces of the maximum and the sum, 4 (N - 1) N by mailbox, and of the
// output, H 4 (N - 1) N by mailbox and H 4 log2(N) N by tree.
// CHECK: "algorithm":"mailbox","bytes":48,
// CHECK: "algorithm":"mailbox","bytes":48,
// CHECK: "algorithm":"mailbox","bytes":6144,
// CHECK: "algorithm":"tree","bytes":4096,
// CHECK: "name":"split_tokens"
// CHECK: "bytes":10848,"cycles":[[#TOKENS:]],

// Split over the head dimension: an all-reduce of the L partial scores, L 4 (N -
// 1) N by mailbox and L 4 log2(N) N by tree, and the reduction of D partial
// outputs, D 4 (N - 1).
// CHECK: "algorithm":"mailbox","bytes":196608,
// CHECK: "algorithm":"tree","bytes":131072,
// CHECK: "kind":"all_reduce"
// CHECK: "algorithm":"mailbox","bytes":49152,
// CHECK: "kind":"reduce"
// CHECK: "name":"split_heads"

gpu.module @decode {
  // A block projects its h columns of Q, K and V, which all blocks need, attends
  // over L / N tokens, and combines its state with those of the others.
  gpu.func @split_tokens(%q: f32, %k: f32, %v: f32, %m: f32, %t: f32, %o: f32) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    %qs = cluster.all_gather(%q) scope(cluster) lanes(1) : (f32) -> vector<4xf32>
    %ks = cluster.all_gather(%k) scope(cluster) lanes(1) : (f32) -> vector<4xf32>
    %vs = cluster.all_gather(%v) scope(cluster) lanes(1) : (f32) -> vector<4xf32>
    %mm = cluster.all_reduce(%m) scope(cluster) kind(max) : f32
    %tt = cluster.all_reduce(%t) scope(cluster) kind(add) : f32
    %oo = cluster.all_reduce(%o) scope(cluster) lanes(1) warps(1) kind(add) : f32
    gpu.return
  }

  // A block has h columns of Q, K, V and of the output: its scores and its part
  // of the output projection are partial sums. 32 values a thread.
  gpu.func @split_heads(%s: f32, %p: f32) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    %0:32 = cluster.all_reduce(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s) scope(cluster) lanes(1) warps(1)
        kind(add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add)
        : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
    %1:32 = cluster.reduce(%p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p, %p) scope(cluster) lanes(1) warps(1) root(0)
        kind(add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add, add)
        : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
    gpu.return
  }
}
