// RUN: not cascade-run %s --device=sim --interleavings=8 --input=63xf32=iota 2>&1 | FileCheck %s
// RUN: cascade-run %s --device=sim --interleavings=8 --input=64xf32=iota
// One element past the end of a buffer.

#shared = #gpu.address_space<workgroup>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @out_of_bounds_global(%x: !llvm.ptr<1> {llvm.readonly}, %out: memref<64xf32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c0 = arith.constant 0 : index
      %t = gpu.thread_id x
      %i = arith.index_cast %t : index to i64
      %p = llvm.getelementptr inbounds %x[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr<1> -> f32
      memref.store %v, %out[%t] : memref<64xf32>
      gpu.return
    }
  }
}

// CHECK: error: out of bounds: thread 63 reads 4 bytes at byte 252 of 'arg0', which has 252 bytes
// CHECK: 0 passed, 8 failed
