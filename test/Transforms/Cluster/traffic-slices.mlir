// RUN: cascade-opt %s --cluster-traffic=json=- -o /dev/null | tr '{' '\n' | FileCheck %s

// Bytes, messages and rounds of collectives on buffers, and what auto takes: for
// short ones what needs few rounds, for long ones what sends each byte once.

// CHECK: "algorithm":"ring","bytes":6144,"cycles":1314,"messages":780,"rounds":4,
// CHECK: "algorithm":"scatter","bytes":6144,"cycles":1105,"messages":780,"rounds":2,{{.*}}"kind":"all_reduce",{{.*}}"payload_bytes":1024,"taken":"scatter"
// CHECK: "algorithm":"ring","bytes":393216,"cycles":6419,"messages":49164,"rounds":4,
// CHECK: "algorithm":"scatter","bytes":393216,"cycles":6873,"messages":49164,"rounds":2,{{.*}}"kind":"all_reduce",{{.*}}"payload_bytes":65536,"taken":"ring"
// CHECK: "algorithm":"mailbox","bytes":3072,"cycles":662,"messages":768,"rounds":1,
// CHECK: "algorithm":"scatter","bytes":3840,"cycles":961,"messages":771,"rounds":2,{{.*}}"kind":"reduce",{{.*}}"payload_bytes":1024,"taken":"mailbox"
// CHECK: "algorithm":"mailbox","bytes":196608,"cycles":12814,"messages":49152,"rounds":1,
// CHECK: "algorithm":"scatter","bytes":245760,"cycles":5217,"messages":49155,"rounds":2,{{.*}}"kind":"reduce",{{.*}}"payload_bytes":65536,"taken":"scatter"
// CHECK: "algorithm":"scatter","bytes":196608,"cycles":3406,"messages":49152,"rounds":1,{{.*}}"kind":"reduce_scatter",{{.*}}"payload_bytes":65536,"taken":"scatter"
// CHECK: "algorithm":"mailbox","bytes":3072,"cycles":713,"messages":12,"rounds":1,
// CHECK: "algorithm":"ring","bytes":3072,"cycles":922,"messages":12,"rounds":3,{{.*}}"kind":"all_gather",{{.*}}"payload_bytes":1024,"taken":"mailbox"
// CHECK: "algorithm":"mailbox","bytes":49152,"cycles":2081,"messages":3,"rounds":1,{{.*}}"kind":"gather",{{.*}}"payload_bytes":65536,"taken":"mailbox"
// CHECK: "algorithm":"mailbox","bytes":3072,"cycles":815,"messages":3,"rounds":1,
// CHECK: "algorithm":"tree","bytes":3072,"cycles":900,"messages":3,"rounds":2,{{.*}}"kind":"broadcast",{{.*}}"payload_bytes":1024,"taken":"mailbox"
// CHECK: "algorithm":"mailbox","bytes":196608,"cycles":10256,"messages":3,"rounds":1,
// CHECK: "algorithm":"tree","bytes":196608,"cycles":7194,"messages":3,"rounds":2,{{.*}}"kind":"broadcast",{{.*}}"payload_bytes":65536,"taken":"tree"

!short = memref<256xf32, #gpu.address_space<workgroup>>
!long = memref<16384xf32, #gpu.address_space<workgroup>>

gpu.module @k {
  gpu.func @slices() workgroup(%short: !short, %long: !long {cluster.dynamic}) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    cluster.slice.all_reduce %short kind(add) : !short
    cluster.slice.all_reduce %long kind(add) : !long
    cluster.slice.reduce %short root(1) kind(add) : !short
    cluster.slice.reduce %long root(1) kind(add) : !long
    cluster.slice.reduce %long scatter kind(add) : !long
    cluster.slice.all_gather %short : !short
    cluster.slice.gather %long root(2) : !long
    cluster.slice.broadcast %short root(3) : !short
    cluster.slice.broadcast %long root(3) : !long
    gpu.return
  }
}
