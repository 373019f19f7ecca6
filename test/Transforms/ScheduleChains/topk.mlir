// RUN: cascade-opt %s --cascade-schedule --split-input-file | FileCheck %s

// A warp has a row and takes it in large tiles: with a full list, most of them
// are skipped at the cost of one comparison.
// CHECK-LABEL: func.func @streamed(
// CHECK:         mapping = #cascade.mapping<i: grid{{.*}}, l: loop x reg(8) x lane(32) x vector(4), k: reg(4)>
func.func @streamed(%x: tensor<8192x4096xf32>) -> tensor<8192x4xi32> {
  %y = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<8192x4096xf32>) outs([i, k] : tensor<8192x4xi32>) {
  ^bb0(%e: f32):
    %j = cascade.index l : i32
    %key, %index = cascade.reduce topk %e, %j over (l) into (k) : f32, i32
    cascade.yield %index : i32
  }
  return %y : tensor<8192x4xi32>
}

// -----

// CHECK-LABEL: func.func @long_list(
// CHECK:         mapping = #cascade.mapping<i: grid{{.*}}, l: {{.*}}loop x {{.*}}lane(32) x vector(4), k: reg(48)>
func.func @long_list(%x: tensor<8192x4096xf32>) -> tensor<8192x48xi32> {
  %y = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<8192x4096xf32>) outs([i, k] : tensor<8192x48xi32>) {
  ^bb0(%e: f32):
    %j = cascade.index l : i32
    %key, %index = cascade.reduce topk %e, %j over (l) into (k) : f32, i32
    cascade.yield %index : i32
  }
  return %y : tensor<8192x48xi32>
}

// -----

// Two rows share a warp, whose lanes put the elements of both into their lists.
// CHECK-LABEL: func.func @short_rows(
// CHECK:         mapping = #cascade.mapping<i: grid x warp(4) x lane(2), l: reg(8) x lane(16) x vector(8), k: reg(8)>
func.func @short_rows(%x: tensor<65536x1024xbf16>) -> tensor<65536x8xi32> {
  %y = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<65536x1024xbf16>) outs([i, k] : tensor<65536x8xi32>) {
  ^bb0(%e: bf16):
    %j = cascade.index l : i32
    %key, %index = cascade.reduce topk %e, %j over (l) into (k) : bf16, i32
    cascade.yield %index : i32
  }
  return %y : tensor<65536x8xi32>
}

// -----

// No parallel axis, and a list of one entry.
// CHECK-LABEL: func.func @one_row(
// CHECK:         l: {{.*}}, k: reg(1)>
func.func @one_row(%x: tensor<4096xf32>) -> tensor<1xi32> {
  %y = cascade.chain (l, k)
      ins(%x[l] : tensor<4096xf32>) outs([k] : tensor<1xi32>) {
  ^bb0(%e: f32):
    %j = cascade.index l : i32
    %key, %index = cascade.reduce topk %e, %j over (l) into (k) : f32, i32
    cascade.yield %index : i32
  }
  return %y : tensor<1xi32>
}
