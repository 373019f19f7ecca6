// The exponent is doubled nine times: 512 addends x - m, more than the split test
// takes apart.
// RUN: cascade-compile %s --explain=json | FileCheck %s
// CHECK: "passes":{"l":2}
// CHECK-SAME: "at":"{{.*}}r0{{.*}}","class":"refused","index":1,"kind":"add"
// CHECK-SAME: "pass":1,
// CHECK-SAME: "reason":"a sum has more than 256 addends of earlier results"
// CHECK-SAME: "rule":"too-many-terms"
func.func @doubled(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %m = cascade.reduce max %e over (l) : f32
    %d0 = arith.subf %e, %m : f32
    %d1 = arith.addf %d0, %d0 : f32
    %d2 = arith.addf %d1, %d1 : f32
    %d3 = arith.addf %d2, %d2 : f32
    %d4 = arith.addf %d3, %d3 : f32
    %d5 = arith.addf %d4, %d4 : f32
    %d6 = arith.addf %d5, %d5 : f32
    %d7 = arith.addf %d6, %d6 : f32
    %d8 = arith.addf %d7, %d7 : f32
    %d9 = arith.addf %d8, %d8 : f32
    %w = math.exp %d9 : f32
    %s = cascade.reduce add %w over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<?xf32>
}
