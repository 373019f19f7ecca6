// RUN: cascade-opt %s --pass-pipeline='builtin.module(gpu.module(convert-cluster-to-nvvm,canonicalize,cse))' | FileCheck %s
// RUN: cascade-opt %s --cluster-expand-math | FileCheck %s --check-prefix=EXPAND

gpu.module @k {
  // Only the last needs a function of the CUDA toolkit.
  // CHECK-NOT: @__nv
  // CHECK-LABEL: llvm.func @f32
  // EXPAND-LABEL: gpu.func @f32
  gpu.func @f32(%x: f32, %p: !llvm.ptr<1>) kernel {
    // CHECK: "ex2.approx.ftz.f32 $0, $1;", "=f,f"
    // EXPAND: math.exp2 %{{.*}} fastmath<afn>
    %0 = math.exp %x : f32
    llvm.store %0, %p : f32, !llvm.ptr<1>
    // CHECK: "ex2.approx.ftz.f32 $0, $1;", "=f,f" %arg0
    %1 = math.exp2 %x : f32
    llvm.store %1, %p : f32, !llvm.ptr<1>
    // CHECK: llvm.intr.fma
    // EXPAND-NOT: math.log
    %2 = math.log %x : f32
    llvm.store %2, %p : f32, !llvm.ptr<1>
    // CHECK: "rsqrt.approx.f32 $0, $1;", "=f,f" %arg0
    %3 = math.rsqrt %x : f32
    llvm.store %3, %p : f32, !llvm.ptr<1>
    // CHECK: llvm.intr.sqrt(%arg0)
    %4 = math.sqrt %x : f32
    llvm.store %4, %p : f32, !llvm.ptr<1>
    // CHECK: llvm.intr.copysign
    // EXPAND-NOT: math.tanh
    %5 = math.tanh %x : f32
    llvm.store %5, %p : f32, !llvm.ptr<1>
    // CHECK: llvm.intr.floor
    %6 = math.floor %x : f32
    llvm.store %6, %p : f32, !llvm.ptr<1>
    // CHECK: %[[S:.*]] = llvm.fmul %arg0
    // CHECK-NEXT: "ex2.approx.ftz.f32 $0, $1;", "=f,f" %[[S]]
    %7 = math.exp %x fastmath<afn> : f32
    llvm.store %7, %p : f32, !llvm.ptr<1>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @others
  gpu.func @others(%d: f64, %h: bf16, %v: vector<2xf32>, %p: !llvm.ptr<1>) kernel {
    // CHECK-NOT: llvm.intr.exp
    // CHECK-NOT: llvm.intr.log
    // CHECK: llvm.intr.fma(%{{.*}}) : (f64, f64, f64) -> f64
    %0 = math.exp %d : f64
    llvm.store %0, %p : f64, !llvm.ptr<1>
    %1 = math.log %d : f64
    llvm.store %1, %p : f64, !llvm.ptr<1>
    // CHECK: llvm.fpext %arg1 : bf16 to f32
    // CHECK: llvm.fptrunc %{{.*}} : f32 to bf16
    %2 = math.log %h : bf16
    llvm.store %2, %p : bf16, !llvm.ptr<1>
    // CHECK-COUNT-2: "ex2.approx.ftz.f32
    %3 = math.exp2 %v : vector<2xf32>
    llvm.store %3, %p : vector<2xf32>, !llvm.ptr<1>
    gpu.return
  }

  // The rest are calls of libdevice.
  // CHECK: llvm.func @__nv_sinf(f32) -> f32
  // CHECK-LABEL: llvm.func @libdevice
  gpu.func @libdevice(%x: f32, %p: !llvm.ptr<1>) kernel {
    // CHECK: llvm.call @__nv_sinf
    %0 = math.sin %x : f32
    llvm.store %0, %p : f32, !llvm.ptr<1>
    gpu.return
  }
}
