// The low bits of a float go through a register of their own to memory: ptxas takes
// a store that is narrower than a register which holds a float for one of the float
// converted to an integer. And i64 are accessed in one piece.
// RUN: cascade-compile %s -o %t
// RUN: FileCheck %s < %t.ptx

// CHECK-LABEL: .entry halves(
// CHECK:     add.rn.f64 [[SUM:%rd[0-9]+]],
// CHECK-NOT: st.global.b32 {{.*}}, [[SUM]];
// CHECK:     cvt.u32.u64 [[LOW:%r[0-9]+]], [[SUM]];
// CHECK:     mov.b32 [[BITS:%r[0-9]+]], [[LOW]];
// CHECK:     st.global.b32 {{.*}}, [[BITS]];
// CHECK-LABEL: .entry pairs(
// CHECK:     add.rn.f64 [[FIRST:%rd[0-9]+]],
// CHECK:     add.rn.f64 [[SECOND:%rd[0-9]+]],
// CHECK-NOT: st.global.b32 {{.*}}, [[FIRST]];
// CHECK-NOT: st.global.b32 {{.*}}, [[SECOND]];
// CHECK-LABEL: .entry loops(
// CHECK:     mov.b16 [[HALF:%rs[0-9]+]], %rs
// CHECK:     st.global.b16 {{.*}}, [[HALF]];
// CHECK-LABEL: .entry long(
// CHECK:     ld.global.b64
// CHECK:     st.global.b64
gpu.module @kernels {
  gpu.func @halves(%x: memref<64xf64>, %y: memref<128xi32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %c32 = arith.constant 32 : i64
    %c64 = arith.constant 64 : index
    %v = memref.load %x[%t] : memref<64xf64>
    %s = arith.addf %v, %v : f64
    %i = arith.bitcast %s : f64 to i64
    %low = arith.trunci %i : i64 to i32
    %shifted = arith.shrui %i, %c32 : i64
    %high = arith.trunci %shifted : i64 to i32
    %at = arith.addi %t, %c64 : index
    memref.store %low, %y[%t] : memref<128xi32>
    memref.store %high, %y[%at] : memref<128xi32>
    gpu.return
  }
  // The halves of a vector of f64, which LLVM takes apart as one of i32.
  gpu.func @pairs(%x: memref<128xf64>, %y: memref<128xi32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %c64 = arith.constant 64 : index
    %at = arith.addi %t, %c64 : index
    %v0 = memref.load %x[%t] : memref<128xf64>
    %v1 = memref.load %x[%at] : memref<128xf64>
    %v = vector.from_elements %v0, %v1 : vector<2xf64>
    %s = arith.addf %v, %v : vector<2xf64>
    %s0 = vector.extract %s[0] : f64 from vector<2xf64>
    %s1 = vector.extract %s[1] : f64 from vector<2xf64>
    %i0 = arith.bitcast %s0 : f64 to i64
    %i1 = arith.bitcast %s1 : f64 to i64
    %low0 = arith.trunci %i0 : i64 to i32
    %low1 = arith.trunci %i1 : i64 to i32
    memref.store %low0, %y[%t] : memref<128xi32>
    memref.store %low1, %y[%at] : memref<128xi32>
    gpu.return
  }
  // The bits of a float that a loop carries.
  gpu.func @loops(%x: memref<64xf32>, %y: memref<64xi16>, %n: index) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %v = memref.load %x[%t] : memref<64xf32>
    %first = arith.bitcast %v : f32 to i32
    %last = scf.for %k = %c0 to %n step %c1 iter_args(%bits = %first) -> (i32) {
      %f = arith.bitcast %bits : i32 to f32
      %s = arith.addf %f, %v : f32
      %i = arith.bitcast %s : f32 to i32
      scf.yield %i : i32
    }
    %low = arith.trunci %last : i32 to i16
    memref.store %low, %y[%t] : memref<64xi16>
    gpu.return
  }
  gpu.func @long(%x: memref<64xi64>, %y: memref<64xi64>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %v = memref.load %x[%t] : memref<64xi64>
    memref.store %v, %y[%t] : memref<64xi64>
    gpu.return
  }
}
