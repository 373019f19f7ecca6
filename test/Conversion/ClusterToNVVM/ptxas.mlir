// Two collectives by each algorithm in one kernel are valid PTX.
// RUN: cascade-opt %s --no-implicit-module --pass-pipeline='gpu.module(gpu.func(cluster-expand-collectives,cluster-insert-barriers),canonicalize,cse,convert-cluster-to-nvvm,canonicalize,cse)' \
// RUN:   | sed 's/^gpu.module @k/module/' | mlir-translate --mlir-to-llvmir -o %t.ll
// RUN: llc -mtriple=nvptx64-nvidia-cuda -mcpu=sm_90 -mattr=+ptx81 -O3 %t.ll -o %t.ptx
// REQUIRES: ptxas
// RUN: %ptxas -arch=sm_90 %t.ptx -o /dev/null

gpu.module @k {
  gpu.func @both(%x: f32, %d: f64, %h: f16, %n: i32, %p: !llvm.ptr<1>) kernel
      attributes {known_block_size = array<i32: 192, 1, 1>, known_cluster_size = array<i32: 5, 1, 1>} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %0:3 = cluster.all_reduce(%x, %d, %h) scope(cluster) kind(max, add, add) : f32, f64, f16
      %1 = cluster.all_reduce(%0#0) scope(cluster) lanes(4) warps(2) kind(add) : f32
      %2 = cluster.all_reduce(%1) scope(cluster) algorithm(tree) kind(maxnum) : f32
      %3 = cluster.all_reduce(%0#1) scope(cluster) algorithm(tree) lanes(8) kind(minnum) : f64
      llvm.store %2, %p : f32, !llvm.ptr<1>
      llvm.store %3, %p : f64, !llvm.ptr<1>
      llvm.store %0#2, %p : f16, !llvm.ptr<1>
    }
    gpu.return
  }
}
