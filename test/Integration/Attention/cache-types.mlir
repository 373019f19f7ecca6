// Types of the cache.
// RUN: bash %S/Inputs/simulate.sh --brief %s randint:140 | FileCheck %s
// CHECK: {{^[1-9][0-9]*}} passed, 0 failed

func.func @cache_f16(%q: tensor<2x4x32xf16>,
                     %k: tensor<2x2x?x32xf16>,
                     %v: tensor<2x2x?x32xf16>,
                     %len: tensor<2xi32>,
                     %scale: f32)
    -> tensor<2x4x32xf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x32xf16>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x32xf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<2x4x32xf16>) {
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
  return %o : tensor<2x4x32xf16>
}

func.func @cache_bf16(%q: tensor<2x4x32xbf16>,
                      %k: tensor<2x2x?x32xbf16>,
                      %v: tensor<2x2x?x32xbf16>,
                      %len: tensor<2xi32>,
                      %scale: f32)
    -> tensor<2x4x32xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x32xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x32xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<2x4x32xbf16>) {
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
  return %o : tensor<2x4x32xbf16>
}

func.func @cache_f32(%q: tensor<2x4x32xf32>,
                     %k: tensor<2x2x?x32xf32>,
                     %v: tensor<2x2x?x32xf32>,
                     %len: tensor<2xi32>,
                     %scale: f32)
    -> tensor<2x4x32xf32> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xf32>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x32xf32>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x32xf32>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<2x4x32xf32>) {
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
    %a = cascade.reduce add %w over (l) where %in : f32
    cascade.yield %a : f32
  }
  return %o : tensor<2x4x32xf32>
}

// 8-bit floats with a scale a tensor.
func.func @cache_e4m3(%q: tensor<2x4x32xbf16>,
                      %k: tensor<2x2x?x32xf8E4M3FN>,
                      %v: tensor<2x2x?x32xf8E4M3FN>,
                      %len: tensor<2xi32>,
                      %scale: f32,
                      %kscale: f32,
                      %vscale: f32)
    -> tensor<2x4x32xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x32xf8E4M3FN>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x32xf8E4M3FN>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32,
          %kscale[] : f32,
          %vscale[] : f32)
      outs([b, h, e] : tensor<2x4x32xbf16>) {
  ^bb0(%qh: bf16, %kh: f8E4M3FN, %vh: f8E4M3FN, %n: i32, %c: f32, %ks: f32, %vs: f32):
    %qe = arith.extf %qh : bf16 to f32
    %kq = arith.extf %kh : f8E4M3FN to f32
    %vq = arith.extf %vh : f8E4M3FN to f32
    %ke = arith.mulf %kq, %ks : f32
    %ve = arith.mulf %vq, %vs : f32
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
  return %o : tensor<2x4x32xbf16>
}

func.func @cache_e5m2(%q: tensor<2x4x32xbf16>,
                      %k: tensor<2x2x?x32xf8E5M2>,
                      %v: tensor<2x2x?x32xf8E5M2>,
                      %len: tensor<2xi32>,
                      %scale: f32,
                      %kscale: f32,
                      %vscale: f32)
    -> tensor<2x4x32xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x32xf8E5M2>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x32xf8E5M2>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32,
          %kscale[] : f32,
          %vscale[] : f32)
      outs([b, h, e] : tensor<2x4x32xbf16>) {
  ^bb0(%qh: bf16, %kh: f8E5M2, %vh: f8E5M2, %n: i32, %c: f32, %ks: f32, %vs: f32):
    %qe = arith.extf %qh : bf16 to f32
    %kq = arith.extf %kh : f8E5M2 to f32
    %vq = arith.extf %vh : f8E5M2 to f32
    %ke = arith.mulf %kq, %ks : f32
    %ve = arith.mulf %vq, %vs : f32
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
  return %o : tensor<2x4x32xbf16>
}
