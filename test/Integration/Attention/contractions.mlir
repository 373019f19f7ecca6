// Sums of products on the tensor cores, under mappings that say so.
// RUN: bash %S/Inputs/simulate.sh --brief %s randint:140 | FileCheck %s
// CHECK: {{^[1-9][0-9]*}} passed, 0 failed

// Eight query heads share keys, which are loaded a tile ahead.
func.func @group_of_8(%q: tensor<2x16x64xbf16>, %k: tensor<2x2x?x64xbf16>,
    %v: tensor<2x2x?x64xbf16>, %len: tensor<2xi32>, %scale: f32) -> tensor<2x16x64xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x16x64xbf16>, %k[b, h floordiv 8, l, d] : tensor<2x2x?x64xbf16>,
          %v[b, h floordiv 8, l, e] : tensor<2x2x?x64xbf16>, %len[b] : tensor<2xi32>, %scale[] : f32)
      outs([b, h, e] : tensor<2x16x64xbf16>)
      attributes {mapping = #cascade.mapping<b: grid, h: grid x lane(4 at 1) x reg(2),
          l: cluster(2) x loop x reg(4) x warp(2) x lane(8 at 4),
          d: reg(2) x lane(4 at 1) x vector(8), e: lane(8 at 4) x vector(8), load = [1: ahead(1), 2: ahead(1)],
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
    cascade.yield %ah : bf16
  }
  return %o : tensor<2x16x64xbf16>
}

// The values of f16 take two numbers of bf16 each.
func.func @group_of_8_f16(%q: tensor<2x8x64xf16>, %k: tensor<2x1x?x64xf16>,
    %v: tensor<2x1x?x64xf16>, %len: tensor<2xi32>, %scale: f32) -> tensor<2x8x64xf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x8x64xf16>, %k[b, h floordiv 8, l, d] : tensor<2x1x?x64xf16>,
          %v[b, h floordiv 8, l, e] : tensor<2x1x?x64xf16>, %len[b] : tensor<2xi32>, %scale[] : f32)
      outs([b, h, e] : tensor<2x8x64xf16>)
      attributes {mapping = #cascade.mapping<b: grid, h: grid x lane(4 at 1) x reg(2),
          l: loop x warp(2) x reg(2) x lane(8 at 4),
          d: reg(2) x lane(4 at 1) x vector(8), e: lane(8 at 4) x vector(8),
          contract = [0: mma.m16n8k16, 3: mma.m16n8k16]>} {
  ^bb0(%qh: f16, %kh: f16, %vh: f16, %n: i32, %c: f32):
    %qe = arith.extf %qh : f16 to f32
    %ke = arith.extf %kh : f16 to f32
    %ve = arith.extf %vh : f16 to f32
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
    %ah = arith.truncf %a : f32 to f16
    cascade.yield %ah : f16
  }
  return %o : tensor<2x8x64xf16>
}

// Four heads fill half of the columns.
func.func @group_of_4(%q: tensor<2x8x64xbf16>, %k: tensor<2x2x?x64xbf16>,
    %v: tensor<2x2x?x64xbf16>, %len: tensor<2xi32>, %scale: f32) -> tensor<2x8x64xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x8x64xbf16>, %k[b, h floordiv 4, l, d] : tensor<2x2x?x64xbf16>,
          %v[b, h floordiv 4, l, e] : tensor<2x2x?x64xbf16>, %len[b] : tensor<2xi32>, %scale[] : f32)
      outs([b, h, e] : tensor<2x8x64xbf16>)
      attributes {mapping = #cascade.mapping<b: grid, h: grid x lane(2 at 1) x reg(2),
          l: loop x reg(2) x lane(8 at 4),
          d: reg(2) x lane(4 at 1) x vector(8), e: lane(8 at 4) x vector(8),
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
    cascade.yield %ah : bf16
  }
  return %o : tensor<2x8x64xbf16>
}

// Twelve heads, of sixteen columns, share all keys, which are longer than values.
func.func @multi_query(%q: tensor<2x12x192xbf16>, %k: tensor<2x?x192xbf16>,
    %v: tensor<2x?x128xbf16>, %len: tensor<2xi32>, %scale: f32) -> tensor<2x12x128xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x12x192xbf16>, %k[b, l, d] : tensor<2x?x192xbf16>,
          %v[b, l, e] : tensor<2x?x128xbf16>, %len[b] : tensor<2xi32>, %scale[] : f32)
      outs([b, h, e] : tensor<2x12x128xbf16>)
      attributes {mapping = #cascade.mapping<b: grid, h: grid x reg(2) x lane(4 at 1) x reg(2),
          l: cluster(3) x loop x reg(2) x warp(4) x lane(8 at 4),
          d: reg(6) x lane(4 at 1) x vector(8),
          e: reg(2) x lane(8 at 4) x vector(8),
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
    cascade.yield %ah : bf16
  }
  return %o : tensor<2x12x128xbf16>
}

// Columns are three queries of two heads each.
func.func @causal(%q: tensor<2x3x2x64xbf16>, %k: tensor<2x1x?x64xbf16>,
    %v: tensor<2x1x?x64xbf16>, %len: tensor<2xi32>, %scale: f32) -> tensor<2x3x2x64xbf16> {
  %o = cascade.chain (b, i, h, l, d, e)
      ins(%q[b, i, h, d] : tensor<2x3x2x64xbf16>, %k[b, h floordiv 2, l, d] : tensor<2x1x?x64xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<2x1x?x64xbf16>, %len[b] : tensor<2xi32>, %scale[] : f32)
      outs([b, i, h, e] : tensor<2x3x2x64xbf16>)
      attributes {mapping = #cascade.mapping<b: grid, i: grid x lane(4 at 1), h: grid x reg(2),
          l: loop x reg(4) x warp(2) x lane(8 at 4),
          d: reg(2) x lane(4 at 1) x vector(8), e: lane(8 at 4) x vector(8),
          contract = [0: mma.m16n8k16, 3: mma.m16n8k16]>} {
  ^bb0(%qh: bf16, %kh: bf16, %vh: bf16, %n: i32, %c: f32):
    %qe = arith.extf %qh : bf16 to f32
    %ke = arith.extf %kh : bf16 to f32
    %ve = arith.extf %vh : bf16 to f32
    %qk = arith.mulf %qe, %ke : f32
    %dot = cascade.reduce add %qk over (d) : f32
    %s = arith.mulf %dot, %c : f32
    %j = cascade.index l : i32
    %i = cascade.index i : i32
    %after = arith.addi %n, %i : i32
    %all = cascade.extent i : i32
    %last = arith.subi %after, %all : i32
    %in = arith.cmpi sle, %j, %last : i32
    %m = cascade.reduce max %s over (l) where %in : f32
    %dm = arith.subf %s, %m : f32
    %x = math.exp %dm : f32
    %t = cascade.reduce add %x over (l) where %in : f32
    %p = arith.divf %x, %t : f32
    %w = arith.mulf %p, %ve : f32
    %a = cascade.reduce add %w over (l) where %in : f32
    %ah = arith.truncf %a : f32 to bf16
    cascade.yield %ah : bf16
  }
  return %o : tensor<2x3x2x64xbf16>
}

// Scores with a cap and a slope, softmaxes with a sink and their log-sum-exp,
// a window, values of another type than keys: the rest of the chain is free. The
// results are f32.
func.func @variants(%q: tensor<2x8x128xf16>, %k: tensor<2x?x128xf16>,
    %v: tensor<2x?x96xbf16>, %len: tensor<2xi32>, %scale: f32)
    -> (tensor<2x8x96xf32>, tensor<2x8xf32>) {
  %o:2 = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x8x128xf16>, %k[b, l, d] : tensor<2x?x128xf16>,
          %v[b, l, e] : tensor<2x?x96xbf16>, %len[b] : tensor<2xi32>, %scale[] : f32)
      outs([b, h, e] : tensor<2x8x96xf32>, [b, h] : tensor<2x8xf32>)
      attributes {mapping = #cascade.mapping<b: grid, h: grid x lane(4 at 1) x reg(2),
          l: loop x cluster(2) x reg(2) x warp(3) x lane(8 at 4),
          d: reg(32) x lane(4 at 1), e: reg(3) x lane(8 at 4) x vector(4),
          load = [2: ahead(1)], contract = [0: mma.m16n8k16, 3: mma.m16n8k16]>} {
  ^bb0(%qh: f16, %kh: f16, %vh: bf16, %n: i32, %c: f32):
    %qe = arith.extf %qh : f16 to f32
    %ke = arith.extf %kh : f16 to f32
    %ve = arith.extf %vh : bf16 to f32
    %qk = arith.mulf %qe, %ke : f32
    %dot = cascade.reduce add %qk over (d) : f32
    %scaled = arith.mulf %dot, %c : f32
    %tanh = math.tanh %scaled : f32
    %cap = arith.constant 20.0 : f32
    %capped = arith.mulf %tanh, %cap : f32
    %j = cascade.index l : i32
    %g = cascade.index h : i32
    %back = arith.subi %n, %j : i32
    %distance = arith.sitofp %back : i32 to f32
    %head = arith.sitofp %g : i32 to f32
    %slope = math.exp2 %head : f32
    %least = arith.constant 0.001 : f32
    %small = arith.mulf %slope, %least : f32
    %bias = arith.mulf %small, %distance : f32
    %s = arith.subf %capped, %bias : f32
    %window = arith.constant 70 : i32
    %first = arith.subi %n, %window : i32
    %before = arith.cmpi slt, %j, %n : i32
    %after = arith.cmpi sge, %j, %first : i32
    %in = arith.andi %before, %after : i1
    %m = cascade.reduce max %s over (l) where %in : f32
    %sink = arith.constant -1.5 : f32
    %top = arith.maximumf %m, %sink : f32
    %dm = arith.subf %s, %top : f32
    %x = math.exp %dm : f32
    %t = cascade.reduce add %x over (l) where %in : f32
    %ds = arith.subf %sink, %top : f32
    %xs = math.exp %ds : f32
    %total = arith.addf %t, %xs : f32
    %p = arith.divf %x, %total : f32
    %w = arith.mulf %p, %ve : f32
    %a = cascade.reduce add %w over (l) where %in : f32
    %log = math.log %total : f32
    %lse = arith.addf %top, %log : f32
    cascade.yield %a, %lse : f32, f32
  }
  return %o#0, %o#1 : tensor<2x8x96xf32>, tensor<2x8xf32>
}
