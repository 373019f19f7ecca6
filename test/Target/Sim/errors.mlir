// RUN: not cascade-run %s --device=sim 2>&1 | FileCheck %s --check-prefix=OP
// RUN: not cascade-run %s --device=sim --grid=3 2>&1 | FileCheck %s --check-prefix=GRID
// RUN: not cascade-run %s --device=sim --grid=x 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not cascade-run %s --device=sim --cluster=17 2>&1 | FileCheck %s --check-prefix=CLUSTER
// RUN: not cascade-run %s --device=sim --cluster-dims=4 2>&1 | FileCheck %s --check-prefix=CONTRADICTION
// RUN: cascade-run %s --device=sim --entry=empty --cluster-dims=2 --grid=4
// RUN: not cascade-run %s --device=sim --segments=2 2>&1 | FileCheck %s --check-prefix=SEGMENTS
// RUN: not cascade-run %s --device=sim --interleavings=0 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not cascade-run %s --device=sim --entry=pointer 2>&1 | FileCheck %s --check-prefix=SHAPE
// RUN: not cascade-run %s --device=sim --entry=nothing 2>&1 | FileCheck %s --check-prefix=ENTRY

module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @empty() kernel attributes {known_block_size = array<i32: 32, 1, 1>,
                                         known_cluster_size = array<i32: 2, 1, 1>} {
      gpu.return
    }
    gpu.func @atomic(%x: memref<4xf32>) kernel {
      %v = arith.constant 1.0 : f32
      %c0 = arith.constant 0 : index
      %old = memref.atomic_rmw addf %v, %x[%c0] : (f32, memref<4xf32>) -> f32
      gpu.return
    }
    gpu.func @pointer(%x: !llvm.ptr<1>) kernel {
      gpu.return
    }
  }
}

// OP: error: 'memref.atomic_rmw' op is not known to the simulated device
// GRID: error: a grid of 3 blocks is no multiple of a cluster of 2
// NUMBER: error: --grid=x is not X[,Y[,Z]] with numbers above 0
// CLUSTER: error: --cluster takes 0 to 16, not 17
// CONTRADICTION: errors.mlir:{{[0-9]+}}:5: error: 'known_cluster_size' is 2,1,1, which --cluster-dims=4 contradicts
// CONTRADICTION: error: --cluster-dims=4 contradicts kernel 'empty': drop it
// SEGMENTS: error: --segments is for the CPU; use --cluster=N on the simulated device
// COUNT: error: --interleavings takes 1 to 1000000, not 0
// SHAPE: error: --input 0 is a pointer of kernel 'pointer'; give its shape and type too
// ENTRY: no function with a cascade.chain and no gpu.func called 'nothing'
