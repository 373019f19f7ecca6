// A chain of two passes reads its row once where that stays in registers, and
// again where it does not fit.
// RUN: cascade-compile %s --explain=text | FileCheck %s

// CHECK-LABEL: function short_rows
// CHECK:         axes l: 2 passes
// CHECK:         mapping #cascade.mapping<i: grid{{.*}}, l: {{.*}}reg(
// CHECK-NEXT:      about {{[0-9.]+}} us, the row resident in registers
// CHECK-LABEL: function long_rows
// CHECK:         axes l: 2 passes
// CHECK:         mapping #cascade.mapping<i: grid, l: {{.*}}loop x
// CHECK-NEXT:      about {{[0-9.]+}} us, the row streams again
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
