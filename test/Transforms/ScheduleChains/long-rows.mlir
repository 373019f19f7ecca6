// One block or cluster a row.
// RUN: cascade-opt %s --cascade-fuse --cascade-schedule | FileCheck %s

// The elements are used again and stay in registers: no loop.
// CHECK-LABEL: func.func @row_of_16384(
// CHECK:         mapping = #cascade.mapping<i: grid, l: {{(cluster\(2\) x )?}}reg({{[0-9]+}}) x warp({{[0-9]+}}) x lane(32) x vector(8)>
func.func @row_of_16384(%x: tensor<4096x16384xbf16>) -> tensor<4096x16384xbf16> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<4096x16384xbf16>) outs([i, l] : tensor<4096x16384xbf16>) {
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
  return %y : tensor<4096x16384xbf16>
}

// Too long for the registers of a block: a loop.
// CHECK-LABEL: func.func @row_of_131072(
// CHECK:         mapping = #cascade.mapping<i: grid, l: cluster({{[0-9]+}}) x reg({{[0-9]+}}) x warp({{[0-9]+}}) x lane(32) x vector(8)>
func.func @row_of_131072(%x: tensor<512x131072xbf16>) -> tensor<512x131072xbf16> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<512x131072xbf16>) outs([i, l] : tensor<512x131072xbf16>) {
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
  return %y : tensor<512x131072xbf16>
}

// Too few rows to fill the machine with a block each: clusters.
// CHECK-LABEL: func.func @lse_1048576(
// CHECK:         mapping = #cascade.mapping<i: grid, l: cluster({{[0-9]+}}) x loop x reg({{[0-9]+}}) x warp({{[0-9]+}}) x lane(32) x vector(8)>
func.func @lse_1048576(%x: tensor<64x1048576xbf16>) -> tensor<64xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<64x1048576xbf16>) outs([i] : tensor<64xf32>) {
  ^bb0(%e: bf16):
    %f = arith.extf %e : bf16 to f32
    %m = cascade.reduce max %f over (l) : f32
    %d = arith.subf %f, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) : f32
    %g = math.log %t : f32
    %s = arith.addf %m, %g : f32
    cascade.yield %s : f32
  }
  return %y : tensor<64xf32>
}

// Rows that are no whole number of accesses are read by element.
// CHECK-LABEL: func.func @odd_length(
// CHECK-NOT:     vector(
// CHECK:         mapping = #cascade.mapping<i: grid{{.*}}, l: {{.*}}lane(32)>
// CHECK-NOT:   func.func @odd_length_unaligned
func.func @odd_length(%x: tensor<512x1001xbf16>) -> tensor<512x1001xbf16> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<512x1001xbf16>) outs([i, l] : tensor<512x1001xbf16>) {
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
  return %y : tensor<512x1001xbf16>
}

// A length known at run time streams through a loop.
// CHECK-LABEL: func.func @dynamic(
// CHECK:         mapping = #cascade.mapping<i: grid, l: loop x reg({{[0-9]+}}) x warp({{[0-9]+}}) x lane(32) x vector(8)>
func.func @dynamic(%x: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>) outs([i, l] : tensor<?x?xbf16>) {
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
  return %y : tensor<?x?xbf16>
}
