// Head dimensions, and different ones for keys and values.
// RUN: bash %S/Inputs/simulate.sh --brief %s randint:40 | FileCheck %s
// CHECK: {{^[1-9][0-9]*}} passed, 0 failed

func.func @head_40(%q: tensor<1x2x40xbf16>,
                   %k: tensor<1x1x?x40xbf16>,
                   %v: tensor<1x1x?x40xbf16>,
                   %len: tensor<1xi32>,
                   %scale: f32)
    -> tensor<1x2x40xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<1x2x40xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<1x1x?x40xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<1x1x?x40xbf16>,
          %len[b] : tensor<1xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<1x2x40xbf16>) {
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
  return %o : tensor<1x2x40xbf16>
}

func.func @head_64(%q: tensor<1x2x64xbf16>,
                   %k: tensor<1x1x?x64xbf16>,
                   %v: tensor<1x1x?x64xbf16>,
                   %len: tensor<1xi32>,
                   %scale: f32)
    -> tensor<1x2x64xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<1x2x64xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<1x1x?x64xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<1x1x?x64xbf16>,
          %len[b] : tensor<1xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<1x2x64xbf16>) {
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
  return %o : tensor<1x2x64xbf16>
}

func.func @head_80(%q: tensor<1x2x80xbf16>,
                   %k: tensor<1x1x?x80xbf16>,
                   %v: tensor<1x1x?x80xbf16>,
                   %len: tensor<1xi32>,
                   %scale: f32)
    -> tensor<1x2x80xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<1x2x80xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<1x1x?x80xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<1x1x?x80xbf16>,
          %len[b] : tensor<1xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<1x2x80xbf16>) {
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
  return %o : tensor<1x2x80xbf16>
}

func.func @head_96(%q: tensor<1x2x96xbf16>,
                   %k: tensor<1x1x?x96xbf16>,
                   %v: tensor<1x1x?x96xbf16>,
                   %len: tensor<1xi32>,
                   %scale: f32)
    -> tensor<1x2x96xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<1x2x96xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<1x1x?x96xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<1x1x?x96xbf16>,
          %len[b] : tensor<1xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<1x2x96xbf16>) {
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
  return %o : tensor<1x2x96xbf16>
}

func.func @head_128(%q: tensor<1x2x128xbf16>,
                    %k: tensor<1x1x?x128xbf16>,
                    %v: tensor<1x1x?x128xbf16>,
                    %len: tensor<1xi32>,
                    %scale: f32)
    -> tensor<1x2x128xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<1x2x128xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<1x1x?x128xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<1x1x?x128xbf16>,
          %len[b] : tensor<1xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<1x2x128xbf16>) {
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
  return %o : tensor<1x2x128xbf16>
}

func.func @head_192(%q: tensor<1x2x192xbf16>,
                    %k: tensor<1x1x?x192xbf16>,
                    %v: tensor<1x1x?x192xbf16>,
                    %len: tensor<1xi32>,
                    %scale: f32)
    -> tensor<1x2x192xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<1x2x192xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<1x1x?x192xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<1x1x?x192xbf16>,
          %len[b] : tensor<1xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<1x2x192xbf16>) {
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
  return %o : tensor<1x2x192xbf16>
}

func.func @head_256(%q: tensor<1x2x256xbf16>,
                    %k: tensor<1x1x?x256xbf16>,
                    %v: tensor<1x1x?x256xbf16>,
                    %len: tensor<1xi32>,
                    %scale: f32)
    -> tensor<1x2x256xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<1x2x256xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<1x1x?x256xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<1x1x?x256xbf16>,
          %len[b] : tensor<1xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<1x2x256xbf16>) {
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
  return %o : tensor<1x2x256xbf16>
}

// Keys of another dimension than values.
func.func @keys_192_values_128(%q: tensor<1x2x192xbf16>,
                               %k: tensor<1x1x?x192xbf16>,
                               %v: tensor<1x1x?x128xbf16>,
                               %len: tensor<1xi32>,
                               %scale: f32)
    -> tensor<1x2x128xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<1x2x192xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<1x1x?x192xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<1x1x?x128xbf16>,
          %len[b] : tensor<1xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<1x2x128xbf16>) {
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
  return %o : tensor<1x2x128xbf16>
}

func.func @keys_64_values_96(%q: tensor<1x2x64xbf16>,
                             %k: tensor<1x1x?x64xbf16>,
                             %v: tensor<1x1x?x96xbf16>,
                             %len: tensor<1xi32>,
                             %scale: f32)
    -> tensor<1x2x96xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<1x2x64xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<1x1x?x64xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<1x1x?x96xbf16>,
          %len[b] : tensor<1xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<1x2x96xbf16>) {
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
  return %o : tensor<1x2x96xbf16>
}

// Neither is a multiple of an access.
func.func @keys_20_values_7(%q: tensor<1x2x20xbf16>,
                            %k: tensor<1x1x?x20xbf16>,
                            %v: tensor<1x1x?x7xbf16>,
                            %len: tensor<1xi32>,
                            %scale: f32)
    -> tensor<1x2x7xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<1x2x20xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<1x1x?x20xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<1x1x?x7xbf16>,
          %len[b] : tensor<1xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<1x2x7xbf16>) {
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
  return %o : tensor<1x2x7xbf16>
}
