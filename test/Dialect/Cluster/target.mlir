// #cluster.target: presets, fields given one by one, a preset under another name.
// RUN: cascade-opt %s --split-input-file --verify-roundtrip | FileCheck %s

// CHECK: cluster.target = #cluster.target<name = "h200">}
module attributes {cluster.target = #cluster.target<name = "h200">} {}

// -----

// What a preset says already is not printed.
// CHECK: cluster.target = #cluster.target<name = "h200", hbm_gbps = 3000, mailbox_cycles = [1, 2, 3, 4]>}
module attributes {cluster.target = #cluster.target<name = "h200", sms = 132,
  mailbox_cycles = [1, 2, 3, 4], hbm_gbps = 3000>} {}

// -----

// The fields of a preset under another name; its lists end at the largest cluster.
// CHECK:      cluster.target = #cluster.target<name = "half", sms = 66, portable_cluster = 8, max_cluster = 8,
// CHECK-SAME:   hbm_gbps = 3189,
// CHECK-SAME:   residency = [132, 132, 120, 120], dsmem_gbps = [4127, 2652, 2252],
// CHECK-SAME:   mailbox_cycles = [251, 271, 293], tree_cycles = [555, 1110, 1665]>}
module attributes {cluster.target = #cluster.target<name = "half", base = "h100",
  sms = 66, max_cluster = 8>} {}

// -----

// On functions and modules of kernels.
// CHECK: gpu.module @kernels attributes {cluster.target = #cluster.target<name = "h100">}
// CHECK:   gpu.func @f() attributes {cluster.target = #cluster.target<name = "h100", sms = 114>}
gpu.module @kernels attributes {cluster.target = #cluster.target<name = "h100">} {
  gpu.func @f() attributes {cluster.target = #cluster.target<name = "h100", sms = 114>} {
    gpu.return
  }
}
