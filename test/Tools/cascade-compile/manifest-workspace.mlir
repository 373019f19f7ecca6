// A row that the grid is split over: the workspace is a size for each cluster,
// and the last argument of the kernel.
// RUN: cascade-compile %s -o %t
// RUN: FileCheck %s --input-file=%t.json
// RUN: cascade-launch --list %t.json | FileCheck %s --check-prefix=LIST
// RUN: cascade-compile %s -o %t --emit=launcher
// RUN: FileCheck %s --input-file=%t.cpp --check-prefix=LAUNCHER

// CHECK:      "args": [
// CHECK:            "dim": "l",
// CHECK:            "dim": "i",
// CHECK-NEXT:       "type": "i32"
// CHECK-NEXT:     },
// CHECK-NEXT:     {
// CHECK-NEXT:       "workspace": 0
// CHECK-NEXT:     }
// CHECK-NEXT:   ],
// CHECK:        "grid": [
// CHECK-NEXT:     [
// CHECK-NEXT:       "mul",
// CHECK-NEXT:       [
// CHECK-NEXT:         "mul",
// CHECK-NEXT:         2,
// CHECK-NEXT:         "i"
// CHECK-NEXT:       ],
// CHECK-NEXT:       3
// CHECK:      "name": "sum",
// CHECK-NEXT: "workspace": {
// CHECK-NEXT:   "bytes": [
// CHECK-NEXT:     "mul",
// CHECK-NEXT:     [
// CHECK-NEXT:       "floordiv",
// CHECK:              3
// CHECK-NEXT:       ],
// CHECK-NEXT:       2
// CHECK-NEXT:     ],
// CHECK-NEXT:     32
// CHECK-NEXT:   ],
// CHECK-NEXT:   "init": "zero"
// CHECK-NEXT: }

// LIST: sum(input in0: ixlxf32, output out0: ixf32)

// LAUNCHER: int64_t sum_workspace({{\[\[maybe_unused\]\]}} int64_t i, {{\[\[maybe_unused\]\]}} int64_t l) {
// LAUNCHER:   return ((((2 * i) * 3) / 2) * 32);
// LAUNCHER: CUresult sum(CUdeviceptr in0, CUdeviceptr out0, int64_t i, int64_t l, CUdeviceptr workspace, CUstream stream) {
// LAUNCHER: auto value_5 = workspace + 0;
func.func @sum(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l) ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: grid(3) x cluster(2) x loop x lane(32), merge = [l: last]>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<?xf32>
}
