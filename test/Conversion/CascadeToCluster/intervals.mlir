// What predicates say of the tiles that a kernel visits: bounds on the loop, and no predicate
// in the tiles inside of them.
// RUN: cascade-opt %s --split-input-file --convert-cascade-to-cluster --canonicalize --cse \
// RUN:   | FileCheck %s
// RUN: cascade-opt %s --split-input-file --convert-cascade-to-cluster \
// RUN:   --remarks-filter-passed=cascade-domain --remarks-filter-missed=cascade-domain \
// RUN:   -o %t 2>&1 | FileCheck %s --check-prefix=REMARK

// The tiles before n, of which one may be behind the full ones.
// CHECK-LABEL: gpu.func @below(
// REMARK:      tiles of axis 'l' outside of the domain are skipped, and those inside take no predicate
// CHECK:         %[[N:.*]] = llvm.load
// CHECK:         %[[WIDE:.*]] = arith.extsi %[[N]] : i32 to i64
// CHECK:         %[[LEAST:.*]] = arith.maxsi %[[WIDE]], %c0_i64
// CHECK:         %[[HI:.*]] = arith.minsi %[[LEAST]], %c1024_i64
// CHECK:         arith.trunci %[[HI]] : i64 to i32
// CHECK:         scf.for %{{.*}} = %c0_i32 to %[[FULL:.*]] step
// CHECK-NOT:       arith.cmpi
// CHECK:           arith.maximumf
// Behind n, the last element before it is loaded again.
// CHECK:         scf.if
// CHECK:           %[[LAST:.*]] = arith.subi %{{.*}}, %c1_i32
// CHECK:           arith.minsi %{{.*}}, %[[LAST]]
// CHECK:           arith.cmpi slt, %{{.*}}, %[[N]]
func.func @below(%x: tensor<4x1024xf32>, %p: tensor<4xi32>, %q: tensor<4xi32>) -> tensor<4xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<4x1024xf32>, %p[i] : tensor<4xi32>, %q[i] : tensor<4xi32>)
      outs([i] : tensor<4xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x lane(32)>} {
  ^bb0(%e: f32, %n: i32, %m: i32):
    %j = cascade.index l : i32
    %in = arith.cmpi slt, %j, %n : i32
    %s = cascade.reduce max %e over (l) where %in : f32
    cascade.yield %s : f32
  }
  return %y : tensor<4xf32>
}

// -----

// The tile that holds the first key is visited before the full ones.
// CHECK-LABEL: gpu.func @window(
// REMARK:      tiles of axis 'l' outside of the domain are skipped
// CHECK:         arith.cmpi slt, %[[AFTER:[^ ]*]], %{{[^ ]*}} : i32
// CHECK-NEXT:    %[[HEAD:.*]] = arith.cmpi slt, %{{[^ ]*}}, %[[FULL:[^ ]*]] : i32
// CHECK-NEXT:    scf.if %[[HEAD]]
// CHECK:           arith.cmpi sge
// CHECK:         scf.for %{{.*}} = %[[FULL]] to %[[AFTER]] step
// CHECK-NOT:       arith.cmpi
// CHECK:           scf.yield
// CHECK:         scf.if
// CHECK:           arith.cmpi sge
func.func @window(%x: tensor<4x1024xf32>, %p: tensor<4xi32>, %q: tensor<4xi32>) -> tensor<4xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<4x1024xf32>, %p[i] : tensor<4xi32>, %q[i] : tensor<4xi32>)
      outs([i] : tensor<4xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x lane(32)>} {
  ^bb0(%e: f32, %n: i32, %m: i32):
    %j = cascade.index l : i32
    %first = arith.subi %n, %m : i32
    %below = arith.cmpi slt, %j, %n : i32
    %from = arith.cmpi sge, %j, %first : i32
    %in = arith.andi %below, %from : i1
    %s = cascade.reduce max %e over (l) where %in : f32
    cascade.yield %s : f32
  }
  return %y : tensor<4xf32>
}

// -----

// n - j may wrap around: then nothing is left out, and every tile is tested.
// CHECK-LABEL: gpu.func @distance(
// REMARK:      tiles of axis 'l' outside of the domain are skipped
// CHECK:         %[[N:.*]] = llvm.load
// CHECK:         %[[WIDE:.*]] = arith.extsi %[[N]] : i32 to i64
// CHECK:         %[[LAST:.*]] = arith.addi %[[WIDE]], %c-1023_i64
// CHECK:         arith.cmpi sge, %[[WIDE]], %c-2147483648_i64
// CHECK:         arith.cmpi sge, %[[LAST]], %c-2147483648_i64
// CHECK:         arith.select %{{.*}}, %c0_i64 : i64
// CHECK:         scf.for
// CHECK:         scf.for
func.func @distance(%x: tensor<4x1024xf32>, %p: tensor<4xi32>, %q: tensor<4xi32>) -> tensor<4xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<4x1024xf32>, %p[i] : tensor<4xi32>, %q[i] : tensor<4xi32>)
      outs([i] : tensor<4xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x lane(32)>} {
  ^bb0(%e: f32, %n: i32, %m: i32):
    %j = cascade.index l : i32
    %far = arith.subi %n, %j : i32
    %in = arith.cmpi slt, %far, %m : i32
    %s = cascade.reduce max %e over (l) where %in : f32
    cascade.yield %s : f32
  }
  return %y : tensor<4xf32>
}

// -----

// The least index whose triple reaches the bound.
// CHECK-LABEL: gpu.func @multiple(
// REMARK:      tiles of axis 'l' outside of the domain are skipped
// CHECK:         arith.minsi %{{.*}}, %c3072_i64
// CHECK:         arith.divui %{{.*}}, %c3_i64
func.func @multiple(%x: tensor<4x1024xf32>, %p: tensor<4xi32>, %q: tensor<4xi32>) -> tensor<4xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<4x1024xf32>, %p[i] : tensor<4xi32>, %q[i] : tensor<4xi32>)
      outs([i] : tensor<4xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x lane(32)>} {
  ^bb0(%e: f32, %n: i32, %m: i32):
    %j = cascade.index l : i32
    %three = arith.constant 3 : i32
    %jj = arith.muli %j, %three : i32
    %in = arith.cmpi sge, %jj, %n : i32
    %s = cascade.reduce max %e over (l) where %in : f32
    cascade.yield %s : f32
  }
  return %y : tensor<4xf32>
}

// -----

// All of the row or nothing.
// CHECK-LABEL: gpu.func @whole_rows(
// REMARK:      tiles of axis 'l' outside of the domain are skipped
// CHECK:         %[[SOME:.*]] = arith.cmpi sgt
// CHECK:         arith.select %[[SOME]], %c1024_i64, %c0_i64
func.func @whole_rows(%x: tensor<4x1024xf32>, %p: tensor<4xi32>, %q: tensor<4xi32>) -> tensor<4xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<4x1024xf32>, %p[i] : tensor<4xi32>, %q[i] : tensor<4xi32>)
      outs([i] : tensor<4xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x lane(32)>} {
  ^bb0(%e: f32, %n: i32, %m: i32):
    %j = cascade.index l : i32
    %zero = arith.constant 0 : i32
    %in = arith.cmpi sgt, %n, %zero : i32
    %s = cascade.reduce max %e over (l) where %in : f32
    cascade.yield %s : f32
  }
  return %y : tensor<4xf32>
}

// -----

// Between two intervals the predicate decides.
// CHECK-LABEL: gpu.func @either(
// REMARK:      the predicate over axis 'l' is tested at every element: a value in it is a union of intervals
// CHECK:         scf.for
// CHECK:           arith.ori
func.func @either(%x: tensor<4x1024xf32>, %p: tensor<4xi32>, %q: tensor<4xi32>) -> tensor<4xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<4x1024xf32>, %p[i] : tensor<4xi32>, %q[i] : tensor<4xi32>)
      outs([i] : tensor<4xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x lane(32)>} {
  ^bb0(%e: f32, %n: i32, %m: i32):
    %j = cascade.index l : i32
    %low = arith.cmpi slt, %j, %n : i32
    %c = arith.constant 900 : i32
    %same = arith.cmpi eq, %j, %c : i32
    %in = arith.ori %low, %same : i1
    %s = cascade.reduce max %e over (l) where %in : f32
    cascade.yield %s : f32
  }
  return %y : tensor<4xf32>
}

// -----

// A mask in memory beside a length: the length bounds the tiles.
// CHECK-LABEL: gpu.func @lengths_and_mask(
// REMARK:      the predicate over axis 'l' is tested at every element: a value in it is read from memory at every index
// CHECK:         scf.for %{{.*}} = %c0_i32 to %[[FULL:[^ ]*]] step
// CHECK:           arith.andi
func.func @lengths_and_mask(%x: tensor<4x1024xf32>, %p: tensor<4xi32>, %q: tensor<4x1024xi1>) -> tensor<4xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<4x1024xf32>, %p[i] : tensor<4xi32>, %q[i, l] : tensor<4x1024xi1>)
      outs([i] : tensor<4xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x lane(32)>} {
  ^bb0(%e: f32, %n: i32, %m: i1):
    %j = cascade.index l : i32
    %below = arith.cmpi slt, %j, %n : i32
    %in = arith.andi %below, %m : i1
    %s = cascade.reduce max %e over (l) where %in : f32
    cascade.yield %s : f32
  }
  return %y : tensor<4xf32>
}

// -----

// What is not understood leaves out nothing.
// CHECK-LABEL: gpu.func @odd(
// REMARK:      the predicate over axis 'l' is tested at every element of every tile: a value in it is not an affine expression of the index
// CHECK:         scf.for %{{.*}} = %c0_i32 to %c32_i32 step
// CHECK:           arith.cmpi eq
func.func @odd(%x: tensor<4x1024xf32>, %p: tensor<4xi32>, %q: tensor<4xi32>) -> tensor<4xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<4x1024xf32>, %p[i] : tensor<4xi32>, %q[i] : tensor<4xi32>)
      outs([i] : tensor<4xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x lane(32)>} {
  ^bb0(%e: f32, %n: i32, %m: i32):
    %j = cascade.index l : i32
    %one = arith.constant 1 : i32
    %bit = arith.andi %j, %one : i32
    %in = arith.cmpi eq, %bit, %n : i32
    %s = cascade.reduce max %e over (l) where %in : f32
    cascade.yield %s : f32
  }
  return %y : tensor<4xf32>
}

// -----

// Rows that share a warp visit the tiles of any of them.
// CHECK-LABEL: gpu.func @rows_of_a_warp(
// REMARK:      tiles of axis 'l' outside of the domain are skipped
// CHECK:         cluster.all_reduce(%[[HI:.*]], %[[HI]]) scope(warp) kind(maxsi, minsi)
// CHECK:         scf.for
// CHECK:         scf.for
func.func @rows_of_a_warp(%x: tensor<4x1024xf32>, %p: tensor<4xi32>, %q: tensor<4xi32>) -> tensor<4xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<4x1024xf32>, %p[i] : tensor<4xi32>, %q[i] : tensor<4xi32>)
      outs([i] : tensor<4xf32>)
      attributes {mapping = #cascade.mapping<i: grid x lane(2), l: loop x lane(16)>} {
  ^bb0(%e: f32, %n: i32, %m: i32):
    %j = cascade.index l : i32
    %in = arith.cmpi slt, %j, %n : i32
    %s = cascade.reduce max %e over (l) where %in : f32
    cascade.yield %s : f32
  }
  return %y : tensor<4xf32>
}

// -----

// Rows of a thread, too; what is in some domain only is tested.
// CHECK-LABEL: gpu.func @rows_of_a_thread(
// REMARK:      tiles of axis 'l' outside of the domain are skipped
// CHECK:         %[[HI:.*]] = arith.maxsi %[[A:[^ ]*]], %[[B:[^ ]*]] : i32
// CHECK:         arith.minsi %[[A]], %[[B]] : i32
// CHECK:         scf.for
// CHECK:         scf.for
func.func @rows_of_a_thread(%x: tensor<4x1024xf32>, %p: tensor<4xi32>, %q: tensor<4xi32>) -> tensor<4xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<4x1024xf32>, %p[i] : tensor<4xi32>, %q[i] : tensor<4xi32>)
      outs([i] : tensor<4xf32>)
      attributes {mapping = #cascade.mapping<i: grid x reg(2), l: loop x lane(32)>} {
  ^bb0(%e: f32, %n: i32, %m: i32):
    %j = cascade.index l : i32
    %in = arith.cmpi slt, %j, %n : i32
    %s = cascade.reduce max %e over (l) where %in : f32
    cascade.yield %s : f32
  }
  return %y : tensor<4xf32>
}

// -----

// Of tiles that no one visits, stages get no bytes, are waited for and given up.
// CHECK-LABEL: gpu.func @staged(
// REMARK:      tiles of axis 'l' outside of the domain are skipped
// CHECK:         %[[ELEMENTS:.*]] = arith.select %{{.*}}, %c128_i32, %c0_i32
// CHECK:         %[[BYTES:.*]] = arith.muli %[[ELEMENTS]], %c4_i32
// CHECK:         cluster.mbarrier.expect_tx %{{.*}}, %[[BYTES]]
// CHECK:         %[[SOME:.*]] = arith.cmpi sgt, %[[ELEMENTS]], %c0_i32
// CHECK:         scf.if %[[SOME]]
// CHECK:           cluster.load_async
// The rows; full tiles, the last one, and those behind it.
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             cluster.mbarrier.wait
// CHECK:           scf.if
// CHECK:             cluster.mbarrier.wait
// CHECK:           scf.for %{{.*}} = %{{.*}} to %c8_i32 step
// CHECK:             cluster.mbarrier.wait
// CHECK-NOT:         memref.load
// CHECK:             cluster.warp_barrier
func.func @staged(%x: tensor<9x1024xf32>, %p: tensor<9xi32>) -> tensor<9xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<9x1024xf32>, %p[i] : tensor<9xi32>)
      outs([i] : tensor<9xf32>)
      attributes {mapping = #cascade.mapping<i: loop x grid(resident), l: loop x lane(32) x vector(4), load = [0: bulk(2)]>} {
  ^bb0(%e: f32, %n: i32):
    %j = cascade.index l : i32
    %in = arith.cmpi slt, %j, %n : i32
    %s = cascade.reduce max %e over (l) where %in : f32
    cascade.yield %s : f32
  }
  return %y : tensor<9xf32>
}
