// Softmax weights rounded to bf16 before they multiply the values: the rounding
// comes after the maximum has entered.
// RUN: cascade-compile %s --explain=json | FileCheck %s
// CHECK: "passes":{"l":2}
// CHECK-SAME: "at":"bf16(exp(x0 - r0))","class":"refused","index":1,"kind":"add"
// CHECK-SAME: "line":[[#@LINE+14]]
// CHECK-SAME: "pass":1,
// CHECK-SAME: "rule":"mixed-narrowing-cast"
func.func @rounded_weights(%x: tensor<?x?xf32>, %v: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %v[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32, %ve: f32):
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    %h = arith.truncf %w : f32 to bf16
    %r = arith.extf %h : bf16 to f32
    %p = arith.mulf %r, %ve : f32
    %s = cascade.reduce add %p over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<?xf32>
}

// The same chain where moving the rounding is allowed.
// RUN: sed 's/outs(\[i\] : tensor<?xf32>) {/outs([i] : tensor<?xf32>) attributes {allow = ["move_rounding"]} {/' %s > %t.mlir
// RUN: cascade-compile %t.mlir --explain=json | FileCheck %s --check-prefix=ALLOWED
// ALLOWED: "passes":{"l":1}
// ALLOWED-SAME: "legality":"rounding-moving"
