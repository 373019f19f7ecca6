// Shapes, layouts and bodies that are rarer.
// RUN: bash %S/Inputs/simulate.sh --brief %s randint:40 --dim=b=2 --dim=h=3 --dim=d=24 --dim=e=16 \
// RUN:   | FileCheck %s
// CHECK: {{^[1-9][0-9]*}} passed, 0 failed

// A sum over nothing: all scores are 0.
func.func @no_columns_of_keys(%q: tensor<2x4x0xbf16>,
                              %k: tensor<2x2x?x0xbf16>,
                              %v: tensor<2x2x?x32xbf16>,
                              %len: tensor<2xi32>,
                              %scale: f32)
    -> tensor<2x4x32xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x0xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x0xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x32xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<2x4x32xbf16>) {
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
  return %o : tensor<2x4x32xbf16>
}

// No results.
func.func @no_columns_of_values(%q: tensor<2x4x32xbf16>,
                                %k: tensor<2x2x?x32xbf16>,
                                %v: tensor<2x2x?x0xbf16>,
                                %len: tensor<2xi32>,
                                %scale: f32)
    -> tensor<2x4x0xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x32xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x0xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<2x4x0xbf16>) {
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
  return %o : tensor<2x4x0xbf16>
}

func.func @one_column(%q: tensor<2x4x1xbf16>,
                      %k: tensor<2x2x?x1xbf16>,
                      %v: tensor<2x2x?x1xbf16>,
                      %len: tensor<2xi32>,
                      %scale: f32)
    -> tensor<2x4x1xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x1xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x1xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x1xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<2x4x1xbf16>) {
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
  return %o : tensor<2x4x1xbf16>
}

// The last group of heads is smaller than the others.
func.func @ten_heads_by_four(%q: tensor<2x10x32xbf16>,
                             %k: tensor<2x3x?x32xbf16>,
                             %v: tensor<2x3x?x32xbf16>,
                             %len: tensor<2xi32>,
                             %scale: f32)
    -> tensor<2x10x32xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x10x32xbf16>,
          %k[b, h floordiv 4, l, d] : tensor<2x3x?x32xbf16>,
          %v[b, h floordiv 4, l, e] : tensor<2x3x?x32xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<2x10x32xbf16>) {
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
  return %o : tensor<2x10x32xbf16>
}

// Query heads take the key-value heads in turn.
func.func @heads_in_turn(%q: tensor<2x4x32xbf16>,
                         %k: tensor<2x2x?x32xbf16>,
                         %v: tensor<2x2x?x32xbf16>,
                         %len: tensor<2xi32>,
                         %scale: f32)
    -> tensor<2x4x32xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>,
          %k[b, h mod 2, l, d] : tensor<2x2x?x32xbf16>,
          %v[b, h mod 2, l, e] : tensor<2x2x?x32xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<2x4x32xbf16>) {
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
  return %o : tensor<2x4x32xbf16>
}

func.func @no_keys(%q: tensor<2x4x32xbf16>,
                   %k: tensor<2x2x0x32xbf16>,
                   %v: tensor<2x2x0x32xbf16>,
                   %len: tensor<2xi32>,
                   %scale: f32)
    -> tensor<2x4x32xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x0x32xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x0x32xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<2x4x32xbf16>) {
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
  return %o : tensor<2x4x32xbf16>
}

// A length that is known and a multiple of nothing.
func.func @known_length(%q: tensor<2x4x32xbf16>,
                        %k: tensor<2x2x77x32xbf16>,
                        %v: tensor<2x2x77x32xbf16>,
                        %len: tensor<2xi32>,
                        %scale: f32)
    -> tensor<2x4x32xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x77x32xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x77x32xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<2x4x32xbf16>) {
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
  return %o : tensor<2x4x32xbf16>
}

// Keys and values share the axis of their columns.
func.func @one_axis(%q: tensor<2x4x32xbf16>,
                    %k: tensor<2x2x?x32xbf16>,
                    %v: tensor<2x2x?x32xbf16>,
                    %len: tensor<2xi32>,
                    %scale: f32)
    -> tensor<2x4x32xbf16> {
  %o = cascade.chain (b, h, l, d)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x32xbf16>,
          %v[b, h floordiv 2, l, d] : tensor<2x2x?x32xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32)
      outs([b, h, d] : tensor<2x4x32xbf16>) {
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
  return %o : tensor<2x4x32xbf16>
}

// Neighbours of the result are apart in memory.
func.func @permuted_result(%q: tensor<2x4x32xbf16>,
                           %k: tensor<2x2x?x32xbf16>,
                           %v: tensor<2x2x?x32xbf16>,
                           %len: tensor<2xi32>,
                           %scale: f32)
    -> tensor<32x2x4xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x32xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x32xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32)
      outs([e, b, h] : tensor<32x2x4xbf16>) {
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
  return %o : tensor<32x2x4xbf16>
}

// The heads of a key are neighbours.
func.func @keys_outside_of_heads(%q: tensor<2x4x32xbf16>,
                                 %k: tensor<2x?x2x32xbf16>,
                                 %v: tensor<2x?x2x32xbf16>,
                                 %len: tensor<2xi32>,
                                 %scale: f32)
    -> tensor<2x4x32xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>,
          %k[b, l, h floordiv 2, d] : tensor<2x?x2x32xbf16>,
          %v[b, l, h floordiv 2, e] : tensor<2x?x2x32xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<2x4x32xbf16>) {
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
  return %o : tensor<2x4x32xbf16>
}

func.func @long_lengths(%q: tensor<2x4x32xbf16>,
                        %k: tensor<2x2x?x32xbf16>,
                        %v: tensor<2x2x?x32xbf16>,
                        %len: tensor<2xi64>,
                        %scale: f32)
    -> tensor<2x4x32xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x32xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x32xbf16>,
          %len[b] : tensor<2xi64>,
          %scale[] : f32)
      outs([b, h, e] : tensor<2x4x32xbf16>) {
  ^bb0(%qh: bf16, %kh: bf16, %vh: bf16, %n: i64, %c: f32):
    %qe = arith.extf %qh : bf16 to f32
    %ke = arith.extf %kh : bf16 to f32
    %ve = arith.extf %vh : bf16 to f32
    %qk = arith.mulf %qe, %ke : f32
    %dot = cascade.reduce add %qk over (d) : f32
    %s = arith.mulf %dot, %c : f32
    %j = cascade.index l : i64
    %in = arith.cmpi slt, %j, %n : i64
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

// Queries in f32, keys in f16, values in bf16.
func.func @mixed_types(%q: tensor<2x4x32xf32>,
                       %k: tensor<2x2x?x32xf16>,
                       %v: tensor<2x2x?x32xbf16>,
                       %len: tensor<2xi32>,
                       %scale: f32)
    -> tensor<2x4x32xf32> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xf32>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x32xf16>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x32xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<2x4x32xf32>) {
  ^bb0(%qe: f32, %kh: f16, %vh: bf16, %n: i32, %c: f32):
    %ke = arith.extf %kh : f16 to f32
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
    cascade.yield %a : f32
  }
  return %o : tensor<2x4x32xf32>
}

// The weights and scores of all keys as results.
func.func @weights_too(%q: tensor<2x4x32xbf16>,
                       %k: tensor<2x2x?x32xbf16>,
                       %v: tensor<2x2x?x32xbf16>,
                       %len: tensor<2xi32>,
                       %scale: f32)
    -> (tensor<2x4x32xbf16>, tensor<2x4x?xf32>, tensor<2x4x?xf32>) {
  %r0, %r1, %r2 = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x32xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x32xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<2x4x32xbf16>,
           [b, h, l] : tensor<2x4x?xf32>,
           [b, h, l] : tensor<2x4x?xf32>) {
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
    cascade.yield %ah, %p, %dot : bf16, f32, f32
  }
  return %r0, %r1, %r2 : tensor<2x4x32xbf16>, tensor<2x4x?xf32>, tensor<2x4x?xf32>
}

// No extent is known.
func.func @all_dynamic(%q: tensor<?x?x?xbf16>,
                       %k: tensor<?x?x?x?xbf16>,
                       %v: tensor<?x?x?x?xbf16>,
                       %len: tensor<?xi32>,
                       %scale: f32)
    -> tensor<?x?x?xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<?x?x?xbf16>,
          %k[b, h, l, d] : tensor<?x?x?x?xbf16>,
          %v[b, h, l, e] : tensor<?x?x?x?xbf16>,
          %len[b] : tensor<?xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<?x?x?xbf16>) {
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
  return %o : tensor<?x?x?xbf16>
}

// Two passes over the keys: the rounding of the weights is not to be moved.
func.func @rounded_weights(%q: tensor<2x4x32xbf16>,
                           %k: tensor<2x2x?x32xbf16>,
                           %v: tensor<2x2x?x32xbf16>,
                           %len: tensor<2xi32>,
                           %scale: f32)
    -> tensor<2x4x32xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x32xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x32xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<2x4x32xbf16>) {
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
    %ph = arith.truncf %p : f32 to bf16
    %pe = arith.extf %ph : bf16 to f32
    %w = arith.mulf %pe, %ve : f32
    %a = cascade.reduce add %w over (l) where %in : f32
    %ah = arith.truncf %a : f32 to bf16
    cascade.yield %ah : bf16
  }
  return %o : tensor<2x4x32xbf16>
}

// Queries and keys divided by their norms.
func.func @normalised(%q: tensor<2x4x32xbf16>,
                      %k: tensor<2x2x?x32xbf16>,
                      %v: tensor<2x2x?x32xbf16>,
                      %len: tensor<2xi32>,
                      %scale: f32)
    -> tensor<2x4x32xbf16> {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x32xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x32xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<2x4x32xbf16>) {
  ^bb0(%qh: bf16, %kh: bf16, %vh: bf16, %n: i32, %c: f32):
    %qe = arith.extf %qh : bf16 to f32
    %ke = arith.extf %kh : bf16 to f32
    %ve = arith.extf %vh : bf16 to f32
    %qq = arith.mulf %qe, %qe : f32
    %ssq = cascade.reduce add %qq over (d) : f32
    %kk = arith.mulf %ke, %ke : f32
    %ssk = cascade.reduce add %kk over (d) : f32
    %eps = arith.constant 1.0e-3 : f32
    %sq = arith.addf %ssq, %eps : f32
    %sk = arith.addf %ssk, %eps : f32
    %rq = math.rsqrt %sq : f32
    %rk = math.rsqrt %sk : f32
    %qk = arith.mulf %qe, %ke : f32
    %dot = cascade.reduce add %qk over (d) : f32
    %dq = arith.mulf %dot, %rq : f32
    %dk = arith.mulf %dq, %rk : f32
    %s = arith.mulf %dk, %c : f32
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

// The state instead of the result: maximum, denominator, weighted sum.
func.func @state(%q: tensor<2x4x32xbf16>,
                 %k: tensor<2x2x?x32xbf16>,
                 %v: tensor<2x2x?x32xbf16>,
                 %len: tensor<2xi32>,
                 %scale: f32)
    -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x32xf32>) {
  %r0, %r1, %r2 = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x32xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x32xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32)
      outs([b, h] : tensor<2x4xf32>,
           [b, h] : tensor<2x4xf32>,
           [b, h, e] : tensor<2x4x32xf32>) {
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
    %w = arith.mulf %x, %ve : f32
    %a = cascade.reduce add %w over (l) where %in : f32
    cascade.yield %m, %t, %a : f32, f32, f32
  }
  return %r0, %r1, %r2 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4x32xf32>
}

// The key with the largest score as a second result.
func.func @best_key(%q: tensor<2x4x32xbf16>,
                    %k: tensor<2x2x?x32xbf16>,
                    %v: tensor<2x2x?x32xbf16>,
                    %len: tensor<2xi32>,
                    %scale: f32)
    -> (tensor<2x4x32xbf16>, tensor<2x4xi32>) {
  %r0, %r1 = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>,
          %k[b, h floordiv 2, l, d] : tensor<2x2x?x32xbf16>,
          %v[b, h floordiv 2, l, e] : tensor<2x2x?x32xbf16>,
          %len[b] : tensor<2xi32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<2x4x32xbf16>,
           [b, h] : tensor<2x4xi32>) {
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
    %best, %at = cascade.reduce argmax %s, %j over (l) where %in : f32, i32
    cascade.yield %ah, %at : bf16, i32
  }
  return %r0, %r1 : tensor<2x4x32xbf16>, tensor<2x4xi32>
}
