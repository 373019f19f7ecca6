// RUN: not cascade-run %s --device=sim --interleavings=8 --input=64xf32=iota 2>&1 | FileCheck %s
// RUN: sed '5,$s/.x\[1\]/%%x[4]/' %s | cascade-run - --device=sim --interleavings=8 --input=64xf32=iota
// A vector access at an address that is no multiple of its size.

#shared = #gpu.address_space<workgroup>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @misaligned(%x: !llvm.ptr<1> {llvm.readonly}) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>} {
      %p = llvm.getelementptr inbounds %x[1] : (!llvm.ptr<1>) -> !llvm.ptr<1>, f32
      %v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
      gpu.return
    }
  }
}

// CHECK: error: misaligned address: thread 0 reads 16 bytes at byte 4 of 'arg0', whose address is no multiple of 16
// CHECK: 0 passed, 8 failed
