// A chain that was refused keeps its two passes, in one kernel. The row is one
// tile, so its elements are loaded once and stay in registers.
// RUN: cascade-opt %s --cascade-fuse --convert-cascade-to-cluster --canonicalize --cse | FileCheck %s

// CHECK:         gpu.func @mean_absolute_deviation(
// CHECK-COUNT-2:   llvm.load %{{.*}} -> vector<4xf32>
// CHECK-NOT:       llvm.load
// CHECK:           cluster.all_reduce(%{{.*}}) scope(block) warps(4) kind(add) : f32
// CHECK-NOT:       llvm.load
// CHECK:           math.absf
// CHECK-NOT:       llvm.load
// CHECK:           cluster.all_reduce(%{{.*}}) scope(block) warps(4) kind(add) : f32
// CHECK-NOT:       llvm.load
// CHECK:           gpu.return
func.func @mean_absolute_deviation(%x: tensor<8x1024xf32>) -> tensor<8xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x1024xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: reg(2) x warp(4) x lane(32) x vector(4)>} {
  ^bb0(%e: f32):
    %sum = cascade.reduce add %e over (l) : f32
    %n = cascade.extent l : i32
    %nf = arith.sitofp %n : i32 to f32
    %mu = arith.divf %sum, %nf : f32
    %d = arith.subf %e, %mu : f32
    %a = math.absf %d : f32
    %s = cascade.reduce add %a over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}
