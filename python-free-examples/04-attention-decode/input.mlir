// Attention for one decode step: 8 query heads share 2 key-value heads, and keys
// beyond len[b] are masked. d and e are both the head dimension.
func.func @attention(%q: tensor<2x8x64xf32> {cascade.name = "q"},
                     %k: tensor<2x2x?x64xf32> {cascade.name = "k"},
                     %v: tensor<2x2x?x64xf32> {cascade.name = "v"},
                     %len: tensor<2xi32> {cascade.name = "len"},
                     %scale: f32 {cascade.name = "scale"})
    -> (tensor<2x8x64xf32> {cascade.name = "o"}) {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x8x64xf32>,
          %k[b, h floordiv 4, l, d] : tensor<2x2x?x64xf32>,
          %v[b, h floordiv 4, l, e] : tensor<2x2x?x64xf32>,
          %len[b] : tensor<2xi32>, %scale[] : f32)
      outs([b, h, e] : tensor<2x8x64xf32>) {
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
    %out = cascade.reduce add %w over (l) where %in : f32
    cascade.yield %out : f32
  }
  return %o : tensor<2x8x64xf32>
}
