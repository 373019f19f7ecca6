// RUN: cascade-opt %s --convert-cascade-to-loops --canonicalize --cse | FileCheck %s

// The list goes through the loop entry by entry; an element enters it only
// where it beats the last one. The loop over the entries reads a buffer.
// CHECK-LABEL: func.func @two
// CHECK-DAG:     %[[NEG:.*]] = arith.constant 0xFF800000 : f32
// CHECK-DAG:     %[[NONE:.*]] = arith.constant -1 : i32
// CHECK:         %[[LIST:.*]]:4 = scf.for {{.*}} iter_args(%{{.*}} = %[[NEG]], %{{.*}} = %[[NONE]], %[[KEY:.*]] = %[[NEG]], %[[AT:.*]] = %[[NONE]])
// CHECK:           arith.cmpf ugt, %{{.*}}, %[[KEY]]
// CHECK:           arith.cmpi ult, %{{.*}}, %[[AT]]
// CHECK:           scf.if
// CHECK:             arith.cmpf ugt
// CHECK-NOT:         arith.cmpf ugt
// CHECK:           } else {
// CHECK:         %[[KEYS:.*]] = memref.alloca() : memref<2xf32>
// CHECK-NEXT:    memref.store %[[LIST]]#0, %[[KEYS]][%{{.*}}]
// CHECK-NEXT:    memref.store %[[LIST]]#2, %[[KEYS]][%{{.*}}]
// CHECK-NEXT:    %[[INDICES:.*]] = memref.alloca() : memref<2xi32>
// CHECK-NEXT:    memref.store %[[LIST]]#1, %[[INDICES]][%{{.*}}]
// CHECK-NEXT:    memref.store %[[LIST]]#3, %[[INDICES]][%{{.*}}]
// CHECK:         scf.for
// CHECK-DAG:       memref.load %[[KEYS]]
// CHECK-DAG:       memref.load %[[INDICES]]
func.func @two(%x: tensor<16xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %v, %i = cascade.chain (l, k)
      ins(%x[l] : tensor<16xf32>) outs([k] : tensor<2xf32>, [k] : tensor<2xi32>) {
  ^bb0(%e: f32):
    %j = cascade.index l : i32
    %key, %index = cascade.reduce topk %e, %j over (l) into (k) : f32, i32
    cascade.yield %key, %index : f32, i32
  }
  return %v, %i : tensor<2xf32>, tensor<2xi32>
}

// The list does not depend on k: its pass stands outside of the loop over it.
// CHECK-LABEL: func.func @rows
// CHECK:         memref.alloca() : memref<3xf32>
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             scf.if
// CHECK:           scf.for
// CHECK-NOT:         scf.for
// CHECK:             arith.maximumf
// CHECK:           scf.for
// CHECK-NOT:         scf.for
// CHECK:             arith.subf
func.func @rows(%x: tensor<4x16xf32>) -> tensor<4x3xf32> {
  %v = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<4x16xf32>) outs([i, k] : tensor<4x3xf32>) {
  ^bb0(%e: f32):
    %j = cascade.index l : i32
    %key, %index = cascade.reduce topk %e, %j over (l) into (k) : f32, i32
    %m = cascade.reduce max %key over (k) : f32
    %d = arith.subf %key, %m : f32
    cascade.yield %d : f32
  }
  return %v : tensor<4x3xf32>
}
