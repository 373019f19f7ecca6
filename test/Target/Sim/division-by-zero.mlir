// RUN: not cascade-run %s --device=sim --interleavings=8 2>&1 | FileCheck %s
// RUN: sed '5,$s/n0 = arith.constant 0/n0 = arith.constant 2/' %s | cascade-run - --device=sim --interleavings=8
// An integer division by zero.

#shared = #gpu.address_space<workgroup>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @division_by_zero(%out: memref<2xf32>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>} {
      %n0 = arith.constant 0 : i32
      %n1 = arith.constant 1 : i32
      %q = arith.divsi %n1, %n0 : i32
      gpu.return
    }
  }
}

// CHECK: error: undefined: 'arith.divsi' divides by zero in thread 0
// CHECK: 0 passed, 8 failed
