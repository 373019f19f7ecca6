// Both sums by the tensor cores, the keys split over the grid: what the lanes of a
// cluster have left is no copy of one state.
// RUN: cascade-run %s --device=sim --dim=l=0,5,100 --patterns=rand,special --interleavings=2 --check
// RUN: cascade-compile %s -o %t && %ptxas -arch=sm_90 %t.ptx -o /dev/null
func.func @contraction_split(%q: tensor<2x8x64xbf16> {cascade.name = "q"}, %k: tensor<2x2x?x64xbf16> {cascade.name = "k"}, %v: tensor<2x2x?x64xbf16> {cascade.name = "v"}, %scale: f32) -> tensor<2x8x64xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x8x64xbf16>,
          %k[b, h floordiv 4, l, d] : tensor<2x2x?x64xbf16>,
          %v[b, h floordiv 4, l, e] : tensor<2x2x?x64xbf16>,
          %scale[] : f32)
      outs([b, h, e] : tensor<2x8x64xbf16>) attributes {mapping = #cascade.mapping<b: grid, h: grid x lane(2 at 1) x reg(2), l: grid(3) x cluster(2) x loop x warp(2) x reg(2) x lane(8 at 4), d: reg(2) x lane(4 at 1) x vector(8), e: lane(8 at 4) x vector(8), merge = [l: last], contract = [0: mma.m16n8k16, 3: mma.m16n8k16]>} {
  ^bb0(%qb: bf16, %kb: bf16, %vb: bf16, %c: f32):
    %qe = arith.extf %qb : bf16 to f32
    %ke = arith.extf %kb : bf16 to f32
    %ve = arith.extf %vb : bf16 to f32
    %qk = arith.mulf %qe, %ke : f32
    %dot = cascade.reduce add %qk over (d) : f32
    %s = arith.mulf %dot, %c : f32
    %m = cascade.reduce max %s over (l) : f32
    %dm = arith.subf %s, %m : f32
    %x = math.exp %dm : f32
    %t = cascade.reduce add %x over (l) : f32
    %p = arith.divf %x, %t : f32
    %w = arith.mulf %p, %ve : f32
    %out = cascade.reduce add %w over (l) : f32
    %ob = arith.truncf %out : f32 to bf16
    cascade.yield %ob : bf16
  }
  return %o : tensor<2x8x64xbf16>
}
