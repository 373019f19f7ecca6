// How many elements are above the mean: a step function of the mean.
// RUN: cascade-compile %s --explain=json | FileCheck %s
// CHECK: "passes":{"l":2}
// CHECK-SAME: "at":"x0 > r0 / arith.sitofp(p0)","class":"refused","index":1,"kind":"add"
// CHECK-SAME: "line":[[#@LINE+15]]
// CHECK-SAME: "pass":1,
// CHECK-SAME: "rule":"mixed-comparison"
func.func @count_above_mean(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %sum = cascade.reduce add %e over (l) : f32
    %n = cascade.extent l : i32
    %nf = arith.sitofp %n : i32 to f32
    %mu = arith.divf %sum, %nf : f32
    %above = arith.cmpf ogt, %e, %mu : f32
    %one = arith.constant 1.0 : f32
    %zero = arith.constant 0.0 : f32
    %c = arith.select %above, %one, %zero : f32
    %s = cascade.reduce add %c over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<?xf32>
}

// Other reasons of the rule.
// RUN: cascade-compile %s --explain=json | sed 's/{"name"/\n&/g; s/{"F"/\n&/g' \
// RUN:   | FileCheck %s --check-prefix=MORE

// An earlier result selects between elements.
// MORE: "name": "selected"{{.*}}"passes":{"l":2}
// MORE: "at":"r0 > 0","class":"refused","index":1,
// MORE-SAME: "reason":"an earlier result selects between values of the elements"
// MORE-SAME: "rule":"mixed-comparison"
func.func @selected(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %y[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32, %ye: f32):
    %sum = cascade.reduce add %xe over (l) : f32
    %c = arith.constant 0.0 : f32
    %is = arith.cmpf ogt, %sum, %c : f32
    %pick = arith.select %is, %xe, %ye : f32
    %max = cascade.reduce max %pick over (l) : f32
    cascade.yield %max : f32
  }
  return %r0 : tensor<?xf32>
}
