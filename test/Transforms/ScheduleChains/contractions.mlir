// Sums of products go to the tensor cores where a warp has columns for them.
// RUN: cascade-opt %s --cascade-fuse --cascade-schedule | FileCheck %s
// RUN: cascade-opt %s --cascade-fuse --cascade-schedule \
// RUN:   --remarks-filter-missed=cascade-schedule -o %t 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK-LABEL: func.func @group_of_8(
// CHECK: h: grid x lane(4 at 1) x reg(2), l: {{.*}} x lane(8 at 4), d: reg(4) x lane(4 at 1) x vector(8), e: reg(2) x lane(8 at 4) x vector(8), {{.*}}contract = [0: mma.m16n8k16, 3: mma.m16n8k16]>
// Without vectors the same positions are in registers.
// CHECK-LABEL: func.func @group_of_8_unaligned(
// CHECK: d: reg(4) x lane(4 at 1) x reg(8), e: reg(2) x lane(8 at 4) x reg(8), contract = [0: mma.m16n8k16, 3: mma.m16n8k16]>
func.func @group_of_8(%q: tensor<16x64x128xbf16>,
                  %k: tensor<16x8x4096x128xbf16>,
                  %v: tensor<16x8x4096x128xbf16>,
                  %scale: f32)
    -> (tensor<16x64x128xbf16>) {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<16x64x128xbf16>,
          %k[b, h floordiv 8, l, d] : tensor<16x8x4096x128xbf16>,
          %v[b, h floordiv 8, l, e] : tensor<16x8x4096x128xbf16>,
          %scale[] : f32)
      outs([b, h, e] : tensor<16x64x128xbf16>) {
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
  return %o : tensor<16x64x128xbf16>
}

// CHECK-LABEL: func.func @no_16_bits(
// CHECK-NOT: contract
// REMARK: no tensor cores are used: {{.*}}its factors must be f16 both, or bf16 or 8 bits wide
func.func @no_16_bits(%q: tensor<16x64x64xf32>,
                  %k: tensor<16x8x4096x64xf32>,
                  %v: tensor<16x8x4096x64xf32>,
                  %scale: f32)
    -> (tensor<16x64x64xf32>) {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<16x64x64xf32>,
          %k[b, h floordiv 8, l, d] : tensor<16x8x4096x64xf32>,
          %v[b, h floordiv 8, l, e] : tensor<16x8x4096x64xf32>,
          %scale[] : f32)
      outs([b, h, e] : tensor<16x64x64xf32>) {
  ^bb0(%qb: f32, %kb: f32, %vb: f32, %c: f32):
    %qk = arith.mulf %qb, %kb : f32
    %dot = cascade.reduce add %qk over (d) : f32
    %s = arith.mulf %dot, %c : f32
    %m = cascade.reduce max %s over (l) : f32
    %dm = arith.subf %s, %m : f32
    %x = math.exp %dm : f32
    %t = cascade.reduce add %x over (l) : f32
    %p = arith.divf %x, %t : f32
    %w = arith.mulf %p, %vb : f32
    %out = cascade.reduce add %w over (l) : f32
    cascade.yield %out : f32
  }
  return %o : tensor<16x64x64xf32>
}

// CHECK-LABEL: func.func @no_multiple_of_16(
// CHECK-NOT: contract
// REMARK: no tensor cores are used: axis 'd' is no multiple of 16 long
func.func @no_multiple_of_16(%q: tensor<16x64x40xbf16>,
                  %k: tensor<16x8x4096x40xbf16>,
                  %v: tensor<16x8x4096x40xbf16>,
                  %scale: f32)
    -> (tensor<16x64x40xbf16>) {
  %o = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<16x64x40xbf16>,
          %k[b, h floordiv 8, l, d] : tensor<16x8x4096x40xbf16>,
          %v[b, h floordiv 8, l, e] : tensor<16x8x4096x40xbf16>,
          %scale[] : f32)
      outs([b, h, e] : tensor<16x64x40xbf16>) {
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
  return %o : tensor<16x64x40xbf16>
}
