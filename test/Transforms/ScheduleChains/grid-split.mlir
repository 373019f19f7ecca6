// Where rows and clusters leave multiprocessors without work, several clusters of
// the grid share a row, and the last to arrive merges their states.
// RUN: cascade-opt %s --cascade-fuse --cascade-schedule --split-input-file | FileCheck %s

// One long row.
// CHECK-LABEL: func.func @one_row(
// CHECK: mapping = #cascade.mapping<i: grid, l: grid({{[0-9]+}}) x {{.*}}, merge = [l: last]>
// The variant for unaligned rows has as many.
// CHECK-LABEL: func.func @one_row_unaligned(
// CHECK: mapping = #cascade.mapping<i: grid, l: grid({{[0-9]+}}) x {{.*}}loop x reg(4) x {{.*}}, merge = [l: last]>
func.func @one_row(%x: tensor<1x8388608xbf16>) -> tensor<1xf32> {
  %y = cascade.chain (i, l) ins(%x[i, l] : tensor<1x8388608xbf16>) outs([i] : tensor<1xf32>) {
  ^bb0(%xe: bf16):
    %f = arith.extf %xe : bf16 to f32
    %s = cascade.reduce add %f over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<1xf32>
}

// -----

// A row that one cluster reads as fast: what the exchange takes is more.
// CHECK-LABEL: func.func @short_row(
// CHECK-NOT: merge
func.func @short_row(%x: tensor<1x65536xbf16>) -> tensor<1xf32> {
  %y = cascade.chain (i, l) ins(%x[i, l] : tensor<1x65536xbf16>) outs([i] : tensor<1xf32>) {
  ^bb0(%xe: bf16):
    %f = arith.extf %xe : bf16 to f32
    %s = cascade.reduce add %f over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<1xf32>
}

// -----

// Rows for all multiprocessors.
// CHECK-LABEL: func.func @many_rows(
// CHECK-NOT: merge
func.func @many_rows(%x: tensor<512x1048576xbf16>) -> tensor<512xf32> {
  %y = cascade.chain (i, l) ins(%x[i, l] : tensor<512x1048576xbf16>) outs([i] : tensor<512xf32>) {
  ^bb0(%xe: bf16):
    %f = arith.extf %xe : bf16 to f32
    %s = cascade.reduce add %f over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<512xf32>
}

// -----

// A result along the row: all blocks need the merged states.
// CHECK-LABEL: func.func @centred(
// CHECK-NOT: merge
func.func @centred(%x: tensor<1x8388608xf32>) -> tensor<1x8388608xf32> {
  %y = cascade.chain (i, l) ins(%x[i, l] : tensor<1x8388608xf32>) outs([i, l] : tensor<1x8388608xf32>) {
  ^bb0(%e: f32):
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    cascade.yield %d : f32
  }
  return %y : tensor<1x8388608xf32>
}

// -----

// Attention of few heads over a long cache.
// CHECK-LABEL: func.func @decode(
// CHECK: l: grid({{[0-9]+}}) x {{.*}}, merge = [l: last]
func.func @decode(%q: tensor<8x128xbf16>, %k: tensor<65536x128xbf16>, %v: tensor<65536x128xbf16>)
    -> tensor<8x128xf32> {
  %o = cascade.chain (h, l, d, e)
      ins(%q[h, d] : tensor<8x128xbf16>, %k[l, d] : tensor<65536x128xbf16>, %v[l, e] : tensor<65536x128xbf16>)
      outs([h, e] : tensor<8x128xf32>) {
  ^bb0(%qb: bf16, %kb: bf16, %vb: bf16):
    %qe = arith.extf %qb : bf16 to f32
    %ke = arith.extf %kb : bf16 to f32
    %ve = arith.extf %vb : bf16 to f32
    %qk = arith.mulf %qe, %ke : f32
    %s = cascade.reduce add %qk over (d) : f32
    %m = cascade.reduce max %s over (l) : f32
    %dm = arith.subf %s, %m : f32
    %x = math.exp %dm : f32
    %t = cascade.reduce add %x over (l) : f32
    %p = arith.divf %x, %t : f32
    %w = arith.mulf %p, %ve : f32
    %out = cascade.reduce add %w over (l) : f32
    cascade.yield %out : f32
  }
  return %o : tensor<8x128xf32>
}
