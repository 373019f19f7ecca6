// RUN: cascade-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(cluster-expand-collectives,cluster-insert-barriers),canonicalize,cse))' | FileCheck %s

// A tuple of 33 words is merged in loops: one for the 32 lanes, one for the 3
// warps, of which the fourth is absent.
// CHECK-LABEL: gpu.func @large
// CHECK:         scf.for %[[ROUND:.*]] = %{{.*}} to %[[C5:.*]] step {{.*}} -> (vector<33xi32>)
// CHECK:           %[[STRIDE:.*]] = arith.shli %{{.*}}, %[[ROUND]] : i32
// CHECK-COUNT-33:  gpu.shuffle xor %{{.*}}, %[[STRIDE]],
// CHECK-NOT:       gpu.shuffle
// CHECK:         gpu.barrier
// CHECK:         scf.for %[[ROUND:.*]] = %{{.*}} to %{{.*}} step {{.*}} -> (vector<33xi32>)
// CHECK:           %[[STRIDE:.*]] = arith.shli %{{.*}}, %[[ROUND]] : i32
// CHECK:           %[[MASK:.*]] = arith.muli %[[STRIDE]], %c-2_i32
// CHECK-COUNT-33:  gpu.shuffle xor %{{.*}}, %[[STRIDE]],
// CHECK:           %[[GROUP:.*]] = arith.andi %{{.*}}, %[[MASK]]
// CHECK:           %[[UPPER:.*]] = arith.addi %[[GROUP]], %[[STRIDE]]
// CHECK:           arith.cmpi ult, %[[UPPER]], %c3_i32
// CHECK-NOT:     gpu.shuffle
// CHECK:         gpu.return
gpu.module @kernels {
  gpu.func @large(%out: !llvm.ptr<1>, %x: vector<33xi32>) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
    %r = cluster.all_reduce(%x) scope(block) kind(add) : vector<33xi32>
    llvm.store %r, %out : vector<33xi32>, !llvm.ptr<1>
    gpu.return
  }
}
