// RUN: cascade-opt %s --convert-cascade-to-loops="segments=2" --canonicalize --cse | FileCheck %s
// RUN: cascade-opt %s --cascade-schedule --convert-cascade-to-cluster | FileCheck %s --check-prefix=GPU

// A list whose keys are held against a running maximum: the key of each of the
// two entries is corrected, the indices and what has no reference are not.
// CHECK-LABEL: func.func @relative
// CHECK:         scf.for {{.*}} iter_args(%[[M:.*]] = {{.*}}, %[[K0:.*]] = {{.*}}, %[[I0:.*]] = {{.*}}, %[[K1:.*]] = {{.*}}, %[[I1:.*]] = {{.*}})
// CHECK:         scf.for {{.*}} iter_args(%[[OLD:.*]] = {{.*}}, %[[KEY0:.*]] = {{.*}}, %{{.*}} = {{.*}}, %[[KEY1:.*]] = {{.*}}, %{{.*}} = {{.*}}) -> (f32, f32, i32, f32, i32)
// CHECK:           %[[NEW:.*]] = arith.maximumf %[[OLD]]
// CHECK:           %[[SHIFT:.*]] = arith.subf %[[OLD]], %[[NEW]]
// CHECK:           arith.addf %[[KEY0]], %[[SHIFT]]
// CHECK:           arith.addf %[[KEY1]], %[[SHIFT]]
// CHECK-NOT:       arith.addf
// CHECK:           scf.if
// GPU:           gpu.func @relative
// GPU:           cluster.all_reduce({{.*}}) scope({{.*}}){{.*}} : f32, f32, i32, f32, i32
func.func @relative(%x: tensor<4096xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %v, %i = cascade.chain (l, k)
      ins(%x[l] : tensor<4096xf32>) outs([k] : tensor<2xf32>, [k] : tensor<2xi32>) {
  ^bb0(%e: f32):
    %j = cascade.index l : i32
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %key, %index = cascade.reduce topk %d, %j over (l) into (k) refs(%m as plain : f32) correct {
    ^bb0(%a: f32, %b: i32, %old: f32, %new: f32):
      %s = arith.subf %old, %new : f32
      %c = arith.addf %a, %s : f32
      cascade.yield %c, %b : f32, i32
    } : f32, i32
    cascade.yield %key, %index : f32, i32
  } source {
  ^bb0(%e: f32):
    %j = cascade.index l : i32
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %key, %index = cascade.reduce topk %d, %j over (l) into (k) : f32, i32
    cascade.yield %key, %index : f32, i32
  }
  return %v, %i : tensor<2xf32>, tensor<2xi32>
}
