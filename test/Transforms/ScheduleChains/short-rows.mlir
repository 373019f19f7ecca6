// Several rows a block: a row has a warp or less, its elements in registers.
// RUN: cascade-opt %s --cascade-fuse --cascade-schedule | FileCheck %s

// Eight lanes a row of 7; rows are no whole number of accesses, so no vectors.
// CHECK-LABEL: func.func @row_of_7(
// CHECK:         mapping = #cascade.mapping<i: grid x warp({{[0-9]+}}) x lane(4), l: lane(8)>
// CHECK-NOT:   func.func @row_of_7_unaligned
func.func @row_of_7(%x: tensor<1000x7xf32>) -> tensor<1000x7xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<1000x7xf32>) outs([i, l] : tensor<1000x7xf32>) {
  ^bb0(%e: f32):
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) : f32
    %p = arith.divf %w, %t : f32
    cascade.yield %p : f32
  }
  return %y : tensor<1000x7xf32>
}

// 16 bytes an access: 8 elements of bf16, 16 lanes a row.
// CHECK-LABEL: func.func @row_of_128(
// CHECK:         mapping = #cascade.mapping<i: grid x warp({{[0-9]+}}) x lane(2), l: lane(16) x vector(8)>
func.func @row_of_128(%x: tensor<4096x128xbf16>) -> tensor<4096x128xbf16> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<4096x128xbf16>) outs([i, l] : tensor<4096x128xbf16>) {
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
  return %y : tensor<4096x128xbf16>
}

// A whole warp, four accesses a lane.
// CHECK-LABEL: func.func @row_of_1024(
// CHECK:         mapping = #cascade.mapping<i: grid x warp({{[0-9]+}}), l: reg(4) x lane(32) x vector(8)>
func.func @row_of_1024(%x: tensor<4096x1024xbf16>) -> tensor<4096x1024xbf16> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<4096x1024xbf16>) outs([i, l] : tensor<4096x1024xbf16>) {
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
  return %y : tensor<4096x1024xbf16>
}

// A lane a row.
// CHECK-LABEL: func.func @row_of_1(
// CHECK:         mapping = #cascade.mapping<i: grid x warp({{[0-9]+}}) x lane(32), l: loop(1)>
func.func @row_of_1(%x: tensor<64x1xf32>) -> tensor<64x1xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<64x1xf32>) outs([i, l] : tensor<64x1xf32>) {
  ^bb0(%e: f32):
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) : f32
    %p = arith.divf %w, %t : f32
    cascade.yield %p : f32
  }
  return %y : tensor<64x1xf32>
}
