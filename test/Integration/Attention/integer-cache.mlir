// RUN: cascade-run %s --device=sim --dim=l=0,1,33 --input=rand --input=randint:100 --input=rand \
// RUN:   --input=randint:40 --check | FileCheck %s
// RUN: cascade-run %s --device=sim --dim=l=70 --cluster=3 --offset-elements=1 --check \
// RUN:   | FileCheck %s --check-prefix=ONE
// CHECK: 3 passed, 0 failed
// ONE: result0: agrees with the unfused evaluation

// 8-bit integers with a scale of each head.
func.func @int8_keys(%q: tensor<2x4x32xbf16>,
                     %k: tensor<2x2x?x32xi8>,
                     %v: tensor<2x2x?x32xbf16>,
                     %len: tensor<2xi32>,
                     %scale: f32,
                     %ks: tensor<4xf32>)
    -> tensor<2x4x32xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x32xi8>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x32xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32,
          %ks[h] : tensor<4xf32>)
      outs([b, h, e] : tensor<2x4x32xbf16>) {
  ^bb0(%qh: bf16, %ki: i8, %vh: bf16, %n: i32, %c: f32, %kscale: f32):
    %qe = arith.extf %qh : bf16 to f32
    %ve = arith.extf %vh : bf16 to f32
    %kf = arith.sitofp %ki : i8 to f32
    %ke = arith.mulf %kf, %kscale : f32
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
