// Min-max scaling; the output varies over the reduced axis.
// RUN: cascade-sweep %s --lengths=0,1,2,7,31,32,33,96,127 --rows=1,3,20 \
// RUN:   --segments=1,2,3,8 --patterns=rand,special | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed

func.func @min_max(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i, l] : tensor<?x?xf32>) {
  ^bb0(%e: f32):
    %hi = cascade.reduce max %e over (l) : f32
    %lo = cascade.reduce min %e over (l) : f32
    %a = arith.subf %e, %lo : f32
    %b = arith.subf %hi, %lo : f32
    %p = arith.divf %a, %b : f32
    cascade.yield %p : f32
  }
  return %y : tensor<?x?xf32>
}
