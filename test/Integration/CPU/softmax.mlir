// Softmax alone, over the last axis and over the first one, in f64 and f16.
// RUN: cascade-sweep %s --lengths=0,1,2,7,31,32,33,96,127 --rows=1,3,20 \
// RUN:   --segments=1,2,3,8 --patterns=rand,special | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed

func.func @softmax_f64(%x: tensor<?x?xf64>) -> tensor<?x?xf64> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf64>) outs([i, l] : tensor<?x?xf64>) {
  ^bb0(%e: f64):
    %m = cascade.reduce max %e over (l) : f64
    %d = arith.subf %e, %m : f64
    %w = math.exp %d : f64
    %t = cascade.reduce add %w over (l) : f64
    %p = arith.divf %w, %t : f64
    cascade.yield %p : f64
  }
  return %y : tensor<?x?xf64>
}

func.func @softmax_first_axis_f16(%x: tensor<?x?xf16>) -> tensor<?x?xf16> {
  %y = cascade.chain (l, i)
      ins(%x[l, i] : tensor<?x?xf16>) outs([l, i] : tensor<?x?xf16>) {
  ^bb0(%h: f16):
    %e = arith.extf %h : f16 to f32
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) : f32
    %p = arith.divf %w, %t : f32
    %o = arith.truncf %p : f32 to f16
    cascade.yield %o : f16
  }
  return %y : tensor<?x?xf16>
}
