// The maximum of x - mu is max x - mu: addition distributes over the maximum, bit
// for bit.
// RUN: cascade-opt %s --cascade-fuse --verify-roundtrip | FileCheck %s
// RUN: cascade-compile %s --explain=json | FileCheck %s --check-prefix=JSON

// CHECK-LABEL: func.func @centred_max
// CHECK:       ^bb0(%[[X:.*]]: f32):
// CHECK:         %[[SUM:.*]] = cascade.reduce add %[[X]] over (l) : f32
// CHECK:         %[[MU:.*]] = arith.divf %[[SUM]], %{{.*}} : f32
// CHECK:         %[[MAX:.*]] = cascade.reduce max %[[X]] over (l) : f32
// CHECK:         %[[R:.*]] = arith.subf %[[MAX]], %[[MU]] : f32
// CHECK:         cascade.yield %[[R]] replay %{{.*}} : f32
// CHECK-NEXT:  } source {
// CHECK:         %[[D:.*]] = arith.subf
// CHECK:         cascade.reduce max %[[D]] over (l) : f32

// JSON: "legality":"bit-exact"
// JSON-SAME: "legality":"bit-exact"
// JSON-SAME: "combine":"add","form":"deferred"
func.func @centred_max(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %sum = cascade.reduce add %e over (l) : f32
    %n = cascade.extent l : i32
    %nf = arith.sitofp %n : i32 to f32
    %mu = arith.divf %sum, %nf : f32
    %d = arith.subf %e, %mu : f32
    %m = cascade.reduce max %d over (l) : f32
    cascade.yield %m : f32
  }
  return %y : tensor<?xf32>
}
