// RUN: not cascade-run %s --device=sim --interleavings=8 2>&1 | FileCheck %s
// RUN: sed '5,$s/c16 = arith.constant 16/c16 = arith.constant 32/' %s | cascade-run - --device=sim --interleavings=8
// A shuffle of all lanes that half of the lanes come to.

#shared = #gpu.address_space<workgroup>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @divergent_shuffle(%out: memref<64xf32>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c31 = arith.constant 31 : index
      %c63 = arith.constant 63 : index
      %t = gpu.thread_id x
      %i = arith.index_cast %t : index to i32
      %x = arith.sitofp %i : i32 to f32
      %n1 = arith.constant 1 : i32
      %n32 = arith.constant 32 : i32
      %c16 = arith.constant 16 : index
      %isLow = arith.cmpi ult, %t, %c16 : index
      scf.if %isLow {
        %y, %ok = gpu.shuffle xor %x, %n1, %n32 : f32
        memref.store %y, %out[%t] : memref<64xf32>
      }
      gpu.return
    }
  }
}

// CHECK: error: deadlock
// CHECK: wait here for the other lanes of their warp, of which 16 have returned: {{.*}}gpu.shuffle
// CHECK: 0 passed, 8 failed
