// The sum runs against the running maximum; a correction brings the accumulator
// to a new one. The division of every element becomes a product with one
// reciprocal a row.
// RUN: cascade-opt %s --cascade-fuse --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @softmax
// CHECK:       ^bb0(%[[X:.*]]: bf16):
// CHECK:         %[[F:.*]] = arith.extf %[[X]] : bf16 to f32
// CHECK:         %[[M:.*]] = cascade.reduce max %[[F]] over (l) : f32
// CHECK:         %[[D:.*]] = arith.subf %[[F]], %[[M]] : f32
// CHECK:         %[[E:.*]] = math.exp %[[D]] : f32
// CHECK:         %[[T:.*]] = cascade.reduce add %[[E]] over (l) refs(%[[M]] as exponent : f32) correct {

// acc exp(old - new); the identity between equal references and on an
// accumulator of 0.
// CHECK-NEXT:    ^bb0(%[[ACC:.*]]: f32, %[[OLD:.*]]: f32, %[[NEW:.*]]: f32):
// CHECK-DAG:       %[[DIFF:.*]] = arith.subf %[[OLD]], %[[NEW]] : f32
// CHECK-DAG:       %[[SCALE:.*]] = math.exp %[[DIFF]] : f32
// CHECK-DAG:       %[[SAME:.*]] = arith.cmpf oeq, %[[OLD]], %[[NEW]] : f32
// CHECK-DAG:       %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:       %[[EMPTY:.*]] = arith.cmpf oeq, %[[ACC]], %[[ZERO]] : f32
// CHECK:           %[[MOVED:.*]] = arith.mulf %[[ACC]], %[[SCALE]] : f32
// CHECK:           %[[A:.*]] = arith.select %[[SAME]], %[[ACC]], %[[MOVED]] : f32
// CHECK:           %[[B:.*]] = arith.select %[[EMPTY]], %[[ACC]], %[[A]] : f32
// CHECK-NEXT:      cascade.yield %[[B]] : f32
// CHECK-NEXT:    } : f32

// CHECK:         %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:         %[[R:.*]] = arith.divf %[[ONE]], %[[T]] : f32
// CHECK:         %[[P:.*]] = arith.mulf %[[E]], %[[R]] : f32
// CHECK:         %[[Y:.*]] = arith.truncf %[[P]] : f32 to bf16
// CHECK:         %[[LOG:.*]] = math.log %[[T]] : f32
// CHECK:         %[[LSE:.*]] = arith.addf %[[M]], %[[LOG]] : f32

// The divisor stays in 2^-64 .. 2^64, the accumulator and the reference finite.
// CHECK-DAG:     arith.constant 1.84467441E+19 : f32
// CHECK-DAG:     arith.constant 5.42101086E-20 : f32
// CHECK-DAG:     arith.constant 0x7F800000 : f32
// CHECK:         cascade.yield %[[Y]], %[[LSE]] replay %{{.*}} : bf16, f32

// CHECK-NEXT:  } source {
// CHECK-NEXT:  ^bb0(%[[SX:.*]]: bf16):
// CHECK:         %[[SM:.*]] = cascade.reduce max %{{.*}} over (l) : f32
// CHECK:         %[[SE:.*]] = math.exp
// CHECK:         %[[ST:.*]] = cascade.reduce add %[[SE]] over (l) : f32
// CHECK:         arith.divf %[[SE]], %[[ST]] : f32
// CHECK:         cascade.yield %{{.*}}, %{{.*}} : bf16, f32
func.func @softmax(%x: tensor<?x?xbf16>) -> (tensor<?x?xbf16>, tensor<?xf32>) {
  %y, %lse = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>)
      outs([i, l] : tensor<?x?xbf16>, [i] : tensor<?xf32>) {
  ^bb0(%xe: bf16):
    %f = arith.extf %xe : bf16 to f32
    %m = cascade.reduce max %f over (l) : f32
    %d = arith.subf %f, %m : f32
    %e = math.exp %d : f32
    %t = cascade.reduce add %e over (l) : f32
    %p = arith.divf %e, %t : f32
    %o = arith.truncf %p : f32 to bf16
    %g = math.log %t : f32
    %s = arith.addf %m, %g : f32
    cascade.yield %o, %s : bf16, f32
  }
  return %y, %lse : tensor<?x?xbf16>, tensor<?xf32>
}
