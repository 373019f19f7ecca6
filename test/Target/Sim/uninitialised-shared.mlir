// RUN: not cascade-run %s --device=sim --interleavings=8 2>&1 | FileCheck %s
// RUN: sed '5,$s/ule, .t, .c31/ule, %%t, %%c63/' %s | cascade-run - --device=sim --interleavings=8
// Half of the buffer is never written.

#shared = #gpu.address_space<workgroup>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @uninitialised_shared(%out: memref<64xf32>)
      workgroup(%buffer: memref<64xf32, #shared>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c31 = arith.constant 31 : index
      %c63 = arith.constant 63 : index
      %t = gpu.thread_id x
      %i = arith.index_cast %t : index to i32
      %x = arith.sitofp %i : i32 to f32
      %isLow = arith.cmpi ule, %t, %c31 : index
      scf.if %isLow {
        memref.store %x, %buffer[%t] : memref<64xf32, #shared>
      }
      gpu.barrier
      %y = memref.load %buffer[%t] : memref<64xf32, #shared>
      memref.store %y, %out[%t] : memref<64xf32>
      gpu.return
    }
  }
}

// CHECK: error: uninitialised shared memory: thread {{3[2-9]|[4-6][0-9]}} reads byte {{[0-9]+}} of shared memory, which nothing has written
// CHECK: note: in {{.*}}memref.load
// CHECK: 0 passed, 8 failed
