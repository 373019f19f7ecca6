// Elements outside the domain of a reduction contribute its identity.
// RUN: cascade-opt %s --convert-cascade-to-cluster --canonicalize --cse | FileCheck %s

// CHECK:         gpu.func @masked(%{{.*}}, %[[LEN:.*]]: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %{{.*}}) kernel
// CHECK-DAG:       %[[NEGINF:.*]] = arith.constant 0xFF800000 : f32

// The length is loaded once a row.
// CHECK:           llvm.getelementptr inbounds %[[LEN]]
// CHECK:           %[[N:.*]] = llvm.load %{{.*}} -> i32
// CHECK:           scf.for
// CHECK:           scf.if
// CHECK:             %[[IN:.*]] = arith.cmpi slt, %{{.*}}, %[[N]] : i32
// CHECK:             %[[INSIDE:.*]] = arith.andi %{{.*}}, %[[IN]]
// CHECK:             arith.select %[[INSIDE]], %{{.*}}, %[[NEGINF]] : f32
func.func @masked(%x: tensor<4x1024xf32>, %len: tensor<4xi32>) -> tensor<4xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<4x1024xf32>, %len[i] : tensor<4xi32>) outs([i] : tensor<4xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x lane(32)>} {
  ^bb0(%e: f32, %n: i32):
    %j = cascade.index l : i32
    %in = arith.cmpi slt, %j, %n : i32
    %m = cascade.reduce max %e over (l) where %in : f32
    cascade.yield %m : f32
  }
  return %y : tensor<4xf32>
}
