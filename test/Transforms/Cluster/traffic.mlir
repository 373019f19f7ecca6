// What --cluster-traffic says of collectives, against docs/TrafficModel.md.
// RUN: cascade-opt %s --cluster-traffic=json=- -o /dev/null \
// RUN:   | tr '{' '\n' | FileCheck %s
// RUN: cascade-opt %s --cluster-traffic --remarks-filter-analyse=cluster-traffic \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: cascade-opt %s --cluster-traffic | FileCheck %s --check-prefix=SAME

// The IR stays as it is.
// SAME-COUNT-7: cluster.all_reduce
// SAME:         cluster.all_gather

// REMARK: remark: [Analysis] collective | Category:cluster-traffic | Function=two
// REMARK-SAME: all_reduce of 4 bytes a block over 2 blocks; mailbox (taken): 8 bytes in 2 messages and 1 round, 472 cycles; tree: 8 bytes in 2 messages and 1 round, 1062 cycles; ring:
// REMARK: remark: [Analysis] kernel | Category:cluster-traffic | Function=two
// REMARK-SAME: 1 collective, a cluster: 8 bytes in 2 messages and 1 round, 589 cycles

// An all-reduce of a word: what an exchange takes, measured, and within the block
// and for the combination what was fitted; one round of the tree has two barriers.
// CHECK: "algorithm":"mailbox","bytes":8,"cycles":472,"messages":2,"rounds":1,"slot_bytes":8}
// CHECK: "algorithm":"tree","bytes":8,"cycles":1062,"messages":2,"rounds":1,"slot_bytes":4}
// CHECK: "executions":1,"kind":"all_reduce",{{.*}}"payload_bytes":4,"taken":"mailbox","written":"auto"
// CHECK: "name":"two","target":"h200","threads":128
// CHECK: "algorithm":"mailbox","bytes":48,"cycles":498,"messages":12
// CHECK: "algorithm":"tree","bytes":32,"cycles":1325,"messages":8,"rounds":2
// CHECK: "name":"four"
// CHECK: "algorithm":"mailbox","bytes":224,"cycles":532,"messages":56
// CHECK: "algorithm":"tree","bytes":96,"cycles":1880,"messages":24,"rounds":3
// CHECK: "name":"eight"
// CHECK: "algorithm":"mailbox","bytes":960,"cycles":611,"messages":240
// CHECK: "algorithm":"tree","bytes":256,"cycles":2419,"messages":64,"rounds":4
// CHECK: "name":"sixteen"

gpu.module @sizes {
  gpu.func @two(%x: f32) kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    %0 = cluster.all_reduce(%x) scope(cluster) kind(add) : f32
    gpu.return
  }
  gpu.func @four(%x: f32) kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    %0 = cluster.all_reduce(%x) scope(cluster) kind(add) : f32
    gpu.return
  }
  gpu.func @eight(%x: f32) kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 8, 1, 1>} {
    %0 = cluster.all_reduce(%x) scope(cluster) kind(add) : f32
    gpu.return
  }
  gpu.func @sixteen(%x: f32) kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 16, 1, 1>} {
    %0 = cluster.all_reduce(%x) scope(cluster) kind(add) : f32
    gpu.return
  }
}

// Three blocks: one pair meets before the round of the two numbers that are
// left, (3 x 1 + 2 x 1) x 4 bytes. Larger blocks wait longer in barriers.
// CHECK: "algorithm":"mailbox","bytes":24,"cycles":593,
// CHECK: "algorithm":"tree","bytes":20,"cycles":1927,"messages":5,"rounds":2,
// CHECK: "algorithm":"ring","bytes":24,
// CHECK-SAME: "rounds":2,
// CHECK: "name":"three"
// 64 groups of a tuple of two words, in messages of eight bytes: 512 bytes a
// block. As written, it takes the tree.
// CHECK: "algorithm":"mailbox","bytes":6144,{{.*}},"messages":768,"rounds":1,"slot_bytes":2048}
// CHECK: "algorithm":"tree","bytes":4096,{{.*}},"messages":512,"rounds":2,"slot_bytes":1024}
// CHECK: "executions":8,{{.*}}"payload_bytes":512,"taken":"tree","written":"tree"
// CHECK: "executions":null
// CHECK: "algorithm":"mailbox","bytes":48,
// CHECK-NOT: "algorithm":"tree"
// CHECK: "kind":"all_gather"
// CHECK: "algorithm":"mailbox","bytes":12,"cycles":406,"messages":3,"rounds":1,"slot_bytes":4}
// CHECK: "algorithm":"tree","bytes":12,"cycles":686,"messages":3,"rounds":2,
// CHECK: "kind":"broadcast"
// CHECK: "algorithm":"mailbox","bytes":12,"cycles":406,"messages":3,
// CHECK: "kind":"gather"
// CHECK: "kind":"reduce"
// A slice of 16 of the 64 bytes goes to every other block.
// CHECK: "algorithm":"mailbox","bytes":192,{{.*}}"messages":12,
// CHECK: "kind":"reduce_scatter"
// The tree eight times, the others once: 8 * 4096 + 48 + 48 + 12 + 12 + 12 + 192.
// CHECK: "name":"kinds",
// CHECK: "bytes":33092,{{.*}}"messages":4141,"rounds":22,

gpu.module @shapes {
  gpu.func @three(%x: f32) kernel attributes {known_block_size = array<i32: 1024, 1, 1>, known_cluster_size = array<i32: 3, 1, 1>} {
    %0 = cluster.all_reduce(%x) scope(cluster) kind(add) : f32
    gpu.return
  }
  gpu.func @kinds(%x: f32, %v: vector<16xf32>, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    scf.for %j = %c0 to %c8 step %c1 {
      %0:2 = cluster.all_reduce(%x, %x) scope(cluster) algorithm(tree) lanes(1) warps(2) kind(add, max) : f32, f32
    }
    scf.for %j = %c0 to %n step %c1 {
      %1 = cluster.all_reduce(%x) scope(cluster) kind(add) : f32
    }
    %2 = cluster.all_gather(%x) scope(cluster) : (f32) -> vector<4xf32>
    %3 = cluster.broadcast(%x) scope(cluster) root(0) : f32
    %4 = cluster.gather(%x) scope(cluster) root(0) : (f32) -> vector<4xf32>
    %5 = cluster.reduce(%x) scope(cluster) root(0) kind(add) : f32
    %6 = cluster.reduce(%v) scope(cluster) scatter kind(add) : (vector<16xf32>) -> vector<4xf32>
    %7 = cluster.all_reduce(%x) scope(block) kind(add) : f32
    gpu.return
  }
}

// The latencies are those of the target.
// CHECK: "algorithm":"mailbox",{{.*}}"cycles":1221,
// CHECK: "name":"slow","target":"slow"
gpu.module @targets {
  gpu.func @slow(%x: f32) kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>,
      cluster.target = #cluster.target<name = "slow", base = "h200", mailbox_cycles = [1000, 1, 1, 1]>} {
    %0 = cluster.all_reduce(%x) scope(cluster) kind(add) : f32
    gpu.return
  }
}
