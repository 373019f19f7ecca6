// The largest scaled element: a factor moves out of a maximum only if it cannot
// be negative, and the sum of the elements can.
// RUN: cascade-compile %s --explain=json | FileCheck %s
// CHECK: "passes":{"l":2}
// CHECK-SAME: "at":"r0","class":"refused","index":1,"kind":"max"
// CHECK-SAME: "line":[[#@LINE+9]]
// CHECK-SAME: "pass":1,
// CHECK-SAME: "rule":"sign-not-proved"
func.func @scaled_max(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %sum = cascade.reduce add %e over (l) : f32
    %p = arith.mulf %e, %sum : f32
    %m = cascade.reduce max %p over (l) : f32
    cascade.yield %m : f32
  }
  return %y : tensor<?xf32>
}

// The sum of squares cannot be negative.
// RUN: cascade-compile %S/Inputs/scaled-max-squares.mlir --explain=json | FileCheck %s --check-prefix=PROVED
// PROVED: "passes":{"l":1}

// Other reasons of the rule.
// RUN: cascade-compile %s --explain=json | sed 's/{"name"/\n&/g; s/{"F"/\n&/g' \
// RUN:   | FileCheck %s --check-prefix=MORE

// An exponential moves out of a maximum only if the values cannot be negative.
// MORE: "name": "scaled_exponential"{{.*}}"passes":{"l":2}
// MORE: "at":"x1 * exp(x0 - r0)","class":"refused","index":1,
// MORE-SAME: "reason":"an exponential that refers to an earlier result moves out of a maximum only if the value is proved not negative, and out of a minimum only if it is proved not positive"
// MORE-SAME: "rule":"sign-not-proved"
func.func @scaled_exponential(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %y[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32, %ye: f32):
    %max = cascade.reduce max %xe over (l) : f32
    %minus = arith.subf %xe, %max : f32
    %exp = math.exp %minus : f32
    %times = arith.mulf %ye, %exp : f32
    %max1 = cascade.reduce max %times over (l) : f32
    cascade.yield %max1 : f32
  }
  return %r0 : tensor<?xf32>
}

// A root splits only where the earlier result is not negative.
// MORE: "name": "root_of_product"{{.*}}"passes":{"l":2}
// MORE: "at":"sqrt(x1 * r0)","class":"refused","index":1,
// MORE-SAME: "reason":"a root of a product splits only if earlier results in it are proved not negative; r0 is not"
// MORE-SAME: "rule":"sign-not-proved"
func.func @root_of_product(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %y[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32, %ye: f32):
    %sum = cascade.reduce add %xe over (l) : f32
    %times = arith.mulf %ye, %sum : f32
    %root = math.sqrt %times : f32
    %sum1 = cascade.reduce add %root over (l) : f32
    cascade.yield %sum1 : f32
  }
  return %r0 : tensor<?xf32>
}
