// RUN: cascade-opt %s --cascade-schedule --split-input-file | FileCheck %s

// The entries of a list are in the registers of every thread. A longer list
// leaves a thread fewer elements of a tile.
// CHECK-LABEL: func.func @streamed(
// CHECK:         mapping = #cascade.mapping<i: grid{{.*}}, l: {{.*}}loop x reg({{[48]}}) x {{.*}}lane(32) x vector(4), k: reg(4)>
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
