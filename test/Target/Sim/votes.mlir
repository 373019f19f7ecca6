// RUN: cascade-run %s --device=sim --interleavings=8 2>&1 | FileCheck %s
// Votes over a warp, whose lanes come to them from different branches.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @votes(%any: memref<64xi32>, %lanes: memref<64xi32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c3 = arith.constant 3 : index
      %c5 = arith.constant 5 : index
      %one = arith.constant 1 : i32
      %two = arith.constant 2 : i32
      %t = gpu.thread_id x
      %low = arith.cmpi ult, %t, %c5 : index
      %x = scf.if %low -> (i32) {
        scf.yield %one : i32
      } else {
        scf.yield %two : i32
      }
      %is = arith.cmpi eq, %x, %one : i32
      %a = cluster.any %is
      %l = cluster.ballot %is
      %wide = arith.extui %a : i1 to i32
      memref.store %wide, %any[%t] : memref<64xi32>
      %zeros = math.ctlz %l : i32
      memref.store %zeros, %lanes[%t] : memref<64xi32>
      gpu.return
    }
  }
}

// CHECK-NOT: error
// CHECK: arg0: 64xi32=1 1 1 1 1 1 {{.*}} 0 0 0 0
// CHECK: arg1: 64xi32=27 27 27 27 27 27 {{.*}} 32 32 32 32
// CHECK: 8 passed, 0 failed
