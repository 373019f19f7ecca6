// A resident grid: cluster c of G takes rows c, c + G, c + 2 G, ...; what is the
// same for all rows is loaded before the first of them. The cold path works on
// the row of its trip.
// RUN: cascade-opt %s --cascade-fuse --convert-cascade-to-cluster --canonicalize --cse | FileCheck %s
// RUN: cascade-compile %s -o %t && FileCheck %s --check-prefix=JSON < %t.json

// JSON:      "cluster": [
// JSON-NEXT:   2,
// JSON:      "grid": [
// JSON-NEXT:   [
// JSON-NEXT:     "min",
// JSON:            "i"
// JSON:          [
// JSON-NEXT:       "resident"
// JSON-NEXT:     ]

// CHECK-LABEL:   gpu.func @scaled(
// CHECK-DAG:       %[[C1:.*]] = arith.constant 1 : i32
// CHECK-DAG:       %[[C2:.*]] = arith.constant 2 : i32
// CHECK-DAG:       %[[BLOCK:.*]] = gpu.block_id x
// CHECK-DAG:       %[[BLOCKS:.*]] = gpu.grid_dim x
// CHECK-DAG:       %[[B:.*]] = arith.index_castui %[[BLOCK]] : index to i32
// CHECK-DAG:       %[[FIRST:.*]] = arith.divui %[[B]], %[[C2]]
// CHECK-DAG:       %[[D:.*]] = arith.index_castui %[[BLOCKS]] : index to i32
// CHECK-DAG:       %[[STEP:.*]] = arith.divui %[[D]], %[[C2]]
// Weights, before the loop.
// CHECK:           ld.global.nc.v4.b32
// CHECK:           ld.global.nc.v4.b32
// CHECK:           scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %[[C1]]
// CHECK-NEXT:        %[[OFFSET:.*]] = arith.muli %[[K]], %[[STEP]]
// CHECK-NEXT:        %[[ROW:.*]] = arith.addi %[[FIRST]], %[[OFFSET]]
// CHECK:             llvm.load
// CHECK:             cluster.all_reduce
// CHECK-NOT:         ld.global.nc
// CHECK:             llvm.store
func.func @scaled(%x: tensor<?x1024xbf16>, %w: tensor<1024xbf16>) -> tensor<?x1024xbf16> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x1024xbf16>, %w[l] : tensor<1024xbf16>)
      outs([i, l] : tensor<?x1024xbf16>)
      attributes {mapping = #cascade.mapping<i: loop x grid(resident), l: cluster(2) x reg(2) x warp(1) x lane(32) x vector(8), keep = [1: regs]>} {
  ^bb0(%e: bf16, %we: bf16):
    %f = arith.extf %e : bf16 to f32
    %g = arith.extf %we : bf16 to f32
    %m = cascade.reduce max %f over (l) : f32
    %d = arith.subf %f, %m : f32
    %p = arith.mulf %d, %g : f32
    %o = arith.truncf %p : f32 to bf16
    cascade.yield %o : bf16
  }
  return %y : tensor<?x1024xbf16>
}
