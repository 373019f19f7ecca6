// Grouped-query attention of one decode step: the maximum is a running
// reference, the division by the sum is deferred, the dot product over d is a
// group of its own.
// RUN: cascade-opt %s --cascade-fuse --verify-roundtrip | FileCheck %s
// RUN: cascade-compile %s --explain=json | FileCheck %s --check-prefix=JSON

// CHECK-LABEL: func.func @attention
// CHECK:       ^bb0(%[[Q:.*]]: f32, %[[K:.*]]: f32, %[[V:.*]]: f32, %[[N:.*]]: i32, %[[C:.*]]: f32):
// CHECK:         %[[QK:.*]] = arith.mulf %[[Q]], %[[K]] : f32
// CHECK:         %[[DOT:.*]] = cascade.reduce add %[[QK]] over (d) : f32
// CHECK:         %[[S:.*]] = arith.mulf %[[DOT]], %[[C]] : f32
// CHECK:         %[[J:.*]] = cascade.index l : i32
// CHECK:         %[[IN:.*]] = arith.cmpi slt, %[[J]], %[[N]] : i32
// CHECK:         %[[M:.*]] = cascade.reduce max %[[S]] over (l) where %[[IN]] : f32
// CHECK:         %[[D:.*]] = arith.subf %[[S]], %[[M]] : f32
// CHECK:         %[[E:.*]] = math.exp %[[D]] : f32
// CHECK:         %[[T:.*]] = cascade.reduce add %[[E]] over (l) where %[[IN]] refs(%[[M]] as exponent : f32) correct {
// CHECK:         } : f32

// The value has lost the division by t ...
// CHECK:         %[[W:.*]] = arith.mulf %[[E]], %[[V]] : f32
// CHECK:         %[[ACC:.*]] = cascade.reduce add %[[W]] over (l) where %[[IN]] refs(%[[M]] as exponent : f32) correct {
// CHECK:         } : f32
// ... which comes once, after the reduction.
// CHECK:         %[[O:.*]] = arith.divf %[[ACC]], %[[T]] : f32
// CHECK:         cascade.yield %[[O]] replay %{{.*}} : f32
// CHECK-NEXT:  } source {
// CHECK:         cascade.reduce add %{{.*}} over (d) : f32
// CHECK:         cascade.reduce max %{{.*}} over (l) where %{{.*}} : f32
// CHECK:         %[[ST:.*]] = cascade.reduce add %{{.*}} over (l) where %{{.*}} : f32
// CHECK:         arith.divf %{{.*}}, %[[ST]] : f32

// JSON: "axes":["b","h","l","d","e"],"passes":{"d":1,"l":1}
// JSON-SAME: "form":"rescaled"
// JSON-SAME: "form":"deferred"
func.func @attention(%q: tensor<?x8x64xf32>, %k: tensor<?x2x?x64xf32>,
                     %v: tensor<?x2x?x64xf32>, %len: tensor<?xi32>, %scale: f32)
    -> tensor<?x8x64xf32> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<?x8x64xf32>,
          %k[b, h floordiv 4, l, d] : tensor<?x2x?x64xf32>,
          %v[b, h floordiv 4, l, e] : tensor<?x2x?x64xf32>,
          %len[b] : tensor<?xi32>, %scale[] : f32)
      outs([b, h, e] : tensor<?x8x64xf32>) {
  ^bb0(%qe: f32, %ke: f32, %ve: f32, %n: i32, %c: f32):
    %qk = arith.mulf %qe, %ke : f32
    %dot = cascade.reduce add %qk over (d) : f32
    %s = arith.mulf %dot, %c : f32
    %j = cascade.index l : i32
    %in = arith.cmpi slt, %j, %n : i32
    %m = cascade.reduce max %s over (l) where %in : f32
    %dm = arith.subf %s, %m : f32
    %x = math.exp %dm : f32
    %t = cascade.reduce add %x over (l) where %in : f32
    %p = arith.divf %x, %t : f32
    %w = arith.mulf %p, %ve : f32
    %out = cascade.reduce add %w over (l) where %in : f32
    cascade.yield %out : f32
  }
  return %o : tensor<?x8x64xf32>
}
