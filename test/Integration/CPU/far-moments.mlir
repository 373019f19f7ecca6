// Moments to the fourth of elements of mean 1e4 and deviation near 1, skewed so
// that none is near 0. In f32 a power sum would have no digit left, and the mean
// of a long row as written is off by half a deviation. The accumulators know the
// mean better than the plain sum does: the fused row is within 1e-3 of the value
// in f64, streamed and in 8 segments.
// RUN: cascade-sweep %s --lengths=1000,4097,16384 --rows=8 --segments=1 --errors \
// RUN:   | FileCheck %s
// RUN: cascade-sweep %s --lengths=1000,4097,16384 --rows=8 --segments=8 --errors \
// RUN:   | FileCheck %s
// CHECK:      far_moments: output 0 fused {{[0-9.]+e-0[4-9]}} unfused
// CHECK-SAME: output 1 fused {{[0-9.]+e-0[4-9]}} unfused
// CHECK-SAME: output 2 fused {{[0-9.]+e-0[4-9]}} unfused
// RUN: cascade-compile %s --explain=json | FileCheck %s --check-prefix=JSON

// JSON: "passes":{"l":1}
// JSON: "accumulators":3,"class":"separable","index":1,
// JSON: "accumulators":4,"class":"separable","index":2,
// JSON: "accumulators":5,"class":"separable","index":3,
func.func @far_moments(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %r:3 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>, [i] : tensor<?xf32>, [i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %far = arith.constant 1.0e4 : f32
    // Eighths up to 4, so that 1e4 + q^2 is exact.
    %eight = arith.constant 8.0 : f32
    %four = arith.constant 4.0 : f32
    %size = math.absf %e : f32
    %small = arith.minimumf %size, %four : f32
    %e8 = arith.mulf %small, %eight : f32
    %whole = math.roundeven %e8 : f32
    %q = arith.divf %whole, %eight : f32
    %sq = arith.mulf %q, %q : f32
    %y = arith.addf %sq, %far : f32
    %n = cascade.extent l : i32
    %nf = arith.sitofp %n : i32 to f32
    %s = cascade.reduce add %y over (l) : f32
    %mu = arith.divf %s, %nf : f32
    %u = arith.subf %y, %mu : f32
    %u2 = arith.mulf %u, %u : f32
    %s2 = cascade.reduce add %u2 over (l) : f32
    %u3 = arith.mulf %u2, %u : f32
    %s3 = cascade.reduce add %u3 over (l) : f32
    %u4 = arith.mulf %u2, %u2 : f32
    %s4 = cascade.reduce add %u4 over (l) : f32
    %m2 = arith.divf %s2, %nf : f32
    %m3 = arith.divf %s3, %nf : f32
    %m4 = arith.divf %s4, %nf : f32
    cascade.yield %m2, %m3, %m4 : f32, f32, f32
  }
  return %r#0, %r#1, %r#2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
