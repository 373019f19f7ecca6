// What becomes of a score before the softmax.
// RUN: bash %S/Inputs/simulate.sh --brief %s randint:140 | FileCheck %s
// CHECK: {{^[1-9][0-9]*}} passed, 0 failed
// RUN: cascade-compile %s --explain=json | sed 's/{"name"/\n&/g' \
// RUN:   | FileCheck %s --check-prefix=JSON

// A soft cap.
// JSON: "name": "softcap"{{.*}}"passes":{"d":1,"l":1}
func.func @softcap(%q: tensor<2x4x32xbf16>,
                   %k: tensor<2x2x?x32xbf16>,
                   %v: tensor<2x2x?x32xbf16>,
                   %len: tensor<2xi32>,
                   %scale: f32,
                   %cap_: f32)
    -> tensor<2x4x32xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x32xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x32xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32,
          %cap_[] : f32)
      outs([b, h, e] : tensor<2x4x32xbf16>) {
  ^bb0(%qh: bf16, %kh: bf16, %vh: bf16, %n: i32, %c: f32, %cap: f32):
    %qe = arith.extf %qh : bf16 to f32
    %ke = arith.extf %kh : bf16 to f32
    %ve = arith.extf %vh : bf16 to f32
    %qk = arith.mulf %qe, %ke : f32
    %dot = cascade.reduce add %qk over (d) : f32
    %s = arith.mulf %dot, %c : f32
    %j = cascade.index l : i32
    %in = arith.cmpi slt, %j, %n : i32
    %rel = arith.divf %s, %cap : f32
    %tanh = math.tanh %rel : f32
    %y = arith.mulf %tanh, %cap : f32
    %m = cascade.reduce max %y over (l) where %in : f32
    %dm = arith.subf %y, %m : f32
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

// A bias linear in the distance (ALiBi), with a slope of each head.
// JSON: "name": "alibi"{{.*}}"passes":{"d":1,"l":1}
func.func @alibi(%q: tensor<2x4x32xbf16>,
                 %k: tensor<2x2x?x32xbf16>,
                 %v: tensor<2x2x?x32xbf16>,
                 %len: tensor<2xi32>,
                 %scale: f32,
                 %slopes: tensor<4xf32>)
    -> tensor<2x4x32xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x32xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x32xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32,
          %slopes[h] : tensor<4xf32>)
      outs([b, h, e] : tensor<2x4x32xbf16>) {
  ^bb0(%qh: bf16, %kh: bf16, %vh: bf16, %n: i32, %c: f32, %slope: f32):
    %qe = arith.extf %qh : bf16 to f32
    %ke = arith.extf %kh : bf16 to f32
    %ve = arith.extf %vh : bf16 to f32
    %qk = arith.mulf %qe, %ke : f32
    %dot = cascade.reduce add %qk over (d) : f32
    %s = arith.mulf %dot, %c : f32
    %j = cascade.index l : i32
    %in = arith.cmpi slt, %j, %n : i32
    %back = arith.subi %n, %j : i32
    %far = arith.sitofp %back : i32 to f32
    %bias = arith.mulf %far, %slope : f32
    %y = arith.subf %s, %bias : f32
    %m = cascade.reduce max %y over (l) where %in : f32
    %dm = arith.subf %y, %m : f32
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

// A bias in memory.
// JSON: "name": "bias"{{.*}}"passes":{"d":1,"l":1}
func.func @bias(%q: tensor<2x4x32xbf16>,
                %k: tensor<2x2x?x32xbf16>,
                %v: tensor<2x2x?x32xbf16>,
                %len: tensor<2xi32>,
                %scale: f32,
                %z: tensor<2x4x?xbf16>)
    -> tensor<2x4x32xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x32xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x32xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32,
          %z[b, h, l] : tensor<2x4x?xbf16>)
      outs([b, h, e] : tensor<2x4x32xbf16>) {
  ^bb0(%qh: bf16, %kh: bf16, %vh: bf16, %n: i32, %c: f32, %bh: bf16):
    %qe = arith.extf %qh : bf16 to f32
    %ke = arith.extf %kh : bf16 to f32
    %ve = arith.extf %vh : bf16 to f32
    %qk = arith.mulf %qe, %ke : f32
    %dot = cascade.reduce add %qk over (d) : f32
    %s = arith.mulf %dot, %c : f32
    %j = cascade.index l : i32
    %in = arith.cmpi slt, %j, %n : i32
    %be = arith.extf %bh : bf16 to f32
    %y = arith.addf %s, %be : f32
    %m = cascade.reduce max %y over (l) where %in : f32
    %dm = arith.subf %y, %m : f32
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

// All of them.
// JSON: "name": "softcap_alibi_bias"{{.*}}"passes":{"d":1,"l":1}
func.func @softcap_alibi_bias(%q: tensor<2x4x32xbf16>,
                              %k: tensor<2x2x?x32xbf16>,
                              %v: tensor<2x2x?x32xbf16>,
                              %len: tensor<2xi32>,
                              %scale: f32,
                              %cap_: f32,
                              %slopes: tensor<4xf32>,
                              %z: tensor<2x4x?xbf16>)
    -> tensor<2x4x32xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x32xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x32xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32,
          %cap_[] : f32,
          %slopes[h] : tensor<4xf32>,
          %z[b, h, l] : tensor<2x4x?xbf16>)
      outs([b, h, e] : tensor<2x4x32xbf16>) {
  ^bb0(%qh: bf16, %kh: bf16, %vh: bf16, %n: i32, %c: f32, %cap: f32, %slope: f32, %bh: bf16):
    %qe = arith.extf %qh : bf16 to f32
    %ke = arith.extf %kh : bf16 to f32
    %ve = arith.extf %vh : bf16 to f32
    %qk = arith.mulf %qe, %ke : f32
    %dot = cascade.reduce add %qk over (d) : f32
    %s = arith.mulf %dot, %c : f32
    %j = cascade.index l : i32
    %in = arith.cmpi slt, %j, %n : i32
    %rel = arith.divf %s, %cap : f32
    %tanh = math.tanh %rel : f32
    %y = arith.mulf %tanh, %cap : f32
    %back = arith.subi %n, %j : i32
    %far = arith.sitofp %back : i32 to f32
    %off = arith.mulf %far, %slope : f32
    %y1 = arith.subf %y, %off : f32
    %be = arith.extf %bh : bf16 to f32
    %y2 = arith.addf %y1, %be : f32
    %m = cascade.reduce max %y2 over (l) where %in : f32
    %dm = arith.subf %y2, %m : f32
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
