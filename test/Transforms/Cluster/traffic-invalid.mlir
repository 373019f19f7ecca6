// RUN: cascade-opt %s --split-input-file --cluster-traffic --verify-diagnostics
// RUN: not cascade-opt %s --split-input-file --cluster-traffic=target=a100 2>&1 | FileCheck %s
// CHECK: error: unknown target 'a100'; use h200 or h100
// RUN: not cascade-opt %S/traffic.mlir --cluster-traffic=json=%t.d/none/x.json 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: cannot open output file

gpu.module @m {
  gpu.func @no_sizes(%x: f32) kernel {
    // expected-error @below {{needs the sizes of block and cluster: set known_block_size and known_cluster_size on the gpu.func}}
    %0 = cluster.all_reduce(%x) scope(cluster) kind(add) : f32
    gpu.return
  }
}

// -----

// One block exchanges nothing, and a kernel without collectives has no report.
gpu.module @m {
  gpu.func @alone(%x: f32) kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 1, 1, 1>} {
    %0 = cluster.all_reduce(%x) scope(cluster) kind(add) : f32
    gpu.return
  }
  gpu.func @none() kernel {
    gpu.return
  }
}
