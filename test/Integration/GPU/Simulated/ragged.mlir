// Rows of a length each: tiles that the predicates leave empty are skipped, in every way
// that a mapping loads and keeps rows. Lengths are none, negative, beyond the row, and as
// many as tiles take or not; what is outside may be anything.
// RUN: bash %S/Inputs/ragged.sh %s | FileCheck %s
// CHECK: {{^[1-9][0-9]*}} passed, 0 failed

// Stages that bulk copies fill: the tiles that are passed over give them up.
func.func @staged(%x: tensor<6x2000xf32>, %p: tensor<6xi32>, %q: tensor<6xi32>) -> tensor<6xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<6x2000xf32>, %p[i] : tensor<6xi32>, %q[i] : tensor<6xi32>)
      outs([i] : tensor<6xf32>)
      attributes {mapping = #cascade.mapping<i: loop x grid(resident), l: loop x warp(2) x reg(2) x lane(32) x vector(4), load = [0: bulk(3)]>} {
  ^bb0(%e: f32, %n: i32, %m: i32):
    %j = cascade.index l : i32
    %below = arith.cmpi slt, %j, %n : i32
    %from = arith.cmpi sge, %j, %m : i32
    %in = arith.andi %below, %from : i1
    %a = cascade.reduce max %e over (l) where %in : f32
    %d = arith.subf %e, %a : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) where %in : f32
    %g = math.log %t : f32
    %s = arith.addf %a, %g : f32
    cascade.yield %s : f32
  }
  return %y : tensor<6xf32>
}

// The elements stay in their stages from the first pass to the results.
func.func @staged_softmax(%x: tensor<6x2000xf32>, %p: tensor<6xi32>, %q: tensor<6xi32>) -> tensor<6x2000xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<6x2000xf32>, %p[i] : tensor<6xi32>, %q[i] : tensor<6xi32>)
      outs([i, l] : tensor<6x2000xf32>)
      attributes {mapping = #cascade.mapping<i: loop x grid(resident), l: loop x cluster(2) x warp(2) x reg(2) x lane(32) x vector(4), keep = [0: shared], load = [0: bulk(2)]>} {
  ^bb0(%e: f32, %n: i32, %m: i32):
    %j = cascade.index l : i32
    %in = arith.cmpi slt, %j, %n : i32
    %a = cascade.reduce max %e over (l) where %in : f32
    %d = arith.subf %e, %a : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) where %in : f32
    %zero = arith.constant 0.0 : f32
    %r = arith.divf %w, %t : f32
    %o = arith.select %in, %r, %zero : f32
    cascade.yield %o : f32
  }
  return %y : tensor<6x2000xf32>
}

// Shared memory keeps the row: all of it is loaded.
func.func @kept_softmax(%x: tensor<6x2000xf32>, %p: tensor<6xi32>, %q: tensor<6xi32>) -> tensor<6x2000xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<6x2000xf32>, %p[i] : tensor<6xi32>, %q[i] : tensor<6xi32>)
      outs([i, l] : tensor<6x2000xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: cluster(2) x loop x warp(2) x reg(2) x lane(32) x vector(4), keep = [0: shared]>} {
  ^bb0(%e: f32, %n: i32, %m: i32):
    %j = cascade.index l : i32
    %in = arith.cmpi slt, %j, %n : i32
    %a = cascade.reduce max %e over (l) where %in : f32
    %d = arith.subf %e, %a : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) where %in : f32
    %r = arith.divf %w, %t : f32
    cascade.yield %r : f32
  }
  return %y : tensor<6x2000xf32>
}

// One tile, which is visited or not.
func.func @one_tile(%x: tensor<6x250xf32>, %p: tensor<6xi32>, %q: tensor<6xi32>) -> tensor<6xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<6x250xf32>, %p[i] : tensor<6xi32>, %q[i] : tensor<6xi32>)
      outs([i] : tensor<6xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: cluster(4) x warp(2) x lane(32)>} {
  ^bb0(%e: f32, %n: i32, %m: i32):
    %j = cascade.index l : i32
    %below = arith.cmpi slt, %j, %n : i32
    %from = arith.cmpi sge, %j, %m : i32
    %in = arith.andi %below, %from : i1
    %t = cascade.reduce max %e over (l) where %in : f32
    cascade.yield %t : f32
  }
  return %y : tensor<6xf32>
}

// Reductions of one pass with domains of their own, and one over all.
func.func @several_domains(%x: tensor<6x?xf32>, %p: tensor<6xi32>, %q: tensor<6xi32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) {
  %y:3 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<6x?xf32>, %p[i] : tensor<6xi32>, %q[i] : tensor<6xi32>)
      outs([i] : tensor<6xf32>, [i] : tensor<6xf32>, [i] : tensor<6xf32>) {
  ^bb0(%e: f32, %n: i32, %m: i32):
    %j = cascade.index l : i32
    %below = arith.cmpi slt, %j, %n : i32
    %from = arith.cmpi sge, %j, %m : i32
    %a = cascade.reduce max %e over (l) where %below : f32
    %t = cascade.reduce add %e over (l) where %from : f32
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %a, %t, %s : f32, f32, f32
  }
  return %y#0, %y#1, %y#2 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
}

// A bound that an earlier pass finds: the sum of what is before the maximum.
func.func @before_maximum(%x: tensor<6x?xf32>, %p: tensor<6xi32>, %q: tensor<6xi32>) -> tensor<6xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<6x?xf32>, %p[i] : tensor<6xi32>, %q[i] : tensor<6xi32>)
      outs([i] : tensor<6xf32>) {
  ^bb0(%e: f32, %n: i32, %m: i32):
    %j = cascade.index l : i32
    %in = arith.cmpi slt, %j, %n : i32
    %key, %at = cascade.reduce argmax %e, %j over (l) where %in : f32, i32
    %before = arith.cmpi slt, %j, %at : i32
    %t = cascade.reduce add %e over (l) where %before : f32
    cascade.yield %t : f32
  }
  return %y : tensor<6xf32>
}

// A list of the best of an interval.
func.func @list(%x: tensor<6x?xf32>, %p: tensor<6xi32>, %q: tensor<6xi32>) -> (tensor<6x4xf32>, tensor<6x4xi32>) {
  %y:2 = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<6x?xf32>, %p[i] : tensor<6xi32>, %q[i] : tensor<6xi32>)
      outs([i, k] : tensor<6x4xf32>, [i, k] : tensor<6x4xi32>) {
  ^bb0(%e: f32, %n: i32, %m: i32):
    %j = cascade.index l : i32
    %below = arith.cmpi slt, %j, %n : i32
    %from = arith.cmpi sge, %j, %m : i32
    %in = arith.andi %below, %from : i1
    %v, %at = cascade.reduce topk %e, %j over (l) where %in into (k) : f32, i32
    cascade.yield %v, %at : f32, i32
  }
  return %y#0, %y#1 : tensor<6x4xf32>, tensor<6x4xi32>
}
