// RUN: cascade-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func @softmax
// CHECK: cascade.chain (i, l)
// CHECK-NEXT: ins(%{{.*}}[i, l] : tensor<8x?xbf16>)
// CHECK-NEXT: outs([i, l] : tensor<8x?xbf16>, [i] : tensor<8xf32>) {
func.func @softmax(%x: tensor<8x?xbf16>) -> (tensor<8x?xbf16>, tensor<8xf32>) {
  %y, %lse = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x?xbf16>)
      outs([i, l] : tensor<8x?xbf16>, [i] : tensor<8xf32>) {
  ^bb0(%xe: bf16):
    %f = arith.extf %xe : bf16 to f32
    // CHECK: %[[M:.*]] = cascade.reduce max %{{.*}} over (l) : f32
    %m = cascade.reduce max %f over (l) : f32
    %d = arith.subf %f, %m : f32
    %e = math.exp %d : f32
    %t = cascade.reduce add %e over (l) : f32
    %p = arith.divf %e, %t : f32
    %o = arith.truncf %p : f32 to bf16
    // CHECK: cascade.yield %{{.*}}, %{{.*}} : bf16, f32
    cascade.yield %o, %t : bf16, f32
  }
  return %y, %lse : tensor<8x?xbf16>, tensor<8xf32>
}

// CHECK-LABEL: func @attention
// CHECK: ins(%{{.*}}[b, h, d] : tensor<2x8x64xf32>, %{{.*}}[b, h floordiv 4, l, d] : tensor<2x2x?x64xf32>, %{{.*}}[b] : tensor<2xi32>, %{{.*}}[] : f32)
func.func @attention(%q: tensor<2x8x64xf32>, %k: tensor<2x2x?x64xf32>,
                     %len: tensor<2xi32>, %scale: f32) -> tensor<2x8xf32> {
  %o = cascade.chain (b, h, l, d)
      ins(%q[b, h, d] : tensor<2x8x64xf32>,
          %k[b, h floordiv 4, l, d] : tensor<2x2x?x64xf32>,
          %len[b] : tensor<2xi32>, %scale[] : f32)
      outs([b, h] : tensor<2x8xf32>) {
  ^bb0(%qe: f32, %ke: f32, %n: i32, %c: f32):
    %qk = arith.mulf %qe, %ke : f32
    %dot = cascade.reduce add %qk over (d) : f32
    %s = arith.mulf %dot, %c : f32
    // CHECK: cascade.index l : i32
    %j = cascade.index l : i32
    %in = arith.cmpi slt, %j, %n : i32
    // CHECK: cascade.reduce max %{{.*}} over (l) where %{{.*}} : f32
    %m = cascade.reduce max %s over (l) where %in : f32
    cascade.yield %m : f32
  }
  return %o : tensor<2x8xf32>
}

// CHECK-LABEL: func @kinds
func.func @kinds(%x: tensor<4x16xf32>) -> (tensor<4xf32>, tensor<4xi32>, tensor<4x2xf32>, tensor<4xf32>) {
  %0:4 = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<4x16xf32>)
      outs([i] : tensor<4xf32>, [i] : tensor<4xi32>, [i, k] : tensor<4x2xf32>,
           [i] : tensor<4xf32>)
      attributes {allow = ["move_rounding"]} {
  ^bb0(%e: f32):
    %j = cascade.index l : i32
    // CHECK: cascade.extent l : index
    %n = cascade.extent l : index
    %z = arith.constant 0.0 : f32
    // CHECK: cascade.reduce argmax %{{.*}}, %{{.*}} over (l) : f32, i32
    %v, %a = cascade.reduce argmax %e, %j over (l) : f32, i32
    // CHECK: cascade.reduce topk %{{.*}}, %{{.*}} over (l) into (k) : f32, i32
    %t, %ti = cascade.reduce topk %e, %j over (l) into (k) : f32, i32
    // CHECK: cascade.reduce combine %{{.*}} over (l) init(%{{.*}}) with {
    %c = cascade.reduce combine %e over (l) init(%z) with {
    ^bb0(%p: f32, %q: f32):
      %s = arith.addf %p, %q : f32
      cascade.yield %s : f32
    } : f32
    cascade.yield %v, %a, %t, %c : f32, i32, f32, f32
  }
  return %0#0, %0#1, %0#2, %0#3 : tensor<4xf32>, tensor<4xi32>, tensor<4x2xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @fused
// CHECK: mapping = #cascade.mapping<i: grid(resident) x warp(2), l: cluster(8) x loop x reg(4) x warp(8) x lane(32 at 1) x vector(4), load = [0: bulk(4)], keep = [0: shared], merge = [l: last]>
func.func @fused(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %0 = cascade.chain (i, l) ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>)
      attributes {mapping = #cascade.mapping<i: grid(resident) x warp(2), l: cluster(8) x loop x reg(4) x warp(8) x lane(32 at 1) x vector(4), load = [0: bulk(4)], keep = [0: shared], merge = [l: last]>} {
  ^bb0(%e: f32):
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    // CHECK: cascade.reduce add %{{.*}} over (l) refs(%{{.*}} as exponent : f32) correct {
    %t = cascade.reduce add %w over (l) refs(%m as exponent : f32) correct {
    ^bb0(%acc: f32, %old: f32, %new: f32):
      %s = arith.subf %old, %new : f32
      %f = math.exp %s : f32
      %r = arith.mulf %acc, %f : f32
      cascade.yield %r : f32
    } : f32
    %c = arith.cmpf uno, %m, %m : f32
    // CHECK: cascade.yield %{{.*}} replay %{{.*}} : f32
    cascade.yield %t replay %c : f32
  // CHECK: } source {
  } source {
  ^bb0(%e: f32):
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) : f32
    cascade.yield %t : f32
  }
  return %0 : tensor<?xf32>
}
