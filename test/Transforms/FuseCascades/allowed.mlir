// What a chain has to allow, and what it costs: roundings that come after an
// earlier result.
// RUN: cascade-compile %s --explain=json | sed 's/{"name"/\n&/g' | FileCheck %s
// RUN: cascade-compile %s --explain=text | FileCheck %s --check-prefix=TEXT
// RUN: cascade-opt %s --cascade-fuse | FileCheck %s --check-prefix=IR

// Left out: the rounding to nearest and the truncation to i8 after it.
// CHECK: "name": "quantised_dot"{{.*}}"passes":{"l":1}
// CHECK-SAME: "cost":"a rounding to a whole number, by up to 1, is left out"
// CHECK-SAME: "legality":"approximate"
// TEXT: separable, pass 0, approximate
// TEXT-NEXT: it costs: a rounding to a whole number, by up to 1, is left out
// IR-LABEL: func.func @quantised_dot
// IR:         %[[T:.*]] = arith.mulf %[[X:.*]], %{{.*}} : f32
// IR-NEXT:    %[[P:.*]] = arith.mulf %[[T]], %[[W:.*]] : f32
// IR-NEXT:    cascade.reduce add %[[P]] over (l) refs(%{{.*}} as divisor : f32)
// IR:       source {
func.func @quantised_dot(%x: tensor<?x?xf32>, %w: tensor<?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %w[l] : tensor<?xf32>)
      outs([i] : tensor<?xf32>) attributes {allow = ["approximate"]} {
  ^bb0(%e: f32, %we: f32):
    %c = arith.constant 127.0 : f32
    %a = math.absf %e : f32
    %m = cascade.reduce max %a over (l) : f32
    %r = arith.divf %c, %m : f32
    %t = arith.mulf %e, %r : f32
    %n = math.roundeven %t : f32
    %q = arith.fptosi %n : f32 to i8
    %z = arith.extsi %q : i8 to i32
    %f = arith.sitofp %z : i32 to f32
    %p = arith.mulf %f, %we : f32
    %s = cascade.reduce add %p over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<?xf32>
}

// Moved: the weights are rounded against the maximum so far.
// CHECK: "name": "rounded_weights"{{.*}}"passes":{"l":1}
// CHECK-SAME: "cost":"elements are rounded to bf16 at another scale: each by up to 2^-8 of its size, as before, but not the same way"
// CHECK-SAME: "legality":"rounding-moving"
func.func @rounded_weights(%x: tensor<?x?xf32>, %v: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %v[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) attributes {allow = ["move_rounding"]} {
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
