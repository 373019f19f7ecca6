// A product of ratios: no operation is known that carries the maximum through a
// product of an unknown number of factors.
// RUN: cascade-compile %s --explain=json | FileCheck %s
// CHECK: "passes":{"l":2}
// CHECK-SAME: "at":"x0 / r0","class":"refused","index":1,"kind":"mul"
// CHECK-SAME: "line":[[#@LINE+9]]
// CHECK-SAME: "pass":1,
// CHECK-SAME: "rule":"unsupported-kind"
func.func @product_of_ratios(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %m = cascade.reduce max %e over (l) : f32
    %q = arith.divf %e, %m : f32
    %p = cascade.reduce mul %q over (l) : f32
    cascade.yield %p : f32
  }
  return %y : tensor<?xf32>
}

// Other reasons of the rule.
// RUN: cascade-compile %s --explain=json | sed 's/{"name"/\n&/g; s/{"F"/\n&/g' \
// RUN:   | FileCheck %s --check-prefix=MORE

// A sum of integers, whose products wrap.
// MORE: "name": "integers"{{.*}}"passes":{"l":2}
// MORE: "at":"arith.muli{overflowFlags = #arith.overflow<none>}(x0, r0)","class":"refused","index":1,
// MORE-SAME: "reason":"no operation is known that carries an earlier result through a reduction `add` on i32"
// MORE-SAME: "rule":"unsupported-kind"
func.func @integers(%x: tensor<?x?xi32>) -> tensor<?xi32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xi32>)
      outs([i] : tensor<?xi32>) {
  ^bb0(%xe: i32):
    %max = cascade.reduce maxsi %xe over (l) : i32
    %int = arith.muli %xe, %max : i32
    %sum = cascade.reduce add %int over (l) : i32
    cascade.yield %sum : i32
  }
  return %r0 : tensor<?xi32>
}

// Exclusive or.
// MORE: "name": "parity"{{.*}}"passes":{"l":2}
// MORE: "at":"arith.muli{overflowFlags = #arith.overflow<none>}(x0, r0)","class":"refused","index":1,
// MORE-SAME: "reason":"no operation is known that carries an earlier result through a reduction `xor` on i32"
// MORE-SAME: "rule":"unsupported-kind"
func.func @parity(%x: tensor<?x?xi32>) -> tensor<?xi32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xi32>)
      outs([i] : tensor<?xi32>) {
  ^bb0(%xe: i32):
    %max = cascade.reduce maxsi %xe over (l) : i32
    %int = arith.muli %xe, %max : i32
    %odd = cascade.reduce xor %int over (l) : i32
    cascade.yield %odd : i32
  }
  return %r0 : tensor<?xi32>
}
