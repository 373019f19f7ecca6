// The longest list.
// RUN: cascade-sweep %s --lengths=0,1,63,64,65,300 --rows=1,3 \
// RUN:   --segments=1,3,8 --patterns=rand,special | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed

// RUN: cascade-run %s --device=cpu --segments=7 --dim=i=1 --input=0 --dim=l=100 | FileCheck %s --check-prefix=TIES
// TIES: result1: 1x64xi32=0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 {{.*}} 60 61 62 63

func.func @topk(%x: tensor<?x?xf32>) -> (tensor<?x64xf32>, tensor<?x64xi32>) {
  %k, %j = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i, k] : tensor<?x64xf32>, [i, k] : tensor<?x64xi32>) {
  ^bb0(%e: f32):
    %at = cascade.index l : i32
    %key, %index = cascade.reduce topk %e, %at over (l) into (k) : f32, i32
    cascade.yield %key, %index : f32, i32
  }
  return %k, %j : tensor<?x64xf32>, tensor<?x64xi32>
}
