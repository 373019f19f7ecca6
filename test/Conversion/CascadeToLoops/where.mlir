// RUN: cascade-opt %s --convert-cascade-to-loops --canonicalize --cse | FileCheck %s

// Outside of the domain nothing is loaded or computed, the nested reduction
// included.
// CHECK-LABEL: func.func @nested
// CHECK:         scf.for %[[L:.*]] = {{.*}} iter_args(%[[A:.*]] =
// CHECK-NOT:       memref.load
// CHECK:           %[[IN:.*]] = arith.cmpi slt, %[[L]]
// CHECK:           scf.if %[[IN]]
// CHECK:             %[[DOT:.*]] = scf.for
// CHECK:               memref.load
// CHECK:             arith.maximumf %[[A]], %[[DOT]]
// CHECK:           } else {
// CHECK:             scf.yield %[[A]]
func.func @nested(%q: tensor<8xf32>, %k: tensor<32x8xf32>, %n: index) -> tensor<f32> {
  %y = cascade.chain (l, d)
      ins(%q[d] : tensor<8xf32>, %k[l, d] : tensor<32x8xf32>, %n[] : index)
      outs([] : tensor<f32>) {
  ^bb0(%qe: f32, %ke: f32, %ne: index):
    %qk = arith.mulf %qe, %ke : f32
    %dot = cascade.reduce add %qk over (d) : f32
    %j = cascade.index l : index
    %in = arith.cmpi slt, %j, %ne : index
    %m = cascade.reduce max %dot over (l) where %in : f32
    cascade.yield %m : f32
  }
  return %y : tensor<f32>
}

// A division that the predicate protects stays inside, although its operands
// are known outside of the loop.
// CHECK-LABEL: func.func @division
// CHECK-NOT:     arith.divsi
// CHECK:         scf.if
// CHECK:           arith.divsi
func.func @division(%x: tensor<16xi32>, %a: i32, %b: i32) -> tensor<i32> {
  %y = cascade.chain (l)
      ins(%x[l] : tensor<16xi32>, %a[] : i32, %b[] : i32) outs([] : tensor<i32>) {
  ^bb0(%e: i32, %num: i32, %den: i32):
    %zero = arith.constant 0 : i32
    %ok = arith.cmpi ne, %den, %zero : i32
    %q = arith.divsi %num, %den : i32
    %v = arith.addi %e, %q : i32
    %s = cascade.reduce add %v over (l) where %ok : i32
    cascade.yield %s : i32
  }
  return %y : tensor<i32>
}
