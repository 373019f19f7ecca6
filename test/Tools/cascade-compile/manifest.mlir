// The manifest: names, roles, symbolic dims, guarded variants, reference launches.
// RUN: cascade-compile %s -o %t --with-reference
// RUN: FileCheck %s --input-file=%t.json
// RUN: cascade-launch --list %t.json | FileCheck %s --check-prefix=LIST

// LIST: scaled_sum(input x: rowsxlxf32, scalar in1: f32, output total: rowsxf32)

// CHECK:      "functions": [
// CHECK:        "arguments": [
// CHECK:            "align": 4,
// CHECK-NEXT:       "name": "x",
// CHECK-NEXT:       "noalias": true,
// CHECK-NEXT:       "role": "input",
// CHECK-NEXT:       "shape": [
// CHECK-NEXT:         "rows",
// CHECK-NEXT:         "l"
// CHECK-NEXT:       ],
// CHECK-NEXT:       "type": "f32"
// CHECK:            "name": "in1",
// CHECK-NEXT:       "role": "scalar",
// CHECK:            "name": "total",
// CHECK:            "role": "output",
// CHECK:        "launches": [

// The aligned variant comes first, with its guards ...
// CHECK:            "dim": "rows",
// CHECK-NEXT:       "type": "i32"
// CHECK:            "kernel": "scaled_sum",
// CHECK:            "when": [
// CHECK:              "aligned": [
// CHECK-NEXT:           0,
// CHECK-NEXT:           16
// CHECK:              "divisible": [
// CHECK-NEXT:           "l",
// CHECK-NEXT:           4

// ... and the one without behind it, in the same group.
// CHECK:            "group": 0,
// CHECK-NEXT:       "kernel": "scaled_sum_unaligned",
// CHECK:            "when": [
// CHECK-NOT:          "aligned"
// CHECK:              "atmost": [
// CHECK-NEXT:           "rows",
// CHECK-NEXT:           2146435072
// CHECK-NOT:          "aligned"
// CHECK:        "name": "scaled_sum",
// CHECK:        "reference": {
// CHECK:          "R": [
// CHECK:            "kernel": "scaled_sum_R",
// CHECK:          "U": [
// CHECK:            "kernel": "scaled_sum_U",
// CHECK:      "module": "{{.*}}.ptx",
// CHECK:      "reference": "{{.*}}.ref.ptx",
// CHECK-NEXT: "target": {
// CHECK-NEXT:   "chip": "sm_90",
// CHECK-NEXT:   "gpu": "h200"
// CHECK-NEXT: },
// CHECK-NEXT: "version": 1
func.func @scaled_sum(%x: tensor<?x?xf32> {cascade.name = "x"}, %c: f32)
    -> (tensor<?xf32> {cascade.name = "total"}) {
  %y = cascade.chain (rows, l)
      ins(%x[rows, l] : tensor<?x?xf32>, %c[] : f32) outs([rows] : tensor<?xf32>) {
  ^bb0(%e: f32, %k: f32):
    %s = cascade.reduce add %e over (l) : f32
    %r = arith.mulf %s, %k : f32
    cascade.yield %r : f32
  }
  return %y : tensor<?xf32>
}
