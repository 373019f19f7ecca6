// A mask in memory is small beside the rows that it leaves out: the lanes of a warp look at
// it first, and load the others only where one of them needs to.
// RUN: cascade-opt %s --convert-cascade-to-cluster --canonicalize --cse | FileCheck %s

// CHECK-LABEL: gpu.func @masked_sum(
// CHECK:         scf.for
// CHECK:           %[[USE:.*]] = llvm.load %{{.*}} -> i8
// CHECK-NOT:       ld.global.nc
// CHECK:           %[[ANY:.*]] = cluster.any
// CHECK-NEXT:      scf.if %[[ANY]]
// CHECK:             ld.global.nc
// CHECK:           } else {
func.func @masked_sum(%x: tensor<4x1024x128xf16>, %mask: tensor<4x1024xi8>) -> tensor<4x128xf32> {
  %y = cascade.chain (i, l, d)
      ins(%x[i, l, d] : tensor<4x1024x128xf16>, %mask[i, l] : tensor<4x1024xi8>)
      outs([i, d] : tensor<4x128xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x warp(2) x lane(2 at 16), d: lane(16 at 1) x vector(8)>} {
  ^bb0(%h: f16, %use: i8):
    %e = arith.extf %h : f16 to f32
    %none = arith.constant 0 : i8
    %in = arith.cmpi ne, %use, %none : i8
    %s = cascade.reduce add %e over (l) where %in : f32
    cascade.yield %s : f32
  }
  return %y : tensor<4x128xf32>
}

// Loaded a tile ahead, rows are asked for a tile ahead; the mask is two tiles ahead.
// CHECK-LABEL: gpu.func @masked_ahead(
// CHECK:         scf.for %{{.*}} iter_args(%[[MASK:[^ ]*]] = %{{[^,]*}}, %[[NEXT:[^ ]*]] = %{{[^,]*}},
// CHECK-DAG:       %[[SECOND:.*]] = scf.if %{{.*}} -> (i8)
// CHECK-DAG:       %[[ISNEXT:.*]] = arith.cmpi ne, %[[NEXT]], %c0_i8
// CHECK:           %[[ANYNEXT:.*]] = cluster.any %[[ISNEXT]]
// CHECK:           %[[NEEDED:.*]] = arith.andi %{{.*}}, %[[ANYNEXT]]
// CHECK:           scf.if %[[NEEDED]]
// CHECK:             ld.global.nc
// CHECK:           %[[IS:.*]] = arith.cmpi ne, %[[MASK]], %c0_i8
// CHECK:           %[[ANY:.*]] = cluster.any %[[IS]]
// CHECK-NEXT:      scf.if %[[ANY]]
// CHECK:           scf.yield %[[NEXT]], %[[SECOND]],
func.func @masked_ahead(%x: tensor<4x1024x128xf16>, %mask: tensor<4x1024xi8>) -> tensor<4x128xf32> {
  %y = cascade.chain (i, l, d)
      ins(%x[i, l, d] : tensor<4x1024x128xf16>, %mask[i, l] : tensor<4x1024xi8>)
      outs([i, d] : tensor<4x128xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x warp(2) x lane(2 at 16), d: lane(16 at 1) x vector(8), load = [0: ahead(1), 1: ahead(1)]>} {
  ^bb0(%h: f16, %use: i8):
    %e = arith.extf %h : f16 to f32
    %none = arith.constant 0 : i8
    %in = arith.cmpi ne, %use, %none : i8
    %s = cascade.reduce add %e over (l) where %in : f32
    cascade.yield %s : f32
  }
  return %y : tensor<4x128xf32>
}

// A mask of as many elements as there are others: nothing to gain.
// CHECK-LABEL: gpu.func @masked_row(
// CHECK-NOT:     cluster.any
// CHECK:         gpu.return
func.func @masked_row(%x: tensor<4x1024xf32>, %mask: tensor<4x1024xi8>) -> tensor<4xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<4x1024xf32>, %mask[i, l] : tensor<4x1024xi8>)
      outs([i] : tensor<4xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x warp(2) x lane(32)>} {
  ^bb0(%e: f32, %use: i8):
    %none = arith.constant 0 : i8
    %in = arith.cmpi ne, %use, %none : i8
    %s = cascade.reduce add %e over (l) where %in : f32
    cascade.yield %s : f32
  }
  return %y : tensor<4xf32>
}
