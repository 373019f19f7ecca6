// RUN: not cascade-run %s --device=sim --interleavings=8 2>&1 | FileCheck %s
// RUN: sed '5,$s/arith.shrui .t, .n1/arith.addi %%t, %%c0/' %s | cascade-run - --device=sim --interleavings=8
// Two threads write one element of the output.

#shared = #gpu.address_space<workgroup>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @write_write(%out: memref<64xf32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c31 = arith.constant 31 : index
      %c63 = arith.constant 63 : index
      %t = gpu.thread_id x
      %i = arith.index_cast %t : index to i32
      %x = arith.sitofp %i : i32 to f32
      %n1 = arith.constant 1 : index
      %at = arith.shrui %t, %n1 : index
      memref.store %x, %out[%at] : memref<64xf32>
      gpu.return
    }
  }
}

// CHECK: error: data race: thread {{[0-9]+}} writes element {{[0-9]+}} of 'arg0', which another thread writes too
// CHECK: 0 passed, 8 failed
