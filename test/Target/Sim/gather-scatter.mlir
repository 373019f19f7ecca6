// Five warps share out to three blocks what they gather, three times over: warps 0
// and 3 to block 0, 1 and 4 to block 1, 2 to block 2.
// RUN: cascade-opt %s -o %t.mlir --pass-pipeline='builtin.module(gpu.module(gpu.func(cluster-expand-collectives,cluster-insert-barriers)))'
// RUN: cascade-run %t.mlir --device=sim --interleavings=8 2>&1 | FileCheck %s

#shared = #gpu.address_space<workgroup>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    // Blocks write the sum of what warp w has in block r, 10 w + r, at place w.
    gpu.func @shared_out(%out: memref<5xi32>) kernel
        attributes {known_block_size = array<i32: 160, 1, 1>, known_cluster_size = array<i32: 3, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c32 = arith.constant 32 : index
      %n3 = arith.constant 3 : i32
      %n10 = arith.constant 10 : i32
      %t = gpu.thread_id x
      %rank = cluster.rank : i32
      %warp = arith.divui %t, %c32 : index
      %lane = arith.remui %t, %c32 : index
      %w = arith.index_cast %warp : index to i32
      %w10 = arith.muli %w, %n10 : i32
      %x = arith.addi %w10, %rank : i32
      %root = arith.remui %w, %n3 : i32
      %isRoot = arith.cmpi eq, %root, %rank : i32
      %isLane = arith.cmpi eq, %lane, %c0 : index
      %stores = arith.andi %isRoot, %isLane : i1
      scf.for %i = %c0 to %c3 step %c1 {
        %all = cluster.gather(%x) scope(cluster) warps(1) scatter : (i32) -> vector<3xi32>
        %a = vector.extract %all[0] : i32 from vector<3xi32>
        %b = vector.extract %all[1] : i32 from vector<3xi32>
        %c = vector.extract %all[2] : i32 from vector<3xi32>
        %ab = arith.addi %a, %b : i32
        %sum = arith.addi %ab, %c : i32
        scf.if %stores {
          memref.store %sum, %out[%warp] : memref<5xi32>
        }
      }
      gpu.return
    }
  }
}

// CHECK-NOT: error
// CHECK: arg0: 5xi32=3 33 63 93 123
// CHECK: 8 passed, 0 failed
