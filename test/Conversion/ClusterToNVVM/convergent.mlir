// RUN: cascade-compile %s --emit=llvm | FileCheck %s

// The wait stays behind the branch in which one lane sends: it is not copied
// into both sides, where it would hold the sender up.

// CHECK-LABEL: define {{.*}} @ring
// CHECK-COUNT-2: call void asm sideeffect "{{.*}}try_wait{{.*}} #[[CONVERGENT:[0-9]+]]
// CHECK-NOT: try_wait
// CHECK: attributes #[[CONVERGENT]] = { convergent
gpu.module @kernels {
  gpu.func @ring(%x: f32, %out: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 128, 1, 1>,
                  known_cluster_size = array<i32: 3, 1, 1>} {
    %v = cluster.all_reduce(%x) scope(cluster) algorithm(ring) kind(max) : f32
    llvm.store %v, %out : f32, !llvm.ptr<1>
    gpu.return
  }
}
