// RUN: cascade-run %s --device=sim --entry=matrices --input=256xbf16=iota --input=128xbf16=iota --interleavings=2 | FileCheck %s
// RUN: cascade-opt %s --convert-cluster-to-nvvm | FileCheck %s --check-prefix=NVVM
// RUN: not cascade-run %s --device=sim --entry=half --input=f32=1 2>&1 | FileCheck %s --check-prefix=HALF
// Matrices that the lanes of a warp hold. With a[i][k] = 16 i + k and
// b[k][j] = 8 k + j, sums[i][j] = 15360 i + 256 i j + 9920 + 120 j, and one
// more in row g < 8 and an even column.

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @matrices(%a: memref<256xbf16>, %b: memref<128xbf16>,
                       %sums: memref<128xf32>, %turned: memref<64xbf16>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c9 = arith.constant 9 : index
      %c16 = arith.constant 16 : index
      %c64 = arith.constant 64 : index
      %c65 = arith.constant 65 : index
      %c72 = arith.constant 72 : index
      %c128 = arith.constant 128 : index
      %c129 = arith.constant 129 : index
      %c136 = arith.constant 136 : index
      %c137 = arith.constant 137 : index
      %zero = arith.constant 0.0 : f32
      %one = arith.constant 1.0 : f32
      %t = gpu.thread_id x
      %g = arith.divui %t, %c4 : index
      %c = arith.remui %t, %c4 : index
      %m1 = arith.muli %g, %c16 : index
      %m2 = arith.muli %c, %c2 : index
      %s3 = arith.addi %m1, %m2 : index
      %m4 = arith.muli %g, %c16 : index
      %m5 = arith.muli %c, %c2 : index
      %s6 = arith.addi %m4, %m5 : index
      %s7 = arith.addi %s6, %c1 : index
      %a0_l = memref.load %a[%s3] : memref<256xbf16>
      %a0_h = memref.load %a[%s7] : memref<256xbf16>
      %a0 = vector.from_elements %a0_l, %a0_h : vector<2xbf16>
      %m8 = arith.muli %g, %c16 : index
      %m9 = arith.muli %c, %c2 : index
      %s10 = arith.addi %m8, %m9 : index
      %s11 = arith.addi %s10, %c128 : index
      %m12 = arith.muli %g, %c16 : index
      %m13 = arith.muli %c, %c2 : index
      %s14 = arith.addi %m12, %m13 : index
      %s15 = arith.addi %s14, %c129 : index
      %a1_l = memref.load %a[%s11] : memref<256xbf16>
      %a1_h = memref.load %a[%s15] : memref<256xbf16>
      %a1 = vector.from_elements %a1_l, %a1_h : vector<2xbf16>
      %m16 = arith.muli %g, %c16 : index
      %m17 = arith.muli %c, %c2 : index
      %s18 = arith.addi %m16, %m17 : index
      %s19 = arith.addi %s18, %c8 : index
      %m20 = arith.muli %g, %c16 : index
      %m21 = arith.muli %c, %c2 : index
      %s22 = arith.addi %m20, %m21 : index
      %s23 = arith.addi %s22, %c9 : index
      %a2_l = memref.load %a[%s19] : memref<256xbf16>
      %a2_h = memref.load %a[%s23] : memref<256xbf16>
      %a2 = vector.from_elements %a2_l, %a2_h : vector<2xbf16>
      %m24 = arith.muli %g, %c16 : index
      %m25 = arith.muli %c, %c2 : index
      %s26 = arith.addi %m24, %m25 : index
      %s27 = arith.addi %s26, %c136 : index
      %m28 = arith.muli %g, %c16 : index
      %m29 = arith.muli %c, %c2 : index
      %s30 = arith.addi %m28, %m29 : index
      %s31 = arith.addi %s30, %c137 : index
      %a3_l = memref.load %a[%s27] : memref<256xbf16>
      %a3_h = memref.load %a[%s31] : memref<256xbf16>
      %a3 = vector.from_elements %a3_l, %a3_h : vector<2xbf16>
      %m32 = arith.muli %c, %c16 : index
      %m33 = arith.muli %g, %c1 : index
      %s34 = arith.addi %m32, %m33 : index
      %m35 = arith.muli %c, %c16 : index
      %m36 = arith.muli %g, %c1 : index
      %s37 = arith.addi %m35, %m36 : index
      %s38 = arith.addi %s37, %c8 : index
      %b0_l = memref.load %b[%s34] : memref<128xbf16>
      %b0_h = memref.load %b[%s38] : memref<128xbf16>
      %b0 = vector.from_elements %b0_l, %b0_h : vector<2xbf16>
      %m39 = arith.muli %c, %c16 : index
      %m40 = arith.muli %g, %c1 : index
      %s41 = arith.addi %m39, %m40 : index
      %s42 = arith.addi %s41, %c64 : index
      %m43 = arith.muli %c, %c16 : index
      %m44 = arith.muli %g, %c1 : index
      %s45 = arith.addi %m43, %m44 : index
      %s46 = arith.addi %s45, %c72 : index
      %b1_l = memref.load %b[%s42] : memref<128xbf16>
      %b1_h = memref.load %b[%s46] : memref<128xbf16>
      %b1 = vector.from_elements %b1_l, %b1_h : vector<2xbf16>
      %d:4 = cluster.mma [%a0, %a1, %a2, %a3] [%b0, %b1] [%one, %zero, %zero, %zero] : vector<2xbf16>
      %m47 = arith.muli %g, %c8 : index
      %m48 = arith.muli %c, %c2 : index
      %s49 = arith.addi %m47, %m48 : index
      memref.store %d#0, %sums[%s49] : memref<128xf32>
      %m50 = arith.muli %g, %c8 : index
      %m51 = arith.muli %c, %c2 : index
      %s52 = arith.addi %m50, %m51 : index
      %s53 = arith.addi %s52, %c1 : index
      memref.store %d#1, %sums[%s53] : memref<128xf32>
      %m54 = arith.muli %g, %c8 : index
      %m55 = arith.muli %c, %c2 : index
      %s56 = arith.addi %m54, %m55 : index
      %s57 = arith.addi %s56, %c64 : index
      memref.store %d#2, %sums[%s57] : memref<128xf32>
      %m58 = arith.muli %g, %c8 : index
      %m59 = arith.muli %c, %c2 : index
      %s60 = arith.addi %m58, %m59 : index
      %s61 = arith.addi %s60, %c65 : index
      memref.store %d#3, %sums[%s61] : memref<128xf32>
      %m62 = arith.muli %g, %c8 : index
      %m63 = arith.muli %c, %c2 : index
      %s64 = arith.addi %m62, %m63 : index
      %m65 = arith.muli %g, %c8 : index
      %m66 = arith.muli %c, %c2 : index
      %s67 = arith.addi %m65, %m66 : index
      %s68 = arith.addi %s67, %c1 : index
      %x_l = memref.load %b[%s64] : memref<128xbf16>
      %x_h = memref.load %b[%s68] : memref<128xbf16>
      %x = vector.from_elements %x_l, %x_h : vector<2xbf16>
      %y = cluster.transpose %x : vector<2xbf16>
      %y0 = vector.extract %y[0] : bf16 from vector<2xbf16>
      %m69 = arith.muli %g, %c8 : index
      %m70 = arith.muli %c, %c2 : index
      %s71 = arith.addi %m69, %m70 : index
      memref.store %y0, %turned[%s71] : memref<64xbf16>
      %y1 = vector.extract %y[1] : bf16 from vector<2xbf16>
      %m72 = arith.muli %g, %c8 : index
      %m73 = arith.muli %c, %c2 : index
      %s74 = arith.addi %m72, %m73 : index
      %s75 = arith.addi %s74, %c1 : index
      memref.store %y1, %turned[%s75] : memref<64xbf16>
      gpu.return
    }
    gpu.func @half(%x: f32) kernel
        attributes {known_block_size = array<i32: 16, 1, 1>} {
      %h = arith.truncf %x : f32 to f16
      %p = vector.from_elements %h, %h : vector<2xf16>
      %y = cluster.transpose %p : vector<2xf16>
      gpu.return
    }
  }
}

// CHECK-NOT: error
// CHECK: arg2: 128xf32=9921 10040 10161 10280 10401 10520 10641 10760 25281 25656 {{.*}} 256160 260120 264080 268040
// CHECK: arg3: 64xbf16=0 8 16 24 32 4e+01 48 56 1 9 17 25 33 41 49 57 {{.*}} 47 55 63
// CHECK: 2 passed, 0 failed
// NVVM: nvvm.mma.sync {{.*}} multiplicandAPtxType = #nvvm.mma_type<bf16>
// NVVM: movmatrix.sync.aligned.m8n8.trans.b16
// HALF: takes all lanes of its warp
