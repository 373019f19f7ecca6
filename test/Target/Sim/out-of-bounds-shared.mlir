// RUN: not cascade-run %s --device=sim --interleavings=8 2>&1 | FileCheck %s
// RUN: sed '5,$s/arith.addi .t, .c31/arith.addi %%t, %%c0/' %s | cascade-run - --device=sim --interleavings=8
// An index past the end of a buffer in shared memory.

#shared = #gpu.address_space<workgroup>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @out_of_bounds_shared(%out: memref<64xf32>)
      workgroup(%buffer: memref<64xf32, #shared>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c31 = arith.constant 31 : index
      %c63 = arith.constant 63 : index
      %t = gpu.thread_id x
      %i = arith.index_cast %t : index to i32
      %x = arith.sitofp %i : i32 to f32
      %at = arith.addi %t, %c31 : index
      memref.store %x, %buffer[%at] : memref<64xf32, #shared>
      gpu.return
    }
  }
}

// CHECK: error: out of bounds: thread 33 uses index 64 of a dimension of extent 64
// CHECK: 0 passed, 8 failed
