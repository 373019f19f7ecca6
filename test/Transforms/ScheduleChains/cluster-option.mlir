// --cascade-schedule=cluster=N puts N blocks on every row.
// RUN: cascade-opt %s --cascade-fuse --cascade-schedule=cluster=1 | FileCheck %s --check-prefix=ONE
// RUN: cascade-opt %s --cascade-fuse --cascade-schedule=cluster=3 | FileCheck %s -DN=3
// RUN: cascade-opt %s --cascade-fuse --cascade-schedule=cluster=16 | FileCheck %s -DN=16

// ONE-NOT:     cluster(
// ONE-COUNT-4: mapping = #cascade.mapping<i: grid, l:
// ONE-NOT:     cluster(

// CHECK-LABEL: func.func @row_of_1024(
// CHECK:         l: cluster([[N]]) x
// CHECK-LABEL: func.func @row_of_1024_unaligned(
// CHECK:         l: cluster([[N]]) x
// CHECK-LABEL: func.func @row_of_131072(
// CHECK:         l: cluster([[N]]) x
// CHECK-LABEL: func.func @row_of_131072_unaligned(
// CHECK:         l: cluster([[N]]) x
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
