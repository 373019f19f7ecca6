// RUN: not cascade-run %s --device=sim --interleavings=8 2>&1 | FileCheck %s
// RUN: sed '0,/barrier arrive$/s//barrier/' %s | cascade-run - --device=sim --interleavings=8
// An arrival at the cluster barrier without a wait between.

#shared = #gpu.address_space<workgroup>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @arrive_twice(%out: memref<2xf32>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
      cluster.barrier arrive
      cluster.barrier arrive
      cluster.barrier wait
      gpu.return
    }
  }
}

// CHECK: error: cluster barrier: thread {{.*}} arrives a second time without a wait between
// CHECK: 0 passed, 8 failed
