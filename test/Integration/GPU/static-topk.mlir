// The longest list, and lists of rows that share a warp.
// RUN: cascade-compile %s --stop-after=mapped | FileCheck %s
// CHECK: i: grid{{.*}}, l: {{.*}}lane(32){{.*}}, k: reg(64)
// CHECK: i: grid x warp({{[48]}}) x lane(4), l: lane(8) x vector(4), k: reg(6)

func.func @longest(%x: tensor<16x1000xf32>) -> (tensor<16x64xf32>, tensor<16x64xi32>) {
  %k, %j = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<16x1000xf32>)
      outs([i, k] : tensor<16x64xf32>, [i, k] : tensor<16x64xi32>) {
  ^bb0(%e: f32):
    %at = cascade.index l : i32
    %key, %index = cascade.reduce topk %e, %at over (l) into (k) : f32, i32
    cascade.yield %key, %index : f32, i32
  }
  return %k, %j : tensor<16x64xf32>, tensor<16x64xi32>
}

func.func @short_rows(%x: tensor<100x32xf32>) -> (tensor<100x6xf32>, tensor<100x6xi64>) {
  %k, %j = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<100x32xf32>)
      outs([i, k] : tensor<100x6xf32>, [i, k] : tensor<100x6xi64>) {
  ^bb0(%e: f32):
    %at = cascade.index l : i64
    %key, %index = cascade.reduce topk %e, %at over (l) into (k) : f32, i64
    cascade.yield %key, %index : f32, i64
  }
  return %k, %j : tensor<100x6xf32>, tensor<100x6xi64>
}
