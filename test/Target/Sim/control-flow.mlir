// RUN: cascade-run %s --device=sim --interleavings=8 2>&1 | FileCheck %s
// Loops and branches in which the lanes of a warp part and meet again; a block of
// no whole number of warps.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // The number of steps of Collatz from each thread's number.
    gpu.func @while(%out: memref<10xi32>) kernel
        attributes {known_block_size = array<i32: 10, 1, 1>} {
      %n0 = arith.constant 0 : i32
      %n1 = arith.constant 1 : i32
      %n2 = arith.constant 2 : i32
      %n3 = arith.constant 3 : i32
      %t = gpu.thread_id x
      %i = arith.index_cast %t : index to i32
      %first = arith.addi %i, %n1 : i32
      %end:2 = scf.while (%x = %first, %steps = %n0) : (i32, i32) -> (i32, i32) {
        %more = arith.cmpi ne, %x, %n1 : i32
        scf.condition(%more) %x, %steps : i32, i32
      } do {
      ^bb0(%x: i32, %steps: i32):
        %odd = arith.andi %x, %n1 : i32
        %isOdd = arith.cmpi eq, %odd, %n1 : i32
        %next = scf.if %isOdd -> i32 {
          %a = arith.muli %x, %n3 : i32
          %b = arith.addi %a, %n1 : i32
          scf.yield %b : i32
        } else {
          %c = arith.shrui %x, %n1 : i32
          scf.yield %c : i32
        }
        %count = arith.addi %steps, %n1 : i32
        scf.yield %next, %count : i32, i32
      }
      memref.store %end#1, %out[%t] : memref<10xi32>
      gpu.return
    }
    // Fibonacci numbers: the state of a loop is exchanged at once.
    gpu.func @for(%out: memref<33xi64>) kernel
        attributes {known_block_size = array<i32: 33, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n0 = arith.constant 0 : i64
      %n1 = arith.constant 1 : i64
      %t = gpu.thread_id x
      %f:2 = scf.for %i = %c0 to %t step %c1 iter_args(%a = %n0, %b = %n1) -> (i64, i64) {
        %c = arith.addi %a, %b : i64
        scf.yield %b, %c : i64, i64
      }
      memref.store %f#0, %out[%t] : memref<33xi64>
      gpu.return
    }
    // The same with branches between blocks.
    gpu.func @blocks(%out: memref<8xi64>) kernel
        attributes {known_block_size = array<i32: 8, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n0 = arith.constant 0 : i64
      %n1 = arith.constant 1 : i64
      %t = gpu.thread_id x
      cf.br ^head(%c0, %n0, %n1 : index, i64, i64)
    ^head(%i: index, %a: i64, %b: i64):
      %more = arith.cmpi ult, %i, %t : index
      cf.cond_br %more, ^body, ^exit
    ^body:
      %c = arith.addi %a, %b : i64
      %next = arith.addi %i, %c1 : index
      cf.br ^head(%next, %b, %c : index, i64, i64)
    ^exit:
      memref.store %a, %out[%t] : memref<8xi64>
      gpu.return
    }
  }
}

// CHECK: arg0: 10xi32=0 1 7 2 5 8 16 3 19 6
// CHECK: arg0: 33xi64=0 1 1 2 3 5 8 13 21 34 55 {{.*}} 832040 1346269 2178309
// CHECK: arg0: 8xi64=0 1 1 2 3 5 8 13
// CHECK: 24 passed, 0 failed
