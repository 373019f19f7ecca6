// A mapping that reads several elements at a time asks for aligned buffers and
// rows; the variant behind it does not. Its threads stay where they are.
// RUN: cascade-opt %s --cascade-schedule | FileCheck %s

// CHECK-LABEL: func.func @sum(
// CHECK-SAME:    attributes {cascade.fallback = @sum_unaligned}
// CHECK:         l: cluster(2) x loop x reg(2) x warp(4) x lane(32) x vector(4)>
// CHECK-LABEL: func.func @sum_unaligned(
// CHECK-SAME:    attributes {cascade.fallback_of = @sum}
// CHECK:         l: cluster(2) x loop x reg({{[0-9]+}}) x warp(4) x lane(32)>
func.func @sum(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: cluster(2) x loop x reg(2) x warp(4) x lane(32) x vector(4)>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<?xf32>
}
