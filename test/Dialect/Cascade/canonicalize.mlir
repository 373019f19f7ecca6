// RUN: cascade-opt %s --canonicalize | FileCheck %s

// An operand that nothing reads goes, two that are read alike become one.
// CHECK-LABEL: func @inputs
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>, %{{.*}}: f32)
func.func @inputs(%x: tensor<4x8xf32>, %unused: f32) -> tensor<4xf32> {
  // CHECK: ins(%[[X]][i, l] : tensor<4x8xf32>)
  %0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<4x8xf32>, %unused[] : f32, %x[i, l] : tensor<4x8xf32>)
      outs([i] : tensor<4xf32>) {
  // CHECK: ^bb0(%[[E:.*]]: f32):
  ^bb0(%a: f32, %u: f32, %b: f32):
    // CHECK: arith.mulf %[[E]], %[[E]]
    %p = arith.mulf %a, %b : f32
    %s = cascade.reduce add %p over (l) : f32
    cascade.yield %s : f32
  }
  return %0 : tensor<4xf32>
}

// An operand that fixes an extent stays.
// CHECK-LABEL: func @extent_noop
func.func @extent_noop(%x: tensor<4x?xf32>) -> tensor<4xf32> {
  // CHECK: ins(%{{.*}}[i, l] : tensor<4x?xf32>)
  %0 = cascade.chain (i, l) ins(%x[i, l] : tensor<4x?xf32>) outs([i] : tensor<4xf32>) {
  ^bb0(%a: f32):
    %c = arith.constant 1.0 : f32
    // A dynamic extent stays, too.
    // CHECK: cascade.extent l
    %n = cascade.extent l : i32
    %f = arith.sitofp %n : i32 to f32
    %s = cascade.reduce add %c over (l) : f32
    %r = arith.addf %s, %f : f32
    cascade.yield %r : f32
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @static_extent
func.func @static_extent(%x: tensor<4x8xf32>) -> tensor<4xi32> {
  %0 = cascade.chain (i, l) ins(%x[i, l] : tensor<4x8xf32>) outs([i] : tensor<4xi32>) {
  ^bb0(%a: f32):
    // CHECK: arith.constant 8 : i32
    // CHECK-NOT: cascade.extent
    %n = cascade.extent l : i32
    cascade.yield %n : i32
  }
  return %0 : tensor<4xi32>
}
