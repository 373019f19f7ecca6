// Which keys take part: the predicate of the reductions says it.
// RUN: bash %S/Inputs/simulate.sh --brief %s rand | FileCheck %s
// CHECK: {{^[1-9][0-9]*}} passed, 0 failed

// Tiles with keys of the document and without.
// RUN: cascade-run %s --entry=documents --device=sim --check --input=rand --input=special \
// RUN:   --input=rand --input=1 --input=randint:40 --dim=l=33,700 --cluster=1 \
// RUN:   | FileCheck %s --check-prefix=DOCUMENTS
// DOCUMENTS: 2 passed, 0 failed

// RUN: cascade-compile %s --explain=json | sed 's/{"name"/\n&/g' \
// RUN:   | FileCheck %s --check-prefix=JSON

// The last keys up to the length.
// JSON: "name": "sliding_window"{{.*}}"passes":{"d":1,"l":1}
func.func @sliding_window(%q: tensor<2x4x32xbf16>,
                          %k: tensor<2x2x?x32xbf16>,
                          %v: tensor<2x2x?x32xbf16>,
                          %len: tensor<2xi32>,
                          %scale: f32,
                          %window: i32)
    -> tensor<2x4x32xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x32xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x32xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32,
          %window[] : i32)
      outs([b, h, e] : tensor<2x4x32xbf16>) {
  ^bb0(%qh: bf16, %kh: bf16, %vh: bf16, %n: i32, %c: f32, %size: i32):
    %qe = arith.extf %qh : bf16 to f32
    %ke = arith.extf %kh : bf16 to f32
    %ve = arith.extf %vh : bf16 to f32
    %qk = arith.mulf %qe, %ke : f32
    %dot = cascade.reduce add %qk over (d) : f32
    %s = arith.mulf %dot, %c : f32
    %j = cascade.index l : i32
    %first = arith.subi %n, %size : i32
    %below = arith.cmpi slt, %j, %n : i32
    %above = arith.cmpi sge, %j, %first : i32
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
  return %o : tensor<2x4x32xbf16>
}

// The keys of the document of the query.
// JSON: "name": "documents"{{.*}}"passes":{"d":1,"l":1}
func.func @documents(%q: tensor<2x4x32xbf16>,
                     %k: tensor<2x2x?x32xbf16>,
                     %v: tensor<2x2x?x32xbf16>,
                     %mine: tensor<2xi32>,
                     %doc: tensor<2x?xi32>)
    -> tensor<2x4x32xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x32xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x32xbf16>,
          %mine[b] : tensor<2xi32>,
          %doc[b, l] : tensor<2x?xi32>)
      outs([b, h, e] : tensor<2x4x32xbf16>) {
  ^bb0(%qh: bf16, %kh: bf16, %vh: bf16, %own: i32, %of: i32):
    %qe = arith.extf %qh : bf16 to f32
    %ke = arith.extf %kh : bf16 to f32
    %ve = arith.extf %vh : bf16 to f32
    %qk = arith.mulf %qe, %ke : f32
    %dot = cascade.reduce add %qk over (d) : f32
    %c = arith.constant 0.25 : f32
    %s = arith.mulf %dot, %c : f32
    %in = arith.cmpi eq, %own, %of : i32
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

// A mask in memory.
// JSON: "name": "given_mask"{{.*}}"passes":{"d":1,"l":1}
func.func @given_mask(%q: tensor<2x4x32xbf16>,
                      %k: tensor<2x2x?x32xbf16>,
                      %v: tensor<2x2x?x32xbf16>,
                      %mask: tensor<2x?xi8>)
    -> tensor<2x4x32xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x32xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x32xbf16>,
          %mask[b, l] : tensor<2x?xi8>)
      outs([b, h, e] : tensor<2x4x32xbf16>) {
  ^bb0(%qh: bf16, %kh: bf16, %vh: bf16, %use: i8):
    %qe = arith.extf %qh : bf16 to f32
    %ke = arith.extf %kh : bf16 to f32
    %ve = arith.extf %vh : bf16 to f32
    %qk = arith.mulf %qe, %ke : f32
    %dot = cascade.reduce add %qk over (d) : f32
    %c = arith.constant 0.25 : f32
    %s = arith.mulf %dot, %c : f32
    %none = arith.constant 0 : i8
    %in = arith.cmpi ne, %use, %none : i8
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
