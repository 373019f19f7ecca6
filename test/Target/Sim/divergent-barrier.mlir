// RUN: not cascade-run %s --device=sim --interleavings=8 2>&1 | FileCheck %s
// RUN: sed '5,$s/c16 = arith.constant 16/c16 = arith.constant 32/' %s | cascade-run - --device=sim --interleavings=8
// A barrier in a branch that half of each warp takes.

#shared = #gpu.address_space<workgroup>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @divergent_barrier(%out: memref<64xf32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c31 = arith.constant 31 : index
      %c63 = arith.constant 63 : index
      %t = gpu.thread_id x
      %i = arith.index_cast %t : index to i32
      %x = arith.sitofp %i : i32 to f32
      %c16 = arith.constant 16 : index
      %lane = arith.andi %t, %c31 : index
      %isLow = arith.cmpi ult, %lane, %c16 : index
      scf.if %isLow {
        gpu.barrier
      }
      gpu.return
    }
  }
}

// CHECK: error: deadlock
// CHECK: wait here for the other lanes of their warp, of which 16 have returned: gpu.barrier
// CHECK: 0 passed, 8 failed
