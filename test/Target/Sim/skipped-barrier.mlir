// RUN: not cascade-run %s --device=sim --interleavings=8 2>&1 | FileCheck %s
// RUN: sed '5,$s/ule, .t, .c31/ule, %%t, %%c63/' %s | cascade-run - --device=sim --interleavings=8
// A barrier that one warp does not come to.

#shared = #gpu.address_space<workgroup>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @skipped_barrier(%out: memref<64xf32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c31 = arith.constant 31 : index
      %c63 = arith.constant 63 : index
      %t = gpu.thread_id x
      %i = arith.index_cast %t : index to i32
      %x = arith.sitofp %i : i32 to f32
      %isLow = arith.cmpi ule, %t, %c31 : index
      scf.if %isLow {
        gpu.barrier
      }
      gpu.return
    }
  }
}

// CHECK: error: deadlock
// CHECK: 32 threads, first thread 0, wait here for all threads of the block, of which 32 have returned: gpu.barrier
// CHECK: 0 passed, 8 failed
