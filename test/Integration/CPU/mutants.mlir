// A harness that cannot fail shows nothing. Without its corrections, or without
// replay, the fused form is wrong, and the sweep must say so.
// RUN: cascade-sweep %s --lengths=7,33 --rows=3 | FileCheck %s --check-prefix=RIGHT
// RIGHT: {{[1-9][0-9]*}} passed, 0 failed
// RUN: not cascade-sweep %s --lengths=7,33 --rows=3 --mutate=no-correction | FileCheck %s
// RUN: not cascade-sweep %s --lengths=7,33 --rows=3 --mutate=no-replay | FileCheck %s
// CHECK: FAILED logsumexp output 0, length {{[0-9]+}}, rows 3, {{.*}}, segments
// CHECK: passed, {{[1-9][0-9]*}} failed

func.func @logsumexp(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) : f32
    %g = math.log %t : f32
    %s = arith.addf %m, %g : f32
    cascade.yield %s : f32
  }
  return %y : tensor<?xf32>
}
