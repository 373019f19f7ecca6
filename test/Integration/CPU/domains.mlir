// Predicates: nothing outside of a domain is evaluated, whatever stands there.
// RUN: cascade-sweep %s --lengths=0,1,2,7,31,32,33,96,127 --rows=1,3,20 \
// RUN:   --segments=1,2,3,8 --patterns=rand,special | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed

// A division by zero outside of the domain does not trap.
// RUN: cascade-run %s --device=cpu --entry=quotients --input='2x3xi32=6 7 8 9 10 11' --input='2x3xi32=2 0 4 0 0 0' | FileCheck %s --check-prefix=QUOTIENTS
// QUOTIENTS: result0: 2xi32=5 0

// A NaN outside of the domain does not leak; a row without a domain gives the
// identities.
// RUN: cascade-run %s --device=cpu --entry=masked --input='3x3xf32=1 2 nan  nan nan nan  3 nan nan' --input='3xi32=2 0 1' | FileCheck %s --check-prefix=MASKED
// MASKED: result0: 3xf32=2 -inf 3
// MASKED: result1: 3xf32=1.3678794 0 1

func.func @quotients(%x: tensor<?x?xi32>, %y: tensor<?x?xi32>) -> tensor<?xi32> {
  %s = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xi32>, %y[i, l] : tensor<?x?xi32>)
      outs([i] : tensor<?xi32>) {
  ^bb0(%a: i32, %b: i32):
    %zero = arith.constant 0 : i32
    %ok = arith.cmpi ne, %b, %zero : i32
    %q = arith.divsi %a, %b : i32
    %sum = cascade.reduce add %q over (l) where %ok : i32
    cascade.yield %sum : i32
  }
  return %s : tensor<?xi32>
}

func.func @masked(%x: tensor<?x?xf32>, %len: tensor<?xi32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %r0, %r1 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %len[i] : tensor<?xi32>)
      outs([i] : tensor<?xf32>, [i] : tensor<?xf32>) {
  ^bb0(%e: f32, %n: i32):
    %j = cascade.index l : i32
    %in = arith.cmpi slt, %j, %n : i32
    %m = cascade.reduce max %e over (l) where %in : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) where %in : f32
    cascade.yield %m, %t : f32, f32
  }
  return %r0, %r1 : tensor<?xf32>, tensor<?xf32>
}

// The maximum runs over more than the sum that refers to it.
func.func @different_domains(%x: tensor<?x?xf32>, %len: tensor<?xi32>) -> tensor<?xf32> {
  %r = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %len[i] : tensor<?xi32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32, %n: i32):
    %j = cascade.index l : i32
    %in = arith.cmpi slt, %j, %n : i32
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) where %in : f32
    cascade.yield %t : f32
  }
  return %r : tensor<?xf32>
}

// The predicate is an operand.
func.func @mask_tensor(%x: tensor<?x?xf32>, %mask: tensor<?x?xi1>) -> tensor<?x?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %mask[i, l] : tensor<?x?xi1>)
      outs([i, l] : tensor<?x?xf32>) {
  ^bb0(%e: f32, %in: i1):
    %m = cascade.reduce max %e over (l) where %in : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) where %in : f32
    %p = arith.divf %w, %t : f32
    %zero = arith.constant 0.0 : f32
    %o = arith.select %in, %p, %zero : f32
    cascade.yield %o : f32
  }
  return %y : tensor<?x?xf32>
}
