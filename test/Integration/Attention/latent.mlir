// Latent attention: one cache for all heads, whose first part is also the values.
// RUN: bash %S/Inputs/simulate.sh --brief %s randint:40 | FileCheck %s
// CHECK: {{^[1-9][0-9]*}} passed, 0 failed
// RUN: cascade-compile %s --explain=json | sed 's/{"name"/\n&/g' \
// RUN:   | FileCheck %s --check-prefix=JSON

// A score is a dot product with the latent of 512 and one with the rotary part of
// 64; the latent is given twice, once along d and once along e.
// JSON: "name": "latent"{{.*}}"passes":{"d":1,"l":1,"r":1}
func.func @latent(%q: tensor<1x2x512xbf16>,
                  %c: tensor<1x?x512xbf16>,
                  %cv: tensor<1x?x512xbf16>,
                  %len: tensor<1xi32>,
                  %scale: f32,
                  %qr: tensor<1x2x64xbf16>,
                  %kr: tensor<1x?x64xbf16>)
    -> tensor<1x2x512xbf16> {
  %o = cascade.chain (b, h, l, d, r, e)
      ins(%q[b, h, d] : tensor<1x2x512xbf16>,
          %c[b, l, d] : tensor<1x?x512xbf16>,
          %cv[b, l, e] : tensor<1x?x512xbf16>,
          %len[b] : tensor<1xi32>,
          %scale[] : f32,
          %qr[b, h, r] : tensor<1x2x64xbf16>,
          %kr[b, l, r] : tensor<1x?x64xbf16>)
      outs([b, h, e] : tensor<1x2x512xbf16>) {
  ^bb0(%qh: bf16, %kh: bf16, %vh: bf16, %n: i32, %sc: f32, %qrh: bf16, %krh: bf16):
    %qe = arith.extf %qh : bf16 to f32
    %ke = arith.extf %kh : bf16 to f32
    %ve = arith.extf %vh : bf16 to f32
    %qre = arith.extf %qrh : bf16 to f32
    %kre = arith.extf %krh : bf16 to f32
    %qk = arith.mulf %qe, %ke : f32
    %dot = cascade.reduce add %qk over (d) : f32
    %qkr = arith.mulf %qre, %kre : f32
    %rot = cascade.reduce add %qkr over (r) : f32
    %both = arith.addf %dot, %rot : f32
    %s = arith.mulf %both, %sc : f32
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
  return %o : tensor<1x2x512xbf16>
}
