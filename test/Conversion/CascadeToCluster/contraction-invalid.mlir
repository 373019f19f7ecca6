// RUN: cascade-opt %s --cascade-fuse --convert-cascade-to-cluster --split-input-file --verify-diagnostics
// Sums of products that a mapping gives to the tensor cores and these cannot take.

func.func @f(%q: tensor<2x8x64xbf16>, %k: tensor<2x1x?x64xbf16>, %v: tensor<2x1x?x64xbf16>)
    -> tensor<2x8x64xf32> {
  // expected-error @below {{the mapping contracts reductions by mma.m16n8k16, which takes axis 'l' with an even number of positions in reg and then lane(8 at 4)}}
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x8x64xbf16>, %k[b, h floordiv 8, l, d] : tensor<2x1x?x64xbf16>,
          %v[b, h floordiv 8, l, e] : tensor<2x1x?x64xbf16>)
      outs([b, h, e] : tensor<2x8x64xf32>)
      attributes {mapping = #cascade.mapping<b: grid, h: grid x lane(4 at 1) x reg(2), l: loop x lane(8 at 4), d: reg(2) x lane(4 at 1) x vector(8), e: lane(8 at 4) x vector(8),
          contract = [0: mma.m16n8k16, 3: mma.m16n8k16]>} {
  ^bb0(%qh: bf16, %kh: bf16, %vh: bf16):
  %qe = arith.extf %qh : bf16 to f32
  %ke = arith.extf %kh : bf16 to f32
  %ve = arith.extf %vh : bf16 to f32
  %qk = arith.mulf %qe, %ke : f32
  %s = cascade.reduce add %qk over (d) : f32
  %m = cascade.reduce max %s over (l) : f32
  %dm = arith.subf %s, %m : f32
  %x = math.exp %dm : f32
  %t = cascade.reduce add %x over (l) : f32
  %p = arith.divf %x, %t : f32
  %w = arith.mulf %p, %ve : f32
  %a = cascade.reduce add %w over (l) : f32
  cascade.yield %a : f32
  }
  return %o : tensor<2x8x64xf32>
}

// -----

func.func @f(%q: tensor<2x8x64xbf16>, %k: tensor<2x1x?x64xbf16>, %v: tensor<2x1x?x64xbf16>)
    -> tensor<2x8x64xf32> {
  // expected-error @below {{the mapping contracts reduction 9, which the chain does not have}}
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x8x64xbf16>, %k[b, h floordiv 8, l, d] : tensor<2x1x?x64xbf16>,
          %v[b, h floordiv 8, l, e] : tensor<2x1x?x64xbf16>)
      outs([b, h, e] : tensor<2x8x64xf32>)
      attributes {mapping = #cascade.mapping<b: grid, h: grid x lane(4 at 1) x reg(2), l: loop x reg(2) x lane(8 at 4), d: reg(16) x lane(4 at 1), e: reg(8) x lane(8 at 4),
          contract = [9: mma.m16n8k16]>} {
  ^bb0(%qh: bf16, %kh: bf16, %vh: bf16):
  %qe = arith.extf %qh : bf16 to f32
  %ke = arith.extf %kh : bf16 to f32
  %ve = arith.extf %vh : bf16 to f32
  %qk = arith.mulf %qe, %ke : f32
  %s = cascade.reduce add %qk over (d) : f32
  %m = cascade.reduce max %s over (l) : f32
  %dm = arith.subf %s, %m : f32
  %x = math.exp %dm : f32
  %t = cascade.reduce add %x over (l) : f32
  %p = arith.divf %x, %t : f32
  %w = arith.mulf %p, %ve : f32
  %a = cascade.reduce add %w over (l) : f32
  cascade.yield %a : f32
  }
  return %o : tensor<2x8x64xf32>
}

// -----

func.func @f(%q: tensor<2x8x64xbf16>, %k: tensor<2x1x?x64xbf16>, %v: tensor<2x1x?x64xbf16>)
    -> tensor<2x8x64xf32> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x8x64xbf16>, %k[b, h floordiv 8, l, d] : tensor<2x1x?x64xbf16>,
          %v[b, h floordiv 8, l, e] : tensor<2x1x?x64xbf16>)
      outs([b, h, e] : tensor<2x8x64xf32>)
      attributes {mapping = #cascade.mapping<b: grid, h: grid x lane(4 at 1) x reg(2), l: loop x reg(2) x lane(8 at 4), d: reg(2) x lane(4 at 1) x vector(8), e: lane(8 at 4) x vector(8),
          contract = [1: mma.m16n8k16]>} {
  ^bb0(%qh: bf16, %kh: bf16, %vh: bf16):
  %qe = arith.extf %qh : bf16 to f32
  %ke = arith.extf %kh : bf16 to f32
  %ve = arith.extf %vh : bf16 to f32
  %qk = arith.mulf %qe, %ke : f32
  %s = cascade.reduce add %qk over (d) : f32
  // expected-error @below {{it is no sum over one axis of products in f32}}
  %m = cascade.reduce max %s over (l) : f32
  %dm = arith.subf %s, %m : f32
  %x = math.exp %dm : f32
  %t = cascade.reduce add %x over (l) : f32
  %p = arith.divf %x, %t : f32
  %w = arith.mulf %p, %ve : f32
  %a = cascade.reduce add %w over (l) : f32
  cascade.yield %a : f32
  }
  return %o : tensor<2x8x64xf32>
}

// -----

func.func @f(%q: tensor<2x8x64xbf16>, %k: tensor<2x1x?x64xbf16>, %v: tensor<2x1x?x64xbf16>)
    -> tensor<2x8x64xf32> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x8x64xbf16>, %k[b, h floordiv 8, l, d] : tensor<2x1x?x64xbf16>,
          %v[b, h floordiv 8, l, e] : tensor<2x1x?x64xbf16>)
      outs([b, h, e] : tensor<2x8x64xf32>)
      attributes {mapping = #cascade.mapping<b: grid, h: grid x lane(4 at 1) x reg(2), l: loop x reg(2) x lane(8 at 4), d: reg(4) x lane(2 at 1) x vector(8), e: lane(8 at 4) x vector(8),
          contract = [0: mma.m16n8k16, 3: mma.m16n8k16]>} {
  ^bb0(%qh: bf16, %kh: bf16, %vh: bf16):
  %qe = arith.extf %qh : bf16 to f32
  %ke = arith.extf %kh : bf16 to f32
  %ve = arith.extf %vh : bf16 to f32
  %qk = arith.mulf %qe, %ke : f32
  // expected-error @below {{axis 'd' must be held whole by four lanes, lane(4 at 1)}}
  %s = cascade.reduce add %qk over (d) : f32
  %m = cascade.reduce max %s over (l) : f32
  %dm = arith.subf %s, %m : f32
  %x = math.exp %dm : f32
  %t = cascade.reduce add %x over (l) : f32
  %p = arith.divf %x, %t : f32
  %w = arith.mulf %p, %ve : f32
  %a = cascade.reduce add %w over (l) : f32
  cascade.yield %a : f32
  }
  return %o : tensor<2x8x64xf32>
}

// -----

func.func @f(%q: tensor<2x8x64xbf16>, %k: tensor<2x1x?x64xbf16>, %v: tensor<2x1x?x64xbf16>)
    -> tensor<2x8x64xf32> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x8x64xbf16>, %k[b, h floordiv 8, l, d] : tensor<2x1x?x64xbf16>,
          %v[b, h floordiv 8, l, e] : tensor<2x1x?x64xbf16>)
      outs([b, h, e] : tensor<2x8x64xf32>)
      attributes {mapping = #cascade.mapping<b: grid, h: grid x lane(4 at 1) x reg(2), l: loop x reg(2) x lane(8 at 4), d: reg(3) x lane(4 at 1) x vector(8), e: lane(8 at 4) x vector(8),
          contract = [0: mma.m16n8k16, 3: mma.m16n8k16]>} {
  ^bb0(%qh: bf16, %kh: bf16, %vh: bf16):
  %qe = arith.extf %qh : bf16 to f32
  %ke = arith.extf %kh : bf16 to f32
  %ve = arith.extf %vh : bf16 to f32
  %qk = arith.mulf %qe, %ke : f32
  // expected-error @below {{axis 'd' must be held whole by four lanes, lane(4 at 1)}}
  %s = cascade.reduce add %qk over (d) : f32
  %m = cascade.reduce max %s over (l) : f32
  %dm = arith.subf %s, %m : f32
  %x = math.exp %dm : f32
  %t = cascade.reduce add %x over (l) : f32
  %p = arith.divf %x, %t : f32
  %w = arith.mulf %p, %ve : f32
  %a = cascade.reduce add %w over (l) : f32
  cascade.yield %a : f32
  }
  return %o : tensor<2x8x64xf32>
}

// -----

func.func @f(%q: tensor<2x8x64xbf16>, %k: tensor<2x1x?x64xbf16>, %v: tensor<2x1x?x64xbf16>)
    -> tensor<2x8x64xf32> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x8x64xbf16>, %k[b, h floordiv 8, l, d] : tensor<2x1x?x64xbf16>,
          %v[b, h floordiv 8, l, e] : tensor<2x1x?x64xbf16>)
      outs([b, h, e] : tensor<2x8x64xf32>)
      attributes {mapping = #cascade.mapping<b: grid, h: grid x lane(4 at 1) x reg(2), l: loop x reg(2) x lane(8 at 4), d: reg(2) x lane(4 at 1) x vector(8), e: reg(2) x lane(4 at 1) x vector(8),
          contract = [0: mma.m16n8k16, 3: mma.m16n8k16]>} {
  ^bb0(%qh: bf16, %kh: bf16, %vh: bf16):
  %qe = arith.extf %qh : bf16 to f32
  %ke = arith.extf %kh : bf16 to f32
  %ve = arith.extf %vh : bf16 to f32
  %qk = arith.mulf %qe, %ke : f32
  %s = cascade.reduce add %qk over (d) : f32
  %m = cascade.reduce max %s over (l) : f32
  %dm = arith.subf %s, %m : f32
  %x = math.exp %dm : f32
  %t = cascade.reduce add %x over (l) : f32
  %p = arith.divf %x, %t : f32
  %w = arith.mulf %p, %ve : f32
  // expected-error @below {{axis 'e' must be on lanes from 4 on, as lane(8 at 4)}}
  %a = cascade.reduce add %w over (l) : f32
  cascade.yield %a : f32
  }
  return %o : tensor<2x8x64xf32>
}

// -----

func.func @f(%q: tensor<2x8x64xbf16>, %k: tensor<2x1x?x64xbf16>, %v: tensor<2x1x?x64xbf16>)
    -> tensor<2x8x64xf32> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x8x64xbf16>, %k[b, h floordiv 8, l, d] : tensor<2x1x?x64xbf16>,
          %v[b, h floordiv 8, l, e] : tensor<2x1x?x64xbf16>)
      outs([b, h, e] : tensor<2x8x64xf32>)
      attributes {mapping = #cascade.mapping<b: grid, h: grid x lane(4 at 1) x reg(2), l: loop x reg(2) x lane(8 at 4), d: reg(2) x lane(4 at 1) x vector(8), e: grid x lane(8 at 4),
          contract = [0: mma.m16n8k16, 3: mma.m16n8k16]>} {
  ^bb0(%qh: bf16, %kh: bf16, %vh: bf16):
  %qe = arith.extf %qh : bf16 to f32
  %ke = arith.extf %kh : bf16 to f32
  %ve = arith.extf %vh : bf16 to f32
  %qk = arith.mulf %qe, %ke : f32
  %s = cascade.reduce add %qk over (d) : f32
  %m = cascade.reduce max %s over (l) : f32
  %dm = arith.subf %s, %m : f32
  %x = math.exp %dm : f32
  %t = cascade.reduce add %x over (l) : f32
  %p = arith.divf %x, %t : f32
  %w = arith.mulf %p, %ve : f32
  // expected-error @below {{a thread must have an even number of its results a column}}
  %a = cascade.reduce add %w over (l) : f32
  cascade.yield %a : f32
  }
  return %o : tensor<2x8x64xf32>
}

// -----

func.func @f(%q: tensor<2x8x64xbf16>, %k: tensor<2x1x?x64xbf16>, %v: tensor<2x1x?x64xbf16>)
    -> tensor<2x8x64xf32> {
  // expected-error @below {{the mapping contracts reductions by mma.m16n8k16, which takes two columns a thread}}
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x8x64xbf16>, %k[b, h floordiv 8, l, d] : tensor<2x1x?x64xbf16>,
          %v[b, h floordiv 8, l, e] : tensor<2x1x?x64xbf16>)
      outs([b, h, e] : tensor<2x8x64xf32>)
      attributes {mapping = #cascade.mapping<b: grid, h: grid x lane(4 at 1), l: loop x reg(2) x lane(8 at 4), d: reg(2) x lane(4 at 1) x vector(8), e: lane(8 at 4) x vector(8),
          contract = [0: mma.m16n8k16, 3: mma.m16n8k16]>} {
  ^bb0(%qh: bf16, %kh: bf16, %vh: bf16):
  %qe = arith.extf %qh : bf16 to f32
  %ke = arith.extf %kh : bf16 to f32
  %ve = arith.extf %vh : bf16 to f32
  %qk = arith.mulf %qe, %ke : f32
  %s = cascade.reduce add %qk over (d) : f32
  %m = cascade.reduce max %s over (l) : f32
  %dm = arith.subf %s, %m : f32
  %x = math.exp %dm : f32
  %t = cascade.reduce add %x over (l) : f32
  %p = arith.divf %x, %t : f32
  %w = arith.mulf %p, %ve : f32
  %a = cascade.reduce add %w over (l) : f32
  cascade.yield %a : f32
  }
  return %o : tensor<2x8x64xf32>
}

// -----

func.func @f(%q: tensor<2x8x64xbf16>, %k: tensor<2x2x?x64xbf16>, %v: tensor<2x2x?x64xbf16>)
    -> tensor<2x8x64xf32> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x8x64xbf16>, %k[b, h floordiv 4, l, d] : tensor<2x2x?x64xbf16>,
          %v[b, h floordiv 4, l, e] : tensor<2x2x?x64xbf16>)
      outs([b, h, e] : tensor<2x8x64xf32>)
      attributes {mapping = #cascade.mapping<b: grid, h: grid x lane(4 at 1) x reg(2), l: loop x reg(2) x lane(8 at 4), d: reg(2) x lane(4 at 1) x vector(8), e: lane(8 at 4) x vector(8),
          contract = [0: mma.m16n8k16, 3: mma.m16n8k16]>} {
  ^bb0(%qh: bf16, %kh: bf16, %vh: bf16):
  %qe = arith.extf %qh : bf16 to f32
  %ke = arith.extf %kh : bf16 to f32
  %ve = arith.extf %vh : bf16 to f32
  %qk = arith.mulf %qe, %ke : f32
  // expected-error @below {{both factors vary over axis 'h' where a warp has it}}
  %s = cascade.reduce add %qk over (d) : f32
  %m = cascade.reduce max %s over (l) : f32
  %dm = arith.subf %s, %m : f32
  %x = math.exp %dm : f32
  %t = cascade.reduce add %x over (l) : f32
  %p = arith.divf %x, %t : f32
  %w = arith.mulf %p, %ve : f32
  %a = cascade.reduce add %w over (l) : f32
  cascade.yield %a : f32
  }
  return %o : tensor<2x8x64xf32>
}

// -----

func.func @f(%q: tensor<2x8x64xf32>, %k: tensor<2x1x?x64xf32>, %v: tensor<2x1x?x64xf32>)
    -> tensor<2x8x64xf32> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x8x64xf32>, %k[b, h floordiv 8, l, d] : tensor<2x1x?x64xf32>,
          %v[b, h floordiv 8, l, e] : tensor<2x1x?x64xf32>)
      outs([b, h, e] : tensor<2x8x64xf32>)
      attributes {mapping = #cascade.mapping<b: grid, h: grid x lane(4 at 1) x reg(2), l: loop x reg(2) x lane(8 at 4), d: reg(16) x lane(4 at 1), e: lane(8 at 4) x vector(8),
          contract = [0: mma.m16n8k16, 3: mma.m16n8k16]>} {
  ^bb0(%qh: f32, %kh: f32, %vh: f32):
  %qk = arith.mulf %qh, %kh : f32
  // expected-error @below {{its factors must be f16 both, or bf16 or 8 bits wide, before they are widened}}
  %s = cascade.reduce add %qk over (d) : f32
  %m = cascade.reduce max %s over (l) : f32
  %dm = arith.subf %s, %m : f32
  %x = math.exp %dm : f32
  %t = cascade.reduce add %x over (l) : f32
  %p = arith.divf %x, %t : f32
  %w = arith.mulf %p, %vh : f32
  %a = cascade.reduce add %w over (l) : f32
  cascade.yield %a : f32
  }
  return %o : tensor<2x8x64xf32>
}
