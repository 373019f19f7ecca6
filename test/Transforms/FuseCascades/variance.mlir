// The variance is a sum of three products: (x - mu)^2 about a running mean c. Its
// accumulators are the second and the first moment about c and the number of
// iterations, which is a sum of its own. Moving c gives Chan's update:
// M2 + 2 M1 d + n d^2.
// RUN: cascade-opt %s --cascade-fuse --verify-roundtrip | FileCheck %s
// RUN: cascade-compile %s --explain=json | FileCheck %s --check-prefix=JSON

// CHECK:       %[[S:.*]] = cascade.reduce add %[[X:.*]] over (l) : f32
// CHECK:       %[[N:.*]] = cascade.reduce add %{{.*}} over (l) : f32
// The sum so far, taken for its share of the whole.
// CHECK-NEXT:  %[[SHARE:.*]] = arith.divf %{{.*}}, %[[N]] : f32
// CHECK-NEXT:  %[[TOTAL:.*]] = arith.mulf %[[S]], %[[SHARE]] : f32
// CHECK-NEXT:  %[[C:.*]] = arith.divf %[[TOTAL]]
// CHECK-NEXT:  %[[U:.*]] = arith.subf %[[X]], %[[C]] : f32
// CHECK-NEXT:  %[[UU:.*]] = arith.mulf %[[U]], %[[U]] : f32
// CHECK-NEXT:  %[[M:.*]]:2 = cascade.reduce add %[[UU]], %[[U]] over (l) refs(%[[C]] as centre : f32, %[[N]] : f32) correct {
// CHECK-NEXT:  ^bb0(%[[M2:.*]]: f32, %[[M1:.*]]: f32, %[[OLDC:.*]]: f32, %[[OLDN:.*]]: f32, %[[NEWC:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:    %[[DIFF:.*]] = arith.subf %[[NEWC]], %[[OLDC]] : f32
// CHECK-NEXT:    %[[D:.*]] = arith.negf %[[DIFF]] : f32
// CHECK:         %[[TWO:.*]] = arith.mulf %[[M1]], %{{.*}} : f32
// CHECK-NEXT:    %[[LINEAR:.*]] = arith.mulf %[[TWO]], %[[D]] : f32
// CHECK-NEXT:    %[[DD:.*]] = arith.mulf %[[D]], %[[D]] : f32
// CHECK-NEXT:    %[[QUADRATIC:.*]] = arith.mulf %[[OLDN]], %[[DD]] : f32
// CHECK-NEXT:    %[[A:.*]] = arith.addf %[[M2]], %[[LINEAR]] : f32
// CHECK-NEXT:    arith.addf %[[A]], %[[QUADRATIC]] : f32
// CHECK:         %[[ND:.*]] = arith.mulf %[[OLDN]], %[[D]] : f32
// CHECK-NEXT:    arith.addf %[[M1]], %[[ND]] : f32

// JSON: "passes":{"l":1}
// JSON: "accumulators":3,"class":"separable","index":1,{{.*}}"rank":3
func.func @variance(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %sum = cascade.reduce add %e over (l) : f32
    %n = cascade.extent l : i32
    %nf = arith.sitofp %n : i32 to f32
    %mu = arith.divf %sum, %nf : f32
    %d = arith.subf %e, %mu : f32
    %sq = arith.mulf %d, %d : f32
    %s = cascade.reduce add %sq over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<?xf32>
}
