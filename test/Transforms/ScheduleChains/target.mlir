// The schedule is for the GPU that a function, or a module around it, says; for
// that of the option where none does.
// RUN: cascade-opt %s --cascade-fuse --cascade-schedule | FileCheck %s
// RUN: cascade-opt %s --cascade-fuse --cascade-schedule --convert-cascade-to-cluster \
// RUN:   | FileCheck %s --check-prefix=KERNEL

// CHECK-LABEL: func.func @default(
// CHECK:         mapping = #cascade.mapping<i: grid, l: cluster(8) x
// CHECK-LABEL: func.func @small_clusters(
// CHECK:         mapping = #cascade.mapping<i: {{.*}}, l: cluster(2) x
// CHECK-LABEL: func.func @around(
// CHECK:         mapping = #cascade.mapping<i: grid, l: {{reg|loop}}

// The kernel keeps what its function said.
// KERNEL:     gpu.func @default(
// KERNEL-NOT:   cluster.target
// KERNEL:     gpu.func @small_clusters(
// KERNEL:       cluster.target = #cluster.target<name = "h200", portable_cluster = 2, max_cluster = 2,
// KERNEL:     gpu.return

#small = #cluster.target<name = "h200", portable_cluster = 2, max_cluster = 2>
module {
  func.func @default(%x: tensor<512x131072xbf16>) -> tensor<512x131072xbf16> {
    %y = cascade.chain (i, l)
        ins(%x[i, l] : tensor<512x131072xbf16>) outs([i, l] : tensor<512x131072xbf16>) {
    ^bb0(%e: bf16):
      %f = arith.extf %e : bf16 to f32
      %m = cascade.reduce max %f over (l) : f32
      %d = arith.subf %f, %m : f32
      %o = arith.truncf %d : f32 to bf16
      cascade.yield %o : bf16
    }
    return %y : tensor<512x131072xbf16>
  }
  func.func @small_clusters(%x: tensor<512x131072xbf16>) -> tensor<512x131072xbf16>
      attributes {cluster.target = #small} {
    %y = cascade.chain (i, l)
        ins(%x[i, l] : tensor<512x131072xbf16>) outs([i, l] : tensor<512x131072xbf16>) {
    ^bb0(%e: bf16):
      %f = arith.extf %e : bf16 to f32
      %m = cascade.reduce max %f over (l) : f32
      %d = arith.subf %f, %m : f32
      %o = arith.truncf %d : f32 to bf16
      cascade.yield %o : bf16
    }
    return %y : tensor<512x131072xbf16>
  }
  module attributes {cluster.target = #cluster.target<name = "h200", portable_cluster = 1, max_cluster = 1>} {
    func.func @around(%x: tensor<512x131072xbf16>) -> tensor<512x131072xbf16> {
      %y = cascade.chain (i, l)
          ins(%x[i, l] : tensor<512x131072xbf16>) outs([i, l] : tensor<512x131072xbf16>) {
      ^bb0(%e: bf16):
        %f = arith.extf %e : bf16 to f32
        %m = cascade.reduce max %f over (l) : f32
        %d = arith.subf %f, %m : f32
        %o = arith.truncf %d : f32 to bf16
        cascade.yield %o : bf16
      }
      return %y : tensor<512x131072xbf16>
    }
  }
}
