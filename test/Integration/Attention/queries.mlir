// Some queries at once, as in speculative decoding; the last one is the last key of
// its batch.
// RUN: bash %S/Inputs/simulate.sh %s randint:140 --dim=i=5 | FileCheck %s
// CHECK: {{^[1-9][0-9]*}} passed, 0 failed

// Lengths that no cache has.
// RUN: cascade-run %s --device=sim --check --entry=causal_window --input=rand --input=rand \
// RUN:   --input=rand '--input=2xi32=-7 100000' --input=0.5 --input=99930 --dim=l=100 --dim=i=3 \
// RUN:   --cluster=3 | FileCheck %s --check-prefix=BEYOND
// BEYOND: agrees

// RUN: cascade-compile %s --explain=json | sed 's/{"name"/\n&/g' \
// RUN:   | FileCheck %s --check-prefix=JSON

// JSON: "name": "causal_lengths"{{.*}}"passes":{"d":1,"l":1}
func.func @causal_lengths(%q: tensor<2x?x4x32xbf16>,
                          %k: tensor<2x2x?x32xbf16>,
                          %v: tensor<2x2x?x32xbf16>,
                          %len: tensor<2xi32>,
                          %scale: f32)
    -> tensor<2x?x4x32xbf16> {
  %o = cascade.chain (b, i, h, l, d, e)
      ins(%q[b, i, h, d] : tensor<2x?x4x32xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x32xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x32xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32)
      outs([b, i, h, e] : tensor<2x?x4x32xbf16>) {
  ^bb0(%qh: bf16, %kh: bf16, %vh: bf16, %n: i32, %c: f32):
    %qe = arith.extf %qh : bf16 to f32
    %ke = arith.extf %kh : bf16 to f32
    %ve = arith.extf %vh : bf16 to f32
    %qk = arith.mulf %qe, %ke : f32
    %dot = cascade.reduce add %qk over (d) : f32
    %s = arith.mulf %dot, %c : f32
    %queries = cascade.extent i : i32
    %more = arith.subi %n, %queries : i32
    %i = cascade.index i : i32
    %last = arith.addi %i, %more : i32
    %j = cascade.index l : i32
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
  return %o : tensor<2x?x4x32xbf16>
}

// Their number is known, so that threads share what they load.
// JSON: "name": "four_queries"{{.*}}"passes":{"d":1,"l":1}
func.func @four_queries(%q: tensor<2x4x4x32xbf16>,
                        %k: tensor<2x2x?x32xbf16>,
                        %v: tensor<2x2x?x32xbf16>,
                        %len: tensor<2xi32>,
                        %scale: f32)
    -> tensor<2x4x4x32xbf16> {
  %o = cascade.chain (b, i, h, l, d, e)
      ins(%q[b, i, h, d] : tensor<2x4x4x32xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x32xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x32xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32)
      outs([b, i, h, e] : tensor<2x4x4x32xbf16>) {
  ^bb0(%qh: bf16, %kh: bf16, %vh: bf16, %n: i32, %c: f32):
    %qe = arith.extf %qh : bf16 to f32
    %ke = arith.extf %kh : bf16 to f32
    %ve = arith.extf %vh : bf16 to f32
    %qk = arith.mulf %qe, %ke : f32
    %dot = cascade.reduce add %qk over (d) : f32
    %s = arith.mulf %dot, %c : f32
    %queries = cascade.extent i : i32
    %more = arith.subi %n, %queries : i32
    %i = cascade.index i : i32
    %last = arith.addi %i, %more : i32
    %j = cascade.index l : i32
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
  return %o : tensor<2x4x4x32xbf16>
}

// Each with a sliding window of its own.
// JSON: "name": "causal_window"{{.*}}"passes":{"d":1,"l":1}
func.func @causal_window(%q: tensor<2x?x4x32xbf16>,
                         %k: tensor<2x2x?x32xbf16>,
                         %v: tensor<2x2x?x32xbf16>,
                         %len: tensor<2xi32>,
                         %scale: f32,
                         %window: i32)
    -> tensor<2x?x4x32xbf16> {
  %o = cascade.chain (b, i, h, l, d, e)
      ins(%q[b, i, h, d] : tensor<2x?x4x32xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x32xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x32xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32,
          %window[] : i32)
      outs([b, i, h, e] : tensor<2x?x4x32xbf16>) {
  ^bb0(%qh: bf16, %kh: bf16, %vh: bf16, %n: i32, %c: f32, %size: i32):
    %qe = arith.extf %qh : bf16 to f32
    %ke = arith.extf %kh : bf16 to f32
    %ve = arith.extf %vh : bf16 to f32
    %qk = arith.mulf %qe, %ke : f32
    %dot = cascade.reduce add %qk over (d) : f32
    %s = arith.mulf %dot, %c : f32
    %queries = cascade.extent i : i32
    %more = arith.subi %n, %queries : i32
    %i = cascade.index i : i32
    %last = arith.addi %i, %more : i32
    %first = arith.subi %last, %size : i32
    %j = cascade.index l : i32
    %below = arith.cmpi sle, %j, %last : i32
    %above = arith.cmpi sgt, %j, %first : i32
    %in = arith.andi %below, %above : i1
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
  return %o : tensor<2x?x4x32xbf16>
}
