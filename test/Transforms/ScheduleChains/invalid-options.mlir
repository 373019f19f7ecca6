// RUN: not cascade-opt %s --cascade-schedule=cluster=17 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: {{.*}}cannot run in clusters of 17 blocks; a cluster has 1 to 16
// RUN: not cascade-opt %s --cascade-schedule=cluster=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: {{.*}}cannot run in clusters of -1 blocks; a cluster has 1 to 16
// RUN: not cascade-opt %s --cascade-schedule=mapping=foo 2>&1 | FileCheck %s --check-prefix=MAPPING
// MAPPING: error: 'foo' is not a #cascade.mapping<...> attribute
// RUN: not cascade-opt %s '--cascade-schedule=mapping="#cascade.mapping<i: grid, j: loop x lane(32)>"' 2>&1 | FileCheck %s --check-prefix=AXIS
// AXIS: error: {{.*}}axis {{.*}}

func.func @sum(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<?xf32>
}
