// Collectives on slices of 64 KiB, the largest there are, over four blocks. A block
// holds its rank + 1 + the element's number, and shows the first one, one in the
// middle and the last.
// RUN: cascade-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(cluster-expand-collectives,canonicalize,cse,cluster-insert-barriers)))' \
// RUN:   | cascade-run - --device=sim --interleavings=2 | FileCheck %s
// CHECK: arg0: 12xf32=10 32774 65542 10 32774 65542 10 32774 65542 10 32774 65542
// CHECK: arg0: 12xf32=10 32774 65542 10 32774 65542 10 32774 65542 10 32774 65542
// CHECK: arg0: 12xf32=3 8194 16386 3 8194 16386 3 8194 16386 3 8194 16386
// CHECK: 6 passed, 0 failed

#shared = #gpu.address_space<workgroup>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @scatter(%out: memref<12xf32>)
        workgroup(%buffer: memref<16384xf32, #shared> {cluster.dynamic}) kernel
        attributes {known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %step = arith.constant 128 : index
      %middle = arith.constant 8191 : index
      %last = arith.constant 16383 : index
      %length = arith.constant 16384 : index
      %t = gpu.thread_id x
      %rank = cluster.rank : i32
      %r = arith.index_cast %rank : i32 to index
      %base = arith.addi %r, %c1 : index
      scf.for %e = %t to %length step %step {
        %sum = arith.addi %base, %e : index
        %number = arith.index_cast %sum : index to i32
        %v = arith.sitofp %number : i32 to f32
        memref.store %v, %buffer[%e] : memref<16384xf32, #shared>
      }
      cluster.slice.all_reduce %buffer algorithm(scatter) kind(add) : memref<16384xf32, #shared>
      %isFirst = arith.cmpi eq, %t, %c0 : index
      scf.if %isFirst {
        %at = arith.muli %r, %c3 : index
        %at1 = arith.addi %at, %c1 : index
        %at2 = arith.addi %at, %c2 : index
        %a = memref.load %buffer[%c0] : memref<16384xf32, #shared>
        %b = memref.load %buffer[%middle] : memref<16384xf32, #shared>
        %c = memref.load %buffer[%last] : memref<16384xf32, #shared>
        memref.store %a, %out[%at] : memref<12xf32>
        memref.store %b, %out[%at1] : memref<12xf32>
        memref.store %c, %out[%at2] : memref<12xf32>
      }
      gpu.return
    }
    gpu.func @ring(%out: memref<12xf32>)
        workgroup(%buffer: memref<16384xf32, #shared> {cluster.dynamic}) kernel
        attributes {known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %step = arith.constant 128 : index
      %middle = arith.constant 8191 : index
      %last = arith.constant 16383 : index
      %length = arith.constant 16384 : index
      %t = gpu.thread_id x
      %rank = cluster.rank : i32
      %r = arith.index_cast %rank : i32 to index
      %base = arith.addi %r, %c1 : index
      scf.for %e = %t to %length step %step {
        %sum = arith.addi %base, %e : index
        %number = arith.index_cast %sum : index to i32
        %v = arith.sitofp %number : i32 to f32
        memref.store %v, %buffer[%e] : memref<16384xf32, #shared>
      }
      cluster.slice.all_reduce %buffer algorithm(ring) kind(add) : memref<16384xf32, #shared>
      %isFirst = arith.cmpi eq, %t, %c0 : index
      scf.if %isFirst {
        %at = arith.muli %r, %c3 : index
        %at1 = arith.addi %at, %c1 : index
        %at2 = arith.addi %at, %c2 : index
        %a = memref.load %buffer[%c0] : memref<16384xf32, #shared>
        %b = memref.load %buffer[%middle] : memref<16384xf32, #shared>
        %c = memref.load %buffer[%last] : memref<16384xf32, #shared>
        memref.store %a, %out[%at] : memref<12xf32>
        memref.store %b, %out[%at1] : memref<12xf32>
        memref.store %c, %out[%at2] : memref<12xf32>
      }
      gpu.return
    }
    gpu.func @broadcast(%out: memref<12xf32>)
        workgroup(%buffer: memref<16384xf32, #shared> {cluster.dynamic}) kernel
        attributes {known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %step = arith.constant 128 : index
      %middle = arith.constant 8191 : index
      %last = arith.constant 16383 : index
      %length = arith.constant 16384 : index
      %t = gpu.thread_id x
      %rank = cluster.rank : i32
      %r = arith.index_cast %rank : i32 to index
      %base = arith.addi %r, %c1 : index
      scf.for %e = %t to %length step %step {
        %sum = arith.addi %base, %e : index
        %number = arith.index_cast %sum : index to i32
        %v = arith.sitofp %number : i32 to f32
        memref.store %v, %buffer[%e] : memref<16384xf32, #shared>
      }
      cluster.slice.broadcast %buffer root(2) : memref<16384xf32, #shared>
      %isFirst = arith.cmpi eq, %t, %c0 : index
      scf.if %isFirst {
        %at = arith.muli %r, %c3 : index
        %at1 = arith.addi %at, %c1 : index
        %at2 = arith.addi %at, %c2 : index
        %a = memref.load %buffer[%c0] : memref<16384xf32, #shared>
        %b = memref.load %buffer[%middle] : memref<16384xf32, #shared>
        %c = memref.load %buffer[%last] : memref<16384xf32, #shared>
        memref.store %a, %out[%at] : memref<12xf32>
        memref.store %b, %out[%at1] : memref<12xf32>
        memref.store %c, %out[%at2] : memref<12xf32>
      }
      gpu.return
    }
  }
}
