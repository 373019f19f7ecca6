// A mapping on the chain is kept; one in the option goes to the chains without.
// RUN: cascade-opt %s '--cascade-schedule=mapping="#cascade.mapping<i: grid, l: loop x warp(2) x lane(32)>"' | FileCheck %s

// CHECK-LABEL: func.func @written
// CHECK:         mapping = #cascade.mapping<i: grid x warp(4), l: loop x lane(32)>
func.func @written(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>)
      attributes {mapping = #cascade.mapping<i: grid x warp(4), l: loop x lane(32)>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<?xf32>
}

// CHECK-LABEL: func.func @given
// CHECK:         mapping = #cascade.mapping<i: grid, l: loop x warp(2) x lane(32)>
func.func @given(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<?xf32>
}

// Without vectors there is nothing to align and no second variant.
// CHECK-NOT: _unaligned
