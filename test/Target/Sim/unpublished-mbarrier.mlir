// RUN: not cascade-run %s --device=sim --interleavings=8 2>&1 | FileCheck %s
// RUN: sed '5,$s/.*mbarrier.init.*/&\ncluster.fence mbarrier_init/' %s | cascade-run - --device=sim --interleavings=8
// The initialisation of the mbarrier is not fenced: a relaxed arrival publishes
// nothing.

#shared = #gpu.address_space<workgroup>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @unpublished_mbarrier(%out: memref<2xf32>)
      workgroup(%mbar: memref<1xi64, #shared>, %slots: memref<2xf32, #shared>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n0 = arith.constant 0 : i32
      %n1 = arith.constant 1 : i32
      %t = gpu.thread_id x
      %rank = cluster.rank : i32
      %isFirst = arith.cmpi eq, %t, %c0 : index
      %r = arith.index_cast %rank : i32 to index
      %v = arith.sitofp %rank : i32 to f32
      %c2 = arith.constant 2 : index
      scf.if %isFirst {
        cluster.mbarrier.init %mbar[%c0], %n1 : memref<1xi64, #shared>
      }
      cluster.barrier arrive relaxed
      cluster.barrier wait
      scf.if %isFirst {
        %bytes = arith.constant 8 : i32
        cluster.mbarrier.expect_tx %mbar[%c0], %bytes : memref<1xi64, #shared>
      }
      %isRank = arith.cmpi ult, %t, %c2 : index
      %to = arith.index_cast %t : index to i32
      scf.if %isRank {
        cluster.store_async %v to %slots[%r] mbar %mbar[%c0] rank %to
            : memref<2xf32, #shared>, memref<1xi64, #shared>
      }
      cluster.mbarrier.wait %mbar[%c0], %n0 : memref<1xi64, #shared>
      %a = memref.load %slots[%c0] : memref<2xf32, #shared>
      %b = memref.load %slots[%c1] : memref<2xf32, #shared>
      %s = arith.addf %a, %b : f32
      scf.if %isFirst {
        memref.store %s, %out[%r] : memref<2xf32>
      }
      gpu.return
    }
  }
}

// CHECK: error: mbarrier: thread {{.*}} uses an mbarrier of rank {{.*}} whose initialisation is not published to it
// CHECK: 0 passed, 8 failed
