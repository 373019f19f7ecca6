// Where predicates leave intervals of the streamed axis, the blocks of a cluster take its
// tiles in turn; elsewhere each takes a part.
// RUN: cascade-opt %s --cascade-schedule="cluster=4" | FileCheck %s

// CHECK-LABEL: func.func @lengths(
// CHECK:         l: loop x {{(grid\([0-9]+\) x )?}}cluster(4) x {{.*}}vector(4)>
// CHECK-LABEL: func.func @lengths_unaligned(
// CHECK:         l: loop x {{(grid\([0-9]+\) x )?}}cluster(4) x reg(4) x
func.func @lengths(%x: tensor<8x?xf32>, %len: tensor<8xi32>) -> tensor<8xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x?xf32>, %len[i] : tensor<8xi32>) outs([i] : tensor<8xf32>) {
  ^bb0(%e: f32, %n: i32):
    %j = cascade.index l : i32
    %in = arith.cmpi slt, %j, %n : i32
    %s = cascade.reduce add %e over (l) where %in : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// CHECK-LABEL: func.func @queries(
// CHECK:         l: loop x {{(grid\([0-9]+\) x )?}}cluster(4) x
func.func @queries(%q: tensor<8x64xf32>, %k: tensor<8x?x64xf32>, %len: tensor<8xi32>) -> tensor<8xf32> {
  %y = cascade.chain (i, l, d)
      ins(%q[i, d] : tensor<8x64xf32>, %k[i, l, d] : tensor<8x?x64xf32>, %len[i] : tensor<8xi32>)
      outs([i] : tensor<8xf32>) {
  ^bb0(%qe: f32, %ke: f32, %n: i32):
    %p = arith.mulf %qe, %ke : f32
    %s = cascade.reduce add %p over (d) : f32
    %j = cascade.index l : i32
    %in = arith.cmpi slt, %j, %n : i32
    %m = cascade.reduce max %s over (l) where %in : f32
    cascade.yield %m : f32
  }
  return %y : tensor<8xf32>
}

// A reduction over all of the row among them.
// CHECK-LABEL: func.func @everywhere(
// CHECK:         l: cluster(4) x loop x
func.func @everywhere(%x: tensor<8x?xf32>, %len: tensor<8xi32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %y:2 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x?xf32>, %len[i] : tensor<8xi32>)
      outs([i] : tensor<8xf32>, [i] : tensor<8xf32>) {
  ^bb0(%e: f32, %n: i32):
    %j = cascade.index l : i32
    %in = arith.cmpi slt, %j, %n : i32
    %s = cascade.reduce add %e over (l) where %in : f32
    %m = cascade.reduce max %e over (l) : f32
    cascade.yield %s, %m : f32, f32
  }
  return %y#0, %y#1 : tensor<8xf32>, tensor<8xf32>
}
