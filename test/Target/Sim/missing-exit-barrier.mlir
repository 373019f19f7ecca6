// RUN: not cascade-run %s --device=sim --interleavings=8 2>&1 | FileCheck %s
// RUN: sed '5,$s/gpu.return/cluster.barrier\n&/' %s | cascade-run - --device=sim --interleavings=8
// A block may return while its peer still reads its shared memory.

#shared = #gpu.address_space<workgroup>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @missing_exit_barrier(%out: memref<2xf32>)
      workgroup(%slots: memref<2xf32, #shared>) kernel
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
        memref.store %v, %slots[%c0] : memref<2xf32, #shared>
      }
      cluster.barrier
      %other = arith.xori %rank, %n1 : i32
      %peer = cluster.map_shared %slots, %other : memref<2xf32, #shared> to memref<2xf32, 7 : i32>
      scf.if %isFirst {
        %s = memref.load %peer[%c0] : memref<2xf32, 7 : i32>
        memref.store %s, %out[%r] : memref<2xf32>
      }
      gpu.return
    }
  }
}

// CHECK: error: {{early exit|access after exit}}: thread 0 of block
// CHECK: 0 passed, 8 failed
