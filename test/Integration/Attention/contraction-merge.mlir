// The merge of sums of products: of four heads, which half of the lanes have
// twice; warps take parts of the values, and blocks the parts of some warps.
// RUN: bash %S/Inputs/simulate.sh --brief %s randint:140 | FileCheck %s
// CHECK: {{^[1-9][0-9]*}} passed, 0 failed

// Blocks 2 and 3 take no part of the values.
func.func @fewer_warps(%q: tensor<2x4x32xbf16>, %k: tensor<2x1x?x32xbf16>,
    %v: tensor<2x1x?x64xbf16>, %len: tensor<2xi32>, %scale: f32)
    -> (tensor<2x4x64xbf16>, tensor<2x4xf32>) {
  %o, %z = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>, %k[b, h floordiv 4, l, d] : tensor<2x1x?x32xbf16>,
          %v[b, h floordiv 4, l, e] : tensor<2x1x?x64xbf16>, %len[b] : tensor<2xi32>, %scale[] : f32)
      outs([b, h, e] : tensor<2x4x64xbf16>, [b, h] : tensor<2x4xf32>)
      attributes {mapping = #cascade.mapping<b: grid, h: grid x lane(2 at 1) x reg(2),
          l: cluster(4) x loop x warp(2) x reg(2) x lane(8 at 4),
          d: lane(4 at 1) x vector(8), e: lane(8 at 4) x vector(8),
          contract = [0: mma.m16n8k16, 3: mma.m16n8k16]>} {
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
    %a = cascade.reduce add %w over (l) where %in : f32
    %ah = arith.truncf %a : f32 to bf16
    %lt = math.log %t : f32
    %lse = arith.addf %m, %lt : f32
    cascade.yield %ah, %lse : bf16, f32
  }
  return %o, %z : tensor<2x4x64xbf16>, tensor<2x4xf32>
}

// Block 0 takes those of two warps.
func.func @uneven(%q: tensor<2x4x32xbf16>, %k: tensor<2x1x?x32xbf16>,
    %v: tensor<2x1x?x64xbf16>, %len: tensor<2xi32>, %scale: f32)
    -> (tensor<2x4x64xbf16>, tensor<2x4xf32>) {
  %o, %z = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>, %k[b, h floordiv 4, l, d] : tensor<2x1x?x32xbf16>,
          %v[b, h floordiv 4, l, e] : tensor<2x1x?x64xbf16>, %len[b] : tensor<2xi32>, %scale[] : f32)
      outs([b, h, e] : tensor<2x4x64xbf16>, [b, h] : tensor<2x4xf32>)
      attributes {mapping = #cascade.mapping<b: grid, h: grid x lane(2 at 1) x reg(2),
          l: cluster(3) x loop x warp(4) x reg(2) x lane(8 at 4),
          d: lane(4 at 1) x vector(8), e: lane(8 at 4) x vector(8),
          contract = [0: mma.m16n8k16, 3: mma.m16n8k16]>} {
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
    %a = cascade.reduce add %w over (l) where %in : f32
    %ah = arith.truncf %a : f32 to bf16
    %lt = math.log %t : f32
    %lse = arith.addf %m, %lt : f32
    cascade.yield %ah, %lse : bf16, f32
  }
  return %o, %z : tensor<2x4x64xbf16>, tensor<2x4xf32>
}

func.func @rows_of_a_block(%q: tensor<2x4x32xbf16>, %k: tensor<2x1x?x32xbf16>,
    %v: tensor<2x1x?x64xbf16>, %len: tensor<2xi32>, %scale: f32)
    -> (tensor<2x4x64xbf16>, tensor<2x4xf32>) {
  %o, %z = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>, %k[b, h floordiv 4, l, d] : tensor<2x1x?x32xbf16>,
          %v[b, h floordiv 4, l, e] : tensor<2x1x?x64xbf16>, %len[b] : tensor<2xi32>, %scale[] : f32)
      outs([b, h, e] : tensor<2x4x64xbf16>, [b, h] : tensor<2x4xf32>)
      attributes {mapping = #cascade.mapping<b: grid x warp(2), h: grid x lane(2 at 1) x reg(2),
          l: cluster(2) x loop x warp(4) x reg(2) x lane(8 at 4),
          d: lane(4 at 1) x vector(8), e: lane(8 at 4) x vector(8),
          contract = [0: mma.m16n8k16, 3: mma.m16n8k16]>} {
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
    %a = cascade.reduce add %w over (l) where %in : f32
    %ah = arith.truncf %a : f32 to bf16
    %lt = math.log %t : f32
    %lse = arith.addf %m, %lt : f32
    cascade.yield %ah, %lse : bf16, f32
  }
  return %o, %z : tensor<2x4x64xbf16>, tensor<2x4xf32>
}

func.func @one_warp(%q: tensor<2x4x32xbf16>, %k: tensor<2x1x?x32xbf16>,
    %v: tensor<2x1x?x64xbf16>, %len: tensor<2xi32>, %scale: f32)
    -> (tensor<2x4x64xbf16>, tensor<2x4xf32>) {
  %o, %z = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>, %k[b, h floordiv 4, l, d] : tensor<2x1x?x32xbf16>,
          %v[b, h floordiv 4, l, e] : tensor<2x1x?x64xbf16>, %len[b] : tensor<2xi32>, %scale[] : f32)
      outs([b, h, e] : tensor<2x4x64xbf16>, [b, h] : tensor<2x4xf32>)
      attributes {mapping = #cascade.mapping<b: grid, h: grid x lane(2 at 1) x reg(2),
          l: cluster(2) x loop x reg(2) x lane(8 at 4),
          d: lane(4 at 1) x vector(8), e: lane(8 at 4) x vector(8),
          contract = [0: mma.m16n8k16, 3: mma.m16n8k16]>} {
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
    %a = cascade.reduce add %w over (l) where %in : f32
    %ah = arith.truncf %a : f32 to bf16
    %lt = math.log %t : f32
    %lse = arith.addf %m, %lt : f32
    cascade.yield %ah, %lse : bf16, f32
  }
  return %o, %z : tensor<2x4x64xbf16>, tensor<2x4xf32>
}
