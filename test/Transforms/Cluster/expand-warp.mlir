// RUN: cascade-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(cluster-expand-collectives),canonicalize,cse))' | FileCheck %s

gpu.module @k {
  // Sums commute bit for bit: no selects.
  // CHECK-LABEL: gpu.func @sum
  gpu.func @sum(%x: f32, %p: !llvm.ptr<1>) kernel {
    // CHECK-NOT: arith.select
    // CHECK: gpu.shuffle xor %{{.*}}, %c1_i32, %c32_i32 : i32
    // CHECK: gpu.shuffle xor %{{.*}}, %c2_i32, %c32_i32 : i32
    // CHECK: gpu.shuffle xor %{{.*}}, %c4_i32, %c32_i32 : i32
    // CHECK-NOT: gpu.shuffle
    // CHECK: llvm.store
    %0 = cluster.all_reduce(%x) scope(warp) lanes(8) kind(add) : f32
    llvm.store %0, %p : f32, !llvm.ptr<1>
    gpu.return
  }

  // Lanes at a stride: the butterfly's distances are multiples of it.
  // CHECK-LABEL: gpu.func @strided
  gpu.func @strided(%x: f32, %p: !llvm.ptr<1>) kernel {
    // CHECK: gpu.shuffle xor %{{.*}}, %c4_i32, %c32_i32 : i32
    // CHECK: gpu.shuffle xor %{{.*}}, %c8_i32, %c32_i32 : i32
    // CHECK: gpu.shuffle xor %{{.*}}, %c16_i32, %c32_i32 : i32
    // CHECK-NOT: gpu.shuffle
    %0 = cluster.all_reduce(%x) scope(warp) lanes(8, stride 4) kind(add) : f32
    llvm.store %0, %p : f32, !llvm.ptr<1>
    gpu.return
  }

  // A merge region sees the lower lane's state first.
  // CHECK-LABEL: gpu.func @ordered
  // CHECK-SAME: (%[[X:.*]]: f32,
  gpu.func @ordered(%x: f32, %p: !llvm.ptr<1>) kernel {
    // CHECK: %[[S:.*]], %{{.*}} = gpu.shuffle xor
    // CHECK: %[[O:.*]] = arith.bitcast %[[S]] : i32 to f32
    // CHECK: %[[UPPER:.*]] = arith.cmpi ne
    // CHECK: %[[LO:.*]] = arith.select %[[UPPER]], %[[O]], %[[X]] : f32
    // CHECK: %[[HI:.*]] = arith.select %[[UPPER]], %[[X]], %[[O]] : f32
    // CHECK: arith.subf %[[LO]], %[[HI]] : f32
    %0 = cluster.all_reduce(%x) scope(warp) lanes(2) : f32 {
    ^bb0(%a: f32, %b: f32):
      %s = arith.subf %a, %b : f32
      cluster.yield %s : f32
    }
    llvm.store %0, %p : f32, !llvm.ptr<1>
    gpu.return
  }

  // Two 16-bit values and an i1 with an i8 share words; an f64 takes two.
  // CHECK-LABEL: gpu.func @packed
  gpu.func @packed(%h: bf16, %g: f16, %b: i1, %c: i8, %d: f64, %p: !llvm.ptr<1>) kernel {
    // CHECK-COUNT-4: gpu.shuffle xor
    // CHECK-NOT: gpu.shuffle
    %0:5 = cluster.all_reduce(%h, %g, %b, %c, %d) scope(warp) lanes(2) kind(add, add, or, add, add) : bf16, f16, i1, i8, f64
    llvm.store %0#0, %p : bf16, !llvm.ptr<1>
    llvm.store %0#1, %p : f16, !llvm.ptr<1>
    llvm.store %0#2, %p : i1, !llvm.ptr<1>
    llvm.store %0#3, %p : i8, !llvm.ptr<1>
    llvm.store %0#4, %p : f64, !llvm.ptr<1>
    gpu.return
  }
}
