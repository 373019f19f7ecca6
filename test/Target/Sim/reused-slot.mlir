// RUN: not cascade-run %s --device=sim --interleavings=8 2>&1 | FileCheck %s
// RUN: sed '5,$s/.*arith.addf.*/&\ncluster.barrier/' %s | cascade-run - --device=sim --interleavings=8
// A slot is filled again before the peer has read it.

#shared = #gpu.address_space<workgroup>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @reused_slot(%out: memref<2xf32>)
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
      %n2 = arith.constant 2 : i32
      %n4 = arith.constant 4 : i32
      %isRank = arith.cmpi ult, %t, %c2 : index
      %to = arith.index_cast %t : index to i32
      scf.if %isFirst {
        cluster.mbarrier.init %mbar[%c0], %n1 : memref<1xi64, #shared>
        cluster.fence mbarrier_init
      }
      cluster.barrier arrive relaxed
      cluster.barrier wait
      scf.for %round = %n0 to %n4 step %n1 : i32 {
        %parity = arith.remui %round, %n2 : i32
        scf.if %isFirst {
          %bytes = arith.constant 8 : i32
          cluster.mbarrier.expect_tx %mbar[%c0], %bytes : memref<1xi64, #shared>
        }
        scf.if %isRank {
          cluster.store_async %v to %slots[%r] mbar %mbar[%c0] rank %to
              : memref<2xf32, #shared>, memref<1xi64, #shared>
        }
        cluster.mbarrier.wait %mbar[%c0], %parity : memref<1xi64, #shared>
        %a = memref.load %slots[%c0] : memref<2xf32, #shared>
        %b = memref.load %slots[%c1] : memref<2xf32, #shared>
        %s = arith.addf %a, %b : f32
        scf.if %isFirst {
          memref.store %s, %out[%r] : memref<2xf32>
        }
      }
      gpu.return
    }
  }
}

// CHECK: error: data race: an asynchronous operation on mbarrier 0 of block {{.*}} writes byte {{.*}} of shared memory, which thread {{.*}} reads
// CHECK: 0 passed, 8 failed
