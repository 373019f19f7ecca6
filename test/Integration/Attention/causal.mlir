// Queries that each see the keys up to their own. The last query is the last key.
// RUN: bash %S/Inputs/simulate.sh %s - --dim=i=1,16 | FileCheck %s
// CHECK: {{^[1-9][0-9]*}} passed, 0 failed
// RUN: cascade-compile %s --explain=json | sed 's/{"name"/\n&/g' \
// RUN:   | FileCheck %s --check-prefix=JSON

// JSON: "name": "causal"{{.*}}"passes":{"d":1,"l":1}
func.func @causal(%q: tensor<2x?x4x32xbf16>,
                  %k: tensor<2x2x?x32xbf16>,
                  %v: tensor<2x2x?x32xbf16>)
    -> tensor<2x?x4x32xbf16> {
  %o = cascade.chain (b, i, h, l, d, e)
      ins(%q[b, i, h, d] : tensor<2x?x4x32xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x32xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x32xbf16>)
      outs([b, i, h, e] : tensor<2x?x4x32xbf16>) {
  ^bb0(%qh: bf16, %kh: bf16, %vh: bf16):
    %qe = arith.extf %qh : bf16 to f32
    %ke = arith.extf %kh : bf16 to f32
    %ve = arith.extf %vh : bf16 to f32
    %qk = arith.mulf %qe, %ke : f32
    %dot = cascade.reduce add %qk over (d) : f32
    %c = arith.constant 0.25 : f32
    %s = arith.mulf %dot, %c : f32
    %keys = cascade.extent l : i32
    %queries = cascade.extent i : i32
    %more = arith.subi %keys, %queries : i32
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
