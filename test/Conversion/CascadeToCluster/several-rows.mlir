// Eight rows a block, eight lanes each. 20 rows are no whole number of blocks: the
// threads of a row beyond the last work on the last one and do not store.
// RUN: cascade-opt %s --convert-cascade-to-cluster --canonicalize --cse | FileCheck %s

// CHECK:         gpu.func @sum(%{{.*}}) kernel attributes {cluster.dynamic_bytes = 0 : i64, known_block_size = array<i32: 64, 1, 1>} {
// CHECK-DAG:       %[[LAST:.*]] = arith.constant 19 : i32
// CHECK-DAG:       %[[ROWS:.*]] = arith.constant 20 : i32
// CHECK:           %[[FIRST:.*]] = arith.cmpi eq
// CHECK:           %[[VALID:.*]] = arith.cmpi slt, %[[ROW:.*]], %[[ROWS]] : i32
// CHECK:           arith.minsi %[[ROW]], %[[LAST]] : i32
// CHECK:           cluster.all_reduce(%{{.*}}) scope(warp) lanes(8) kind(add) : f32
// CHECK-NEXT:      %[[STORES:.*]] = arith.andi %[[FIRST]], %[[VALID]] : i1
// CHECK-NEXT:      scf.if %[[STORES]] {
func.func @sum(%x: tensor<20x8xf32>) -> tensor<20xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<20x8xf32>) outs([i] : tensor<20xf32>)
      attributes {mapping = #cascade.mapping<i: grid x warp(2) x lane(4), l: lane(8)>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<20xf32>
}
