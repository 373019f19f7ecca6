// Attention for one decode step: grouped queries, keys masked by length.
// RUN: cascade-sweep %s --lengths=0,1,2,7,33,96 --rows=1,3 \
// RUN:   --segments=1,2,3,8 --patterns=rand,special | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed

func.func @attention(%q: tensor<?x4x8xf32>, %k: tensor<?x2x?x8xf32>,
                     %v: tensor<?x2x?x8xf32>, %len: tensor<?xi32>, %scale: f32)
    -> tensor<?x4x8xf32> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<?x4x8xf32>,
          %k[b, h floordiv 2, l, d] : tensor<?x2x?x8xf32>,
          %v[b, h floordiv 2, l, e] : tensor<?x2x?x8xf32>,
          %len[b] : tensor<?xi32>, %scale[] : f32)
      outs([b, h, e] : tensor<?x4x8xf32>) {
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
  return %o : tensor<?x4x8xf32>
}

func.func @attention_bf16(%q: tensor<?x4x8xbf16>, %k: tensor<?x2x?x8xbf16>,
                     %v: tensor<?x2x?x8xbf16>, %len: tensor<?xi32>, %scale: f32)
    -> tensor<?x4x8xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<?x4x8xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<?x2x?x8xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<?x2x?x8xbf16>,
          %len[b] : tensor<?xi32>, %scale[] : f32)
      outs([b, h, e] : tensor<?x4x8xbf16>) {
  ^bb0(%qh: bf16, %kh: bf16, %vh: bf16, %n: i32, %c: f32):
    %qe = arith.extf %qh : bf16 to f32
    %ke = arith.extf %kh : bf16 to f32
    %ve = arith.extf %vh : bf16 to f32
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
    %oh = arith.truncf %out : f32 to bf16
    cascade.yield %oh : bf16
  }
  return %o : tensor<?x4x8xbf16>
}
