// More than one softmax of the scores, or more than its weighted sum.
// RUN: bash %S/Inputs/simulate.sh %s randint:140 | FileCheck %s
// CHECK: {{^[1-9][0-9]*}} passed, 0 failed
// RUN: cascade-compile %s --explain=json | sed 's/{"name"/\n&/g' \
// RUN:   | FileCheck %s --check-prefix=JSON

// A sink logit takes part in the maximum and, once, in the denominator.
// JSON: "name": "sink"{{.*}}"passes":{"d":1,"l":1}
func.func @sink(%q: tensor<2x4x32xbf16>,
                %k: tensor<2x2x?x32xbf16>,
                %v: tensor<2x2x?x32xbf16>,
                %len: tensor<2xi32>,
                %scale: f32,
                %sinks: tensor<4xf32>)
    -> tensor<2x4x32xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x32xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x32xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32,
          %sinks[h] : tensor<4xf32>)
      outs([b, h, e] : tensor<2x4x32xbf16>) {
  ^bb0(%qh: bf16, %kh: bf16, %vh: bf16, %n: i32, %c: f32, %sink: f32):
    %qe = arith.extf %qh : bf16 to f32
    %ke = arith.extf %kh : bf16 to f32
    %ve = arith.extf %vh : bf16 to f32
    %qk = arith.mulf %qe, %ke : f32
    %dot = cascade.reduce add %qk over (d) : f32
    %s = arith.mulf %dot, %c : f32
    %j = cascade.index l : i32
    %in = arith.cmpi slt, %j, %n : i32
    %m0 = cascade.reduce max %s over (l) where %in : f32
    %m = arith.maximumf %m0, %sink : f32
    %dm = arith.subf %s, %m : f32
    %x = math.exp %dm : f32
    %t0 = cascade.reduce add %x over (l) where %in : f32
    %ds = arith.subf %sink, %m : f32
    %xs = math.exp %ds : f32
    %t = arith.addf %t0, %xs : f32
    %p = arith.divf %x, %t : f32
    %w = arith.mulf %p, %ve : f32
    %a = cascade.reduce add %w over (l) where %in : f32
    %ah = arith.truncf %a : f32 to bf16
    cascade.yield %ah : bf16
  }
  return %o : tensor<2x4x32xbf16>
}

// Two softmaxes, one subtracted from the other: differential attention.
// JSON: "name": "differential"{{.*}}"passes":{"d":1,"l":1}
func.func @differential(%q1: tensor<2x4x32xbf16>,
                        %k1: tensor<2x2x?x32xbf16>,
                        %v: tensor<2x2x?x64xbf16>,
                        %len: tensor<2xi32>,
                        %scale: f32,
                        %lambda: f32,
                        %q2: tensor<2x4x32xbf16>,
                        %k2: tensor<2x2x?x32xbf16>)
    -> tensor<2x4x64xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q1[b, h, d] : tensor<2x4x32xbf16>,
          %k1[b, h floordiv 2, l, d] : tensor<2x2x?x32xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x64xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32,
          %lambda[] : f32,
          %q2[b, h, d] : tensor<2x4x32xbf16>,
          %k2[b, h floordiv 2, l, d] : tensor<2x2x?x32xbf16>)
      outs([b, h, e] : tensor<2x4x64xbf16>) {
  ^bb0(%qh1: bf16, %kh1: bf16, %vh: bf16, %n: i32, %c: f32, %la: f32, %qh2: bf16, %kh2: bf16):
    %j = cascade.index l : i32
    %in = arith.cmpi slt, %j, %n : i32
    %qe1 = arith.extf %qh1 : bf16 to f32
    %ke1 = arith.extf %kh1 : bf16 to f32
    %qk1 = arith.mulf %qe1, %ke1 : f32
    %dot1 = cascade.reduce add %qk1 over (d) : f32
    %s1 = arith.mulf %dot1, %c : f32
    %m1 = cascade.reduce max %s1 over (l) where %in : f32
    %dm1 = arith.subf %s1, %m1 : f32
    %x1 = math.exp %dm1 : f32
    %t1 = cascade.reduce add %x1 over (l) where %in : f32
    %p1 = arith.divf %x1, %t1 : f32
    %qe2 = arith.extf %qh2 : bf16 to f32
    %ke2 = arith.extf %kh2 : bf16 to f32
    %qk2 = arith.mulf %qe2, %ke2 : f32
    %dot2 = cascade.reduce add %qk2 over (d) : f32
    %s2 = arith.mulf %dot2, %c : f32
    %m2 = cascade.reduce max %s2 over (l) where %in : f32
    %dm2 = arith.subf %s2, %m2 : f32
    %x2 = math.exp %dm2 : f32
    %t2 = cascade.reduce add %x2 over (l) where %in : f32
    %p2 = arith.divf %x2, %t2 : f32
    %pl = arith.mulf %p2, %la : f32
    %p = arith.subf %p1, %pl : f32
    %ve = arith.extf %vh : bf16 to f32
    %w = arith.mulf %p, %ve : f32
    %a = cascade.reduce add %w over (l) where %in : f32
    %ah = arith.truncf %a : f32 to bf16
    cascade.yield %ah : bf16
  }
  return %o : tensor<2x4x64xbf16>
}

// The log-sum-exp of the scores as a second result.
// JSON: "name": "log_sum_exp"{{.*}}"passes":{"d":1,"l":1}
func.func @log_sum_exp(%q: tensor<2x4x32xbf16>,
                       %k: tensor<2x2x?x32xbf16>,
                       %v: tensor<2x2x?x32xbf16>,
                       %len: tensor<2xi32>,
                       %scale: f32)
    -> (tensor<2x4x32xbf16>, tensor<2x4xf32>) {
  %r0, %r1 = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x32xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x32xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<2x4x32xbf16>,
           [b, h] : tensor<2x4xf32>) {
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
  return %r0, %r1 : tensor<2x4x32xbf16>, tensor<2x4xf32>
}

// The same to the base 2.
// JSON: "name": "log_sum_exp_2"{{.*}}"passes":{"d":1,"l":1}
func.func @log_sum_exp_2(%q: tensor<2x4x32xbf16>,
                         %k: tensor<2x2x?x32xbf16>,
                         %v: tensor<2x2x?x32xbf16>,
                         %len: tensor<2xi32>,
                         %scale: f32)
    -> (tensor<2x4x32xbf16>, tensor<2x4xf32>) {
  %r0, %r1 = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x32xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x32xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<2x4x32xbf16>,
           [b, h] : tensor<2x4xf32>) {
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
    %x = math.exp2 %dm : f32
    %t = cascade.reduce add %x over (l) where %in : f32
    %p = arith.divf %x, %t : f32
    %w = arith.mulf %p, %ve : f32
    %a = cascade.reduce add %w over (l) where %in : f32
    %ah = arith.truncf %a : f32 to bf16
    %lt = math.log2 %t : f32
    %lse = arith.addf %m, %lt : f32
    cascade.yield %ah, %lse : bf16, f32
  }
  return %r0, %r1 : tensor<2x4x32xbf16>, tensor<2x4xf32>
}
