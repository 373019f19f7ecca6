// Which heads share what: the map of k and v says it.
// RUN: bash %S/Inputs/simulate.sh --brief %s randint:140 | FileCheck %s
// CHECK: {{^[1-9][0-9]*}} passed, 0 failed

// Every query head has a key-value head of its own.
func.func @multi_head(%q: tensor<2x4x64xbf16>,
                      %k: tensor<2x4x?x64xbf16>,
                      %v: tensor<2x4x?x64xbf16>,
                      %len: tensor<2xi32>,
                      %scale: f32)
    -> tensor<2x4x64xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x64xbf16>,
          %k[b, h, l, d] : tensor<2x4x?x64xbf16>,
          %v[b, h, l, e] : tensor<2x4x?x64xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<2x4x64xbf16>) {
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
  return %o : tensor<2x4x64xbf16>
}

// Four query heads share one of two key-value heads.
func.func @grouped_query(%q: tensor<2x8x64xbf16>,
                         %k: tensor<2x2x?x64xbf16>,
                         %v: tensor<2x2x?x64xbf16>,
                         %len: tensor<2xi32>,
                         %scale: f32)
    -> tensor<2x8x64xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x8x64xbf16>,
          %k[b, h floordiv 4, l, d] : tensor<2x2x?x64xbf16>,
          %v[b, h floordiv 4, l, e] : tensor<2x2x?x64xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<2x8x64xbf16>) {
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

// All query heads share one key-value head.
func.func @multi_query(%q: tensor<2x4x64xbf16>,
                       %k: tensor<2x?x64xbf16>,
                       %v: tensor<2x?x64xbf16>,
                       %len: tensor<2xi32>,
                       %scale: f32)
    -> tensor<2x4x64xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x64xbf16>,
          %k[b, l, d] : tensor<2x?x64xbf16>,
          %v[b, l, e] : tensor<2x?x64xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<2x4x64xbf16>) {
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
  return %o : tensor<2x4x64xbf16>
}

// More of them than a thread shares loads for.
func.func @multi_query_many(%q: tensor<2x16x64xbf16>,
                            %k: tensor<2x?x64xbf16>,
                            %v: tensor<2x?x64xbf16>,
                            %len: tensor<2xi32>,
                            %scale: f32)
    -> tensor<2x16x64xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x16x64xbf16>,
          %k[b, l, d] : tensor<2x?x64xbf16>,
          %v[b, l, e] : tensor<2x?x64xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<2x16x64xbf16>) {
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
