// RUN: not cascade-run %s --device=sim --interleavings=8 2>&1 | FileCheck %s
// RUN: sed '5,$s/.*mbarrier.init.*/&\ncluster.fence mbarrier_init/' %s | cascade-run - --device=sim --interleavings=8
// A bulk copy completes on an mbarrier whose initialisation is published to threads
// only, by a cluster barrier.

#shared = #gpu.address_space<workgroup>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @unfenced_mbarrier(%out: memref<2xf32>)
      workgroup(%mbar: memref<1xi64, #shared>, %source: memref<4xf32, #shared>,
                %dest: memref<4xf32, #shared>) kernel
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
      scf.if %isFirst {
        cluster.mbarrier.init %mbar[%c0], %n1 : memref<1xi64, #shared>
      }
      cluster.barrier
      %n16 = arith.constant 16 : i32
      %c4 = arith.constant 4 : index
      %at = arith.subi %t, %c1 : index
      %isLow = arith.cmpi ult, %at, %c4 : index
      scf.if %isLow {
        memref.store %v, %source[%at] : memref<4xf32, #shared>
      }
      %isOther = arith.cmpi ne, %t, %c0 : index
      scf.if %isOther {
        cluster.fence proxy_async_shared
      }
      gpu.barrier
      scf.if %isFirst {
        cluster.mbarrier.expect_tx %mbar[%c0], %n16 : memref<1xi64, #shared>
        %other = arith.xori %rank, %n1 : i32
        cluster.copy_async %source[%c0] to %dest[%c0] mbar %mbar[%c0] rank %other bytes %n16
            : memref<4xf32, #shared>, memref<4xf32, #shared>, memref<1xi64, #shared>
      }
      cluster.mbarrier.wait %mbar[%c0], %n0 : memref<1xi64, #shared>
      %s = memref.load %dest[%c0] : memref<4xf32, #shared>
      cluster.barrier
      scf.if %isFirst {
        memref.store %s, %out[%r] : memref<2xf32>
      }
      gpu.return
    }
  }
}

// CHECK: error: missing proxy fence: a bulk copy completes on an mbarrier whose initialisation the async proxy does not know
// CHECK: 0 passed, 8 failed
