// Blocks that stay and go from row to row, where that was measured to be faster:
// rows that only the largest cluster holds, tile by tile; and clusters of four
// and more that keep the weights, and their row in registers. Not where there are
// few rows a cluster, nor where weights are read again for every row.
// RUN: cascade-opt %s --cascade-fuse --cascade-schedule | FileCheck %s
// RUN: cascade-compile %s --explain=text | FileCheck %s --check-prefix=EXPLAIN

// CHECK-LABEL: func.func @longest(
// CHECK:         #cascade.mapping<i: loop x grid(resident), l: cluster(16) x loop x warp(16) x reg(8) x lane(32) x vector(8), load = [0: bulk(3)], keep = [0: shared]>
// The variant for unaligned rows has no stages.
// CHECK:       func.func @longest{{.*}}cascade.fallback_of
// CHECK:         #cascade.mapping<i: loop x grid(resident), l: cluster(16) x loop x reg(4) x warp(16) x lane(32)>
// EXPLAIN-LABEL: function longest
// EXPLAIN:         mapping #cascade.mapping<i: loop x grid(resident)
// EXPLAIN-NEXT:      the row resident in shared memory
func.func @longest(%x: tensor<64x1048576xbf16>) -> tensor<64x1048576xbf16> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<64x1048576xbf16>)
      outs([i, l] : tensor<64x1048576xbf16>) {
  ^bb0(%xe: bf16):
    %f = arith.extf %xe : bf16 to f32
    %m = cascade.reduce max %f over (l) : f32
    %d = arith.subf %f, %m : f32
    %e = math.exp %d : f32
    %t = cascade.reduce add %e over (l) : f32
    %p = arith.divf %e, %t : f32
    %o = arith.truncf %p : f32 to bf16
    cascade.yield %o : bf16
  }
  return %y : tensor<64x1048576xbf16>
}

// CHECK-LABEL: func.func @few(
// CHECK-NOT:     resident
// CHECK:         cascade.yield
func.func @few(%x: tensor<8x1048576xbf16>) -> tensor<8x1048576xbf16> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x1048576xbf16>)
      outs([i, l] : tensor<8x1048576xbf16>) {
  ^bb0(%xe: bf16):
    %f = arith.extf %xe : bf16 to f32
    %m = cascade.reduce max %f over (l) : f32
    %d = arith.subf %f, %m : f32
    %o = arith.truncf %d : f32 to bf16
    cascade.yield %o : bf16
  }
  return %y : tensor<8x1048576xbf16>
}

// CHECK-LABEL: func.func @weighted(
// CHECK:         #cascade.mapping<i: loop x grid(resident), l: cluster(8) x warp(8) x reg(8) x lane(32) x vector(8), load = [0: bulk(2)], keep = [1: shared]>
func.func @weighted(%x: tensor<512x131072xbf16>, %w: tensor<131072xbf16>) -> tensor<512x131072xbf16> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<512x131072xbf16>, %w[l] : tensor<131072xbf16>)
      outs([i, l] : tensor<512x131072xbf16>) {
  ^bb0(%xe: bf16, %we: bf16):
    %f = arith.extf %xe : bf16 to f32
    %g = arith.extf %we : bf16 to f32
    %q = arith.mulf %f, %f : f32
    %s = cascade.reduce add %q over (l) : f32
    %r = math.rsqrt %s : f32
    %z = arith.mulf %f, %r : f32
    %p = arith.mulf %z, %g : f32
    %o = arith.truncf %p : f32 to bf16
    cascade.yield %o : bf16
  }
  return %y : tensor<512x131072xbf16>
}

// CHECK-LABEL: func.func @weighted_longest(
// CHECK-NOT:     resident
// CHECK:         cascade.yield
func.func @weighted_longest(%x: tensor<64x1048576xbf16>, %w: tensor<1048576xbf16>) -> tensor<64x1048576xbf16> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<64x1048576xbf16>, %w[l] : tensor<1048576xbf16>)
      outs([i, l] : tensor<64x1048576xbf16>) {
  ^bb0(%xe: bf16, %we: bf16):
    %f = arith.extf %xe : bf16 to f32
    %g = arith.extf %we : bf16 to f32
    %q = arith.mulf %f, %f : f32
    %s = cascade.reduce add %q over (l) : f32
    %r = math.rsqrt %s : f32
    %z = arith.mulf %f, %r : f32
    %p = arith.mulf %z, %g : f32
    %o = arith.truncf %p : f32 to bf16
    cascade.yield %o : bf16
  }
  return %y : tensor<64x1048576xbf16>
}
