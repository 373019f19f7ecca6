// RUN: cascade-run %s --device=sim --grid=4 --interleavings=16 \
// RUN:   --input=1xf32=7 --input=4xf32=7 --input=1xi32=0 | FileCheck %s
// The last of four blocks, which come in an order that the seed chooses, adds
// what all have stored; the counter is ready for the next launch.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @arrive_last(%out: memref<1xf32>, %states: memref<4xf32>, %counter: !llvm.ptr<1>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %writer = arith.constant 63 : index
      %count = arith.constant 4 : i32
      %zero = arith.constant 0.0 : f32
      %block = gpu.block_id x
      %t = gpu.thread_id x
      %n = arith.index_cast %block : index to i32
      %v = arith.sitofp %n : i32 to f32
      %isWriter = arith.cmpi eq, %t, %writer : index
      %isFirst = arith.cmpi eq, %t, %c0 : index
      scf.if %isWriter {
        memref.store %v, %states[%block] : memref<4xf32>
      }
      %last = cluster.arrive_last %counter count %count : !llvm.ptr<1>
      scf.if %last {
        scf.if %isFirst {
          %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %zero) -> f32 {
            %x = memref.load %states[%i] : memref<4xf32>
            %y = arith.addf %s, %x : f32
            scf.yield %y : f32
          }
          memref.store %sum, %out[%c0] : memref<1xf32>
        }
      }
      gpu.return
    }
  }
}

// CHECK: arg0: 1xf32=6
// CHECK: arg1: 4xf32=0 1 2 3
// CHECK: arg2: 1xi32=0
// CHECK: 16 passed, 0 failed
