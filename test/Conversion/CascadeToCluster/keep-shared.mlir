// The first pass stores what it loads of a kept input, and the later ones load
// it from shared memory: no barrier, every thread has its own. The tile after
// the full ones overhangs the row and is kept as well.
// RUN: cascade-opt %s --convert-cascade-to-cluster --canonicalize --cse | FileCheck %s
// RUN: cascade-compile %s -o %t && FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: FileCheck %s --check-prefix=JSON < %t.json

// 1280 elements are two tiles and half of a third: 3 x 64 accesses.
// CHECK:         gpu.func @centred(
// CHECK-SAME:      workgroup(%[[KEPT:.*]] : memref<192xvector<4xi32>, #gpu.address_space<workgroup>> {cluster.thread_private})
// CHECK:           scf.for
// CHECK:             llvm.load
// CHECK:             memref.store %{{.*}}, %[[KEPT]]
// CHECK:           llvm.load
// CHECK:           memref.store %{{.*}}, %[[KEPT]]
// CHECK:           cluster.all_reduce
// CHECK-NOT:       llvm.load
// CHECK:           scf.for
// CHECK:             memref.load %[[KEPT]]
// CHECK:             llvm.store
// CHECK:           memref.load %[[KEPT]]

// PTX: .extern .shared .align 16 .b8 [[KEPT:.*]][];
// JSON: "shared": 3072
// Unaligned, nothing is kept.
// JSON: "shared": 0
func.func @centred(%x: tensor<8x1280xbf16>) -> tensor<8x1280xbf16> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x1280xbf16>) outs([i, l] : tensor<8x1280xbf16>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x warp(2) x lane(32) x vector(8), keep = [0: shared]>} {
  ^bb0(%e: bf16):
    %f = arith.extf %e : bf16 to f32
    %s = cascade.reduce add %f over (l) : f32
    %n = arith.constant 1280.0 : f32
    %m = arith.divf %s, %n : f32
    %d = arith.subf %f, %m : f32
    %o = arith.truncf %d : f32 to bf16
    cascade.yield %o : bf16
  }
  return %y : tensor<8x1280xbf16>
}
