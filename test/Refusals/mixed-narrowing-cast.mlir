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

// Other reasons of the rule.
// RUN: cascade-compile %s --explain=json | sed 's/{"name"/\n&/g; s/{"F"/\n&/g' \
// RUN:   | FileCheck %s --check-prefix=MORE

// Rounding to an integer.
// MORE: "name": "rounded_to_int8"{{.*}}"passes":{"l":2}
// MORE: "at":"arith.fptosi(x0 * (127 / r0))","class":"refused","index":1,
// MORE-SAME: "reason":"rounding to an integer comes after an earlier result has entered the value"
// MORE-SAME: "rule":"mixed-narrowing-cast"
func.func @rounded_to_int8(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %c = arith.constant 127.0 : f32
    %abs = math.absf %xe : f32
    %max = cascade.reduce max %abs over (l) : f32
    %over = arith.divf %c, %max : f32
    %times = arith.mulf %xe, %over : f32
    %q = arith.fptosi %times : f32 to i8
    %wide = arith.sitofp %q : i8 to f32
    %sum = cascade.reduce add %wide over (l) : f32
    cascade.yield %sum : f32
  }
  return %r0 : tensor<?xf32>
}

// Rounding to fp8 saturates too: another allowance.
// MORE: "name": "rounded_to_fp8"{{.*}}"passes":{"l":2}
// MORE: "at":"f8E4M3FN(x0 * (448 / r0))","class":"refused","index":1,
// MORE-SAME: "reason":"rounding to f8E4M3FN comes after an earlier result has entered the value, so splitting would move the rounding"
// MORE-SAME: "rule":"mixed-narrowing-cast"
func.func @rounded_to_fp8(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %c = arith.constant 448.0 : f32
    %abs = math.absf %xe : f32
    %max = cascade.reduce max %abs over (l) : f32
    %over = arith.divf %c, %max : f32
    %times = arith.mulf %xe, %over : f32
    %q = arith.truncf %times : f32 to f8E4M3FN
    %wide = arith.extf %q : f8E4M3FN to f32
    %sum = cascade.reduce add %wide over (l) : f32
    cascade.yield %sum : f32
  }
  return %r0 : tensor<?xf32>
}
