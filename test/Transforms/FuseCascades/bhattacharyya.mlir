// Two softmaxes in one pass: the last sum has two references and two deferred
// factors.
// RUN: cascade-opt %s --cascade-fuse --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @bhattacharyya
// CHECK:       ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32):
// CHECK:         %[[MX:.*]] = cascade.reduce max %[[X]] over (l) : f32
// CHECK:         %[[EX:.*]] = math.exp
// CHECK:         %[[TX:.*]] = cascade.reduce add %[[EX]] over (l) refs(%[[MX]] as exponent : f32) correct {
// CHECK:         %[[MY:.*]] = cascade.reduce max %[[Y]] over (l) : f32
// CHECK:         %[[EY:.*]] = math.exp
// CHECK:         %[[TY:.*]] = cascade.reduce add %[[EY]] over (l) refs(%[[MY]] as exponent : f32) correct {
// CHECK:         %[[PROD:.*]] = arith.mulf %[[EX]], %[[EY]] : f32
// CHECK:         %[[ROOT:.*]] = math.sqrt %[[PROD]] : f32
// CHECK:         %[[S:.*]] = cascade.reduce add %[[ROOT]] over (l) refs(%[[MX]] as exponent : f32, %[[MY]] as exponent : f32) correct {

// Accumulator, both old references, both new ones; half of each difference, for
// the square root.
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32, %[[OX:.*]]: f32, %[[OY:.*]]: f32, %[[NX:.*]]: f32, %[[NY:.*]]: f32):
// CHECK-DAG:       %[[HALF:.*]] = arith.constant 5.000000e-01 : f32
// CHECK-DAG:       %[[DX:.*]] = arith.subf %[[OX]], %[[NX]] : f32
// CHECK-DAG:       %[[DY:.*]] = arith.subf %[[OY]], %[[NY]] : f32
// CHECK-DAG:       %[[HX:.*]] = arith.mulf %[[DX]], %[[HALF]] : f32
// CHECK-DAG:       %[[HY:.*]] = arith.mulf %[[DY]], %[[HALF]] : f32
// CHECK:           %[[SUM:.*]] = arith.addf %[[HX]], %[[HY]] : f32
// CHECK-NEXT:      %[[SCALE:.*]] = math.exp %[[SUM]] : f32
// CHECK:           arith.mulf %[[ACC]], %[[SCALE]] : f32
// CHECK:         } : f32
// CHECK:         %[[RX:.*]] = math.sqrt %[[TX]] : f32
// CHECK-NEXT:    %[[Q:.*]] = arith.divf %[[S]], %[[RX]] : f32
// CHECK-NEXT:    %[[RY:.*]] = math.sqrt %[[TY]] : f32
// CHECK-NEXT:    %[[B:.*]] = arith.divf %[[Q]], %[[RY]] : f32
// CHECK:         cascade.yield %[[B]] replay %{{.*}} : f32
// CHECK-NEXT:  } source {
func.func @bhattacharyya(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
  %r = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %y[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %ma = cascade.reduce max %a over (l) : f32
    %da = arith.subf %a, %ma : f32
    %ea = math.exp %da : f32
    %ta = cascade.reduce add %ea over (l) : f32
    %pa = arith.divf %ea, %ta : f32
    %mb = cascade.reduce max %b over (l) : f32
    %db = arith.subf %b, %mb : f32
    %eb = math.exp %db : f32
    %tb = cascade.reduce add %eb over (l) : f32
    %pb = arith.divf %eb, %tb : f32
    %pq = arith.mulf %pa, %pb : f32
    %root = math.sqrt %pq : f32
    %s = cascade.reduce add %root over (l) : f32
    cascade.yield %s : f32
  }
  return %r : tensor<?xf32>
}
