// RUN: not cascade-run %s --device=sim --interleavings=8 --input=32xf32=iota 2>&1 | FileCheck %s
// RUN: sed '5,$s/ invariant//' %s | cascade-run - --device=sim --interleavings=8 --input=32xf32=iota
// ld.global.nc reads what the kernel writes.

#shared = #gpu.address_space<workgroup>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @read_only_path(%x: !llvm.ptr<1>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c0 = arith.constant 0 : index
      %c31 = arith.constant 31 : index
      %c63 = arith.constant 63 : index
      %t = gpu.thread_id x
      %i = arith.index_cast %t : index to i32
      %i64 = arith.index_cast %t : index to i64
      %p = llvm.getelementptr inbounds %x[%i64] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
      %v = llvm.load %p invariant {alignment = 4 : i64} : !llvm.ptr<1> -> f32
      %x1 = arith.sitofp %i : i32 to f32
      %w = arith.addf %v, %x1 : f32
      llvm.store %w, %p {alignment = 4 : i64} : f32, !llvm.ptr<1>
      gpu.return
    }
  }
}

// CHECK: error: read-only load: thread {{[0-9]+}} writes element {{[0-9]+}} of 'arg0', which this kernel reads through the read-only path
// CHECK: 0 passed, 8 failed
