// An element of a vector of bf16 becomes an f32 by a shift or a mask of its word.
// RUN: cascade-opt %s --pass-pipeline='builtin.module(gpu.module(convert-cluster-to-nvvm,canonicalize,cse))' | FileCheck %s
gpu.module @k {
  // CHECK-LABEL: llvm.func @both_halves
  // CHECK-DAG:     %[[SHIFT:.*]] = llvm.mlir.constant(16 : i32)
  // CHECK-DAG:     %[[MASK:.*]] = llvm.mlir.constant(-65536 : i32)
  // CHECK:         %[[WORDS:.*]] = llvm.bitcast %{{.*}} : vector<8xbf16> to vector<4xi32>
  // CHECK:         %[[WORD:.*]] = llvm.extractelement %[[WORDS]]
  // CHECK:         %[[LOW:.*]] = llvm.shl %[[WORD]], %[[SHIFT]]
  // CHECK:         llvm.bitcast %[[LOW]] : i32 to f32
  // CHECK:         %[[HIGH:.*]] = llvm.and %[[WORD]], %[[MASK]]
  // CHECK:         llvm.bitcast %[[HIGH]] : i32 to f32
  gpu.func @both_halves(%v: vector<8xbf16>, %p: !llvm.ptr<1>) kernel {
    %low = vector.extract %v[2] : bf16 from vector<8xbf16>
    %high = vector.extract %v[3] : bf16 from vector<8xbf16>
    %x = arith.extf %low : bf16 to f32
    %y = arith.extf %high : bf16 to f32
    %s = arith.addf %x, %y : f32
    llvm.store %s, %p : f32, !llvm.ptr<1>
    gpu.return
  }

  // Other types, and what stands alone, keep their conversion.
  // CHECK-LABEL: llvm.func @others
  // CHECK:         llvm.fpext %{{.*}} : f16 to f32
  // CHECK:         llvm.fpext %{{.*}} : bf16 to f32
  gpu.func @others(%v: vector<8xf16>, %e: bf16, %p: !llvm.ptr<1>) kernel {
    %h = vector.extract %v[2] : f16 from vector<8xf16>
    %x = arith.extf %h : f16 to f32
    %y = arith.extf %e : bf16 to f32
    %s = arith.addf %x, %y : f32
    llvm.store %s, %p : f32, !llvm.ptr<1>
    gpu.return
  }
}
