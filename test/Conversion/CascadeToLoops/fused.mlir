// RUN: cascade-opt %s --convert-cascade-to-loops --canonicalize --cse | FileCheck %s
// RUN: cascade-opt %s --convert-cascade-to-loops=segments=4 --canonicalize --cse | FileCheck %s --check-prefix=SEG

// One loop carries both accumulators. The correction and the value use the
// guarded references; the replay condition selects the source per row.
// CHECK-LABEL: func.func @logsumexp
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           %[[S:.*]]:2 = scf.for {{.*}} iter_args(%[[M:.*]] = %{{.*}}, %[[T:.*]] = %{{.*}}) -> (f32, f32)
// CHECK:             %[[E:.*]] = memref.load
// CHECK:             %[[M1:.*]] = arith.maximumf %[[M]], %[[E]]
// CHECK:             %[[OLD:.*]] = arith.select %{{.*}}, %{{.*}}, %[[M]]
// CHECK:             %[[NEW:.*]] = arith.select %{{.*}}, %{{.*}}, %[[M1]]
// CHECK:             arith.subf %[[OLD]], %[[NEW]]
// CHECK:             %[[D:.*]] = arith.subf %[[E]], %[[NEW]]
// CHECK:             math.exp %[[D]]
// CHECK:             scf.yield %[[M1]], %{{.*}}
// CHECK:           %[[BAD:.*]] = arith.cmpf ueq
// CHECK:           scf.if %[[BAD]] {
// CHECK-COUNT-2:     scf.for
// CHECK:           } else {
// CHECK-NOT:         scf.for
// CHECK:             math.log %[[S]]#1

// The iterations of segment s are [s T / 4, (s + 1) T / 4); the states of the
// segments are merged on the left.
// SEG-LABEL: func.func @logsumexp
// SEG:         scf.for
// SEG:           %{{.*}}:2 = scf.for %[[SEG:.*]] = {{.*}} iter_args(%[[LM:.*]] = %{{.*}}, %[[LT:.*]] = %{{.*}})
// SEG:             arith.muli %[[SEG]]
// SEG:             %[[BEGIN:.*]] = arith.divui
// SEG:             %[[END:.*]] = arith.divui
// SEG:             %[[R:.*]]:2 = scf.for {{.*}} = %[[BEGIN]] to %[[END]]
// SEG:             %[[MM:.*]] = arith.maximumf %[[LM]], %[[R]]#0
// SEG:             arith.addf
// SEG:             scf.yield %[[MM]]
func.func @logsumexp(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %lse = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) refs(%m as exponent : f32) correct {
    ^bb0(%a: f32, %old: f32, %new: f32):
      %step = arith.subf %old, %new : f32
      %factor = math.exp %step : f32
      %moved = arith.mulf %a, %factor : f32
      %same = arith.cmpf oeq, %old, %new : f32
      %kept = arith.select %same, %a, %moved : f32
      cascade.yield %kept : f32
    } : f32
    %g = math.log %t : f32
    %s = arith.addf %m, %g : f32
    %size = math.absf %m : f32
    %inf = arith.constant 0x7F800000 : f32
    %bad = arith.cmpf ueq, %size, %inf : f32
    cascade.yield %s replay %bad : f32
  } source {
  ^bb0(%e: f32):
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) : f32
    %g = math.log %t : f32
    %s = arith.addf %m, %g : f32
    cascade.yield %s : f32
  }
  return %lse : tensor<?xf32>
}
