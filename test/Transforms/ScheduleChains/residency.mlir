// A chain of two passes reads its row once where that stays in registers, and
// again where it does not fit: from the L2 cache, if that is told to keep rows
// that would not stay there otherwise, and all in flight fit.
// RUN: cascade-compile %s --explain=text | FileCheck %s

// CHECK-LABEL: function short_rows
// CHECK:         axes l: 2 passes
// CHECK:         mapping #cascade.mapping<i: grid{{.*}}, l: {{.*}}reg(
// CHECK-NEXT:      about {{[0-9.]+}} us, the row resident in registers
// CHECK-LABEL: function long_rows
// CHECK:         axes l: 2 passes
// CHECK:         mapping #cascade.mapping<i: grid, l: {{.*}}loop x
// CHECK-NEXT:      about {{[0-9.]+}} us, the row streams again
// CHECK-LABEL: function cached_rows
// CHECK:         mapping #cascade.mapping<i: grid, l: cluster(16) x loop x reg(8) x warp(32) x lane(32) x vector(8), keep = [0: l2]>
// CHECK-NEXT:      about {{[0-9.]+}} us, the row resident in the L2 cache
func.func @short_rows(%x: tensor<4096x4096xbf16>) -> tensor<4096xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<4096x4096xbf16>) outs([i] : tensor<4096xf32>) {
  ^bb0(%e: bf16):
    %f = arith.extf %e : bf16 to f32
    %n = arith.constant 4096.0 : f32
    %s = cascade.reduce add %f over (l) : f32
    %mu = arith.divf %s, %n : f32
    %d = arith.subf %f, %mu : f32
    %a = math.absf %d : f32
    %t = cascade.reduce add %a over (l) : f32
    cascade.yield %t : f32
  }
  return %y : tensor<4096xf32>
}

func.func @long_rows(%x: tensor<16x8388608xbf16>) -> tensor<16xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<16x8388608xbf16>) outs([i] : tensor<16xf32>) {
  ^bb0(%e: bf16):
    %f = arith.extf %e : bf16 to f32
    %n = arith.constant 8388608.0 : f32
    %s = cascade.reduce add %f over (l) : f32
    %mu = arith.divf %s, %n : f32
    %d = arith.subf %f, %mu : f32
    %a = math.absf %d : f32
    %t = cascade.reduce add %a over (l) : f32
    cascade.yield %t : f32
  }
  return %y : tensor<16xf32>
}

// 6 MiB each, of which some seven are in flight.
func.func @cached_rows(%x: tensor<64x3145728xbf16>) -> tensor<64x3145728xbf16> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<64x3145728xbf16>) outs([i, l] : tensor<64x3145728xbf16>) {
  ^bb0(%e: bf16):
    %f = arith.extf %e : bf16 to f32
    %m = cascade.reduce max %f over (l) : f32
    %d = arith.subf %f, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) : f32
    %p = arith.divf %w, %t : f32
    %o = arith.truncf %p : f32 to bf16
    cascade.yield %o : bf16
  }
  return %y : tensor<64x3145728xbf16>
}
