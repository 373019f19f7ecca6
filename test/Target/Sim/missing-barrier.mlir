// RUN: not cascade-run %s --device=sim --interleavings=8 2>&1 | FileCheck %s
// RUN: sed '5,$s/.*arith.subi/gpu.barrier\n&/' %s | cascade-run - --device=sim --interleavings=8
// Another warp reads what a thread has just stored.

#shared = #gpu.address_space<workgroup>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @missing_barrier(%out: memref<64xf32>)
      workgroup(%buffer: memref<64xf32, #shared>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c31 = arith.constant 31 : index
      %c63 = arith.constant 63 : index
      %t = gpu.thread_id x
      %i = arith.index_cast %t : index to i32
      %x = arith.sitofp %i : i32 to f32
      memref.store %x, %buffer[%t] : memref<64xf32, #shared>
      %at = arith.subi %c63, %t : index
      %y = memref.load %buffer[%at] : memref<64xf32, #shared>
      memref.store %y, %out[%t] : memref<64xf32>
      gpu.return
    }
  }
}

// CHECK: error: {{data race|uninitialised shared memory}}: thread {{[0-9]+}} reads byte
// CHECK: 0 passed, 8 failed
