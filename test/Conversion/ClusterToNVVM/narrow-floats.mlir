// 8-bit floats: conversions two at a time, rounded once; their bits are i8.
// RUN: cascade-opt %s --pass-pipeline='builtin.module(gpu.module(convert-cluster-to-nvvm,canonicalize,cse))' | FileCheck %s

gpu.module @k {
  // CHECK-NOT: arith.
  // Neighbours share an instruction, the first in the lower byte, and a vector
  // is made of the pairs.
  // CHECK-LABEL: llvm.func @round_pairs
  // CHECK-SAME: (%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32, %[[D:.*]]: f32,
  // CHECK: %[[BA:.*]] = nvvm.convert.f32x2.to.f8x2 %[[B]], %[[A]] {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : vector<2xi8>(f8E4M3FN)
  // CHECK: %[[DC:.*]] = nvvm.convert.f32x2.to.f8x2 %[[D]], %[[C]] {{.*}}(f8E4M3FN)
  // CHECK-DAG: llvm.bitcast %[[BA]] : vector<2xi8> to i16
  // CHECK-DAG: llvm.bitcast %[[DC]] : vector<2xi8> to i16
  // CHECK: llvm.bitcast %{{.*}} : vector<2xi16> to vector<4xi8>
  gpu.func @round_pairs(%a: f32, %b: f32, %c: f32, %d: f32, %p: !llvm.ptr<1>) kernel {
    %0 = arith.truncf %a : f32 to f8E4M3FN
    %1 = arith.truncf %b : f32 to f8E4M3FN
    %2 = arith.truncf %c : f32 to f8E4M3FN
    %3 = arith.truncf %d : f32 to f8E4M3FN
    %4 = arith.bitcast %0 : f8E4M3FN to i8
    %5 = arith.bitcast %1 : f8E4M3FN to i8
    %6 = arith.bitcast %2 : f8E4M3FN to i8
    %7 = arith.bitcast %3 : f8E4M3FN to i8
    %8 = vector.from_elements %4, %5, %6, %7 : vector<4xi8>
    llvm.store %8, %p : vector<4xi8>, !llvm.ptr<1>
    gpu.return
  }

  // 16-bit floats are exact in f32.
  // CHECK-LABEL: llvm.func @round_halves
  // CHECK-DAG: %[[H:.*]] = llvm.fpext %arg0 : f16 to f32
  // CHECK-DAG: %[[G:.*]] = llvm.fpext %arg1 : bf16 to f32
  // CHECK: nvvm.convert.f32x2.to.f8x2 %[[G]], %[[H]] {{.*}}(f8E5M2)
  gpu.func @round_halves(%h: f16, %g: bf16, %p: !llvm.ptr<1>) kernel {
    %0 = arith.truncf %h : f16 to f8E5M2
    %1 = arith.truncf %g : bf16 to f8E5M2
    %2 = arith.bitcast %0 : f8E5M2 to i8
    %3 = arith.bitcast %1 : f8E5M2 to i8
    llvm.store %2, %p : i8, !llvm.ptr<1>
    llvm.store %3, %p : i8, !llvm.ptr<1>
    gpu.return
  }

  // f64 is rounded to odd in f32: 2^29 is the last bit that f32 keeps.
  // CHECK-LABEL: llvm.func @round_f64
  // CHECK-DAG: %[[REST:.*]] = llvm.mlir.constant(536870911 : i64)
  // CHECK-DAG: %[[KEPT:.*]] = llvm.mlir.constant(-536870912 : i64)
  // CHECK-DAG: %[[LAST:.*]] = llvm.mlir.constant(536870912 : i64)
  // CHECK-DAG: %[[X:.*]] = llvm.bitcast %arg0 : f64 to i64
  // CHECK-DAG: %[[CUT:.*]] = llvm.and %[[X]], %[[REST]]
  // CHECK-DAG: %[[K:.*]] = llvm.and %[[X]], %[[KEPT]]
  // CHECK-DAG: %[[ODD:.*]] = llvm.or %[[K]], %[[LAST]]
  // CHECK: %[[EXACT:.*]] = llvm.icmp "eq" %[[CUT]]
  // CHECK: %[[BITS:.*]] = llvm.select %[[EXACT]], %[[K]], %[[ODD]]
  // CHECK: %[[WIDE:.*]] = llvm.bitcast %[[BITS]] : i64 to f64
  // CHECK: %[[F:.*]] = llvm.fptrunc %[[WIDE]] : f64 to f32
  // CHECK: nvvm.convert.f32x2.to.f8x2 %{{.*}}, %[[F]] {{.*}}(f8E4M3FN)
  gpu.func @round_f64(%x: f64, %p: !llvm.ptr<1>) kernel {
    %0 = arith.truncf %x : f64 to f8E4M3FN
    %1 = arith.bitcast %0 : f8E4M3FN to i8
    llvm.store %1, %p : i8, !llvm.ptr<1>
    gpu.return
  }

  // Widening goes through f16, which holds every 8-bit float.
  // CHECK-LABEL: llvm.func @widen
  // CHECK: %[[P:.*]] = nvvm.convert.f8x2.to.f16x2 %{{.*}} : vector<2xi8>(f8E5M2) -> vector<2xf16>
  // CHECK-COUNT-2: llvm.fpext %{{.*}} : f16 to f32
  // CHECK: llvm.fptrunc %{{.*}} : f32 to bf16
  // CHECK: nvvm.convert.f8x2.to.f16x2 %{{.*}}(f8E4M3FN)
  // CHECK: llvm.fpext %{{.*}} : f16 to f64
  gpu.func @widen(%a: i8, %b: i8, %p: !llvm.ptr<1>) kernel {
    %0 = arith.bitcast %a : i8 to f8E5M2
    %1 = arith.bitcast %b : i8 to f8E5M2
    %2 = arith.extf %0 : f8E5M2 to f32
    %3 = arith.extf %1 : f8E5M2 to bf16
    llvm.store %2, %p : f32, !llvm.ptr<1>
    llvm.store %3, %p : bf16, !llvm.ptr<1>
    %4 = arith.bitcast %a : i8 to f8E4M3FN
    %5 = arith.extf %4 : f8E4M3FN to f64
    llvm.store %5, %p : f64, !llvm.ptr<1>
    gpu.return
  }

  // The second depends on the first: no pair.
  // CHECK-LABEL: llvm.func @chained
  // CHECK: %[[ZERO:.*]] = llvm.mlir.constant(0.0{{.*}} : f32)
  // CHECK: nvvm.convert.f32x2.to.f8x2 %[[ZERO]], %arg0 {{.*}}(f8E4M3FN)
  // CHECK: nvvm.convert.f8x2.to.f16x2
  // CHECK: nvvm.convert.f32x2.to.f8x2 %[[ZERO]], %{{.*}} {{.*}}(f8E4M3FN)
  gpu.func @chained(%x: f32, %p: !llvm.ptr<1>) kernel {
    %0 = arith.truncf %x : f32 to f8E4M3FN
    %1 = arith.extf %0 : f8E4M3FN to f32
    %2 = arith.addf %x, %1 : f32
    %3 = arith.truncf %2 : f32 to f8E4M3FN
    %4 = arith.bitcast %3 : f8E4M3FN to i8
    llvm.store %4, %p : i8, !llvm.ptr<1>
    gpu.return
  }

  // Arithmetic is done in f32 and rounded; a select moves bits, so that an
  // infinity of f8E5M2 survives it.
  // CHECK-LABEL: llvm.func @arithmetic
  // CHECK: nvvm.convert.f8x2.to.f16x2
  // CHECK: llvm.fmul %{{.*}} : f32
  // CHECK: nvvm.convert.f32x2.to.f8x2
  // CHECK: llvm.select %{{.*}} : i1, i8
  // CHECK-NOT: nvvm.convert
  // CHECK: llvm.return
  gpu.func @arithmetic(%a: i8, %b: i8, %c: i1, %p: !llvm.ptr<1>) kernel {
    %0 = arith.bitcast %a : i8 to f8E5M2
    %1 = arith.bitcast %b : i8 to f8E5M2
    %2 = arith.mulf %0, %1 : f8E5M2
    %3 = arith.select %c, %2, %0 : f8E5M2
    %4 = arith.bitcast %3 : f8E5M2 to i8
    llvm.store %4, %p : i8, !llvm.ptr<1>
    gpu.return
  }

  // Vectors by element; no pair is left alone.
  // CHECK-LABEL: llvm.func @vector
  // CHECK-COUNT-2: nvvm.convert.f32x2.to.f8x2
  // CHECK-NOT: nvvm.convert
  // CHECK: llvm.return
  gpu.func @vector(%v: vector<4xf32>, %p: !llvm.ptr<1>) kernel {
    %0 = arith.truncf %v : vector<4xf32> to vector<4xf8E4M3FN>
    %1 = arith.bitcast %0 : vector<4xf8E4M3FN> to vector<4xi8>
    llvm.store %1, %p : vector<4xi8>, !llvm.ptr<1>
    gpu.return
  }
}
