// Head dimensions that no warp holds: the dot product loops over tiles of them.
// RUN: bash %S/Inputs/simulate.sh --brief %s randint:40 --dim=d=37 | FileCheck %s
// CHECK: {{^[1-9][0-9]*}} passed, 0 failed

func.func @head_3000(%q: tensor<1x2x3000xbf16>,
                     %k: tensor<1x1x?x3000xbf16>,
                     %v: tensor<1x1x?x32xbf16>,
                     %len: tensor<1xi32>,
                     %scale: f32)
    -> tensor<1x2x32xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<1x2x3000xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<1x1x?x3000xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<1x1x?x32xbf16>,
          %len[b] : tensor<1xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<1x2x32xbf16>) {
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
  return %o : tensor<1x2x32xbf16>
}

// Neither a multiple of an access nor of a tile.
func.func @head_2053(%q: tensor<1x2x2053xbf16>,
                     %k: tensor<1x1x?x2053xbf16>,
                     %v: tensor<1x1x?x32xbf16>,
                     %len: tensor<1xi32>,
                     %scale: f32)
    -> tensor<1x2x32xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<1x2x2053xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<1x1x?x2053xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<1x1x?x32xbf16>,
          %len[b] : tensor<1xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<1x2x32xbf16>) {
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
  return %o : tensor<1x2x32xbf16>
}

// An extent that is known only at run time.
func.func @head_of_any_size(%q: tensor<1x2x?xbf16>,
                            %k: tensor<1x1x?x?xbf16>,
                            %v: tensor<1x1x?x32xbf16>,
                            %len: tensor<1xi32>,
                            %scale: f32)
    -> tensor<1x2x32xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<1x2x?xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<1x1x?x?xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<1x1x?x32xbf16>,
          %len[b] : tensor<1xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<1x2x32xbf16>) {
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
  return %o : tensor<1x2x32xbf16>
}

// The keys of one column are neighbours.
func.func @keys_by_column(%q: tensor<1x2x128xbf16>,
                          %k: tensor<1x1x128x?xbf16>,
                          %v: tensor<1x1x?x32xbf16>,
                          %len: tensor<1xi32>,
                          %scale: f32)
    -> tensor<1x2x32xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<1x2x128xbf16>,
          %k[b, h floordiv 2, d, l] : tensor<1x1x128x?xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<1x1x?x32xbf16>,
          %len[b] : tensor<1xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<1x2x32xbf16>) {
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
  return %o : tensor<1x2x32xbf16>
}
