// Reductions on tuples: argmax and argmin with a gathered value, and a monoid of
// the user.
// RUN: cascade-sweep %s --lengths=0,1,2,7,31,32,33,96,127 --rows=1,3,20 \
// RUN:   --segments=1,2,3,8 --patterns=rand,special | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed

// Ties go to the lowest index, a NaN before numbers, nothing gives -1.
// RUN: cascade-run %s --device=cpu --entry=argmax --segments=3 --input='5x4xf32=1 3 3 2  nan 9 nan 0  -inf -inf -inf -inf  -1 -1 -2 -1  0 inf nan inf' --input='4xi32=10 11 12 13' | FileCheck %s --check-prefix=ARGMAX
// ARGMAX: result0: 5xf32=3 nan -inf -1 nan
// ARGMAX: result1: 5xi32=1 0 0 0 2
// ARGMAX: result2: 5xi32=11 10 10 10 12
// RUN: cascade-run %s --device=cpu --entry=argmax --dim=i=1 --dim=l=0 | FileCheck %s --check-prefix=NONE
// NONE: result0: 1xf32=-inf
// NONE: result1: 1xi32=-1
// NONE: result2: 1xi32=0

func.func @argmax(%x: tensor<?x?xf32>, %v: tensor<?xi32>) -> (tensor<?xf32>, tensor<?xi32>, tensor<?xi32>) {
  %k, %j, %p = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %v[l] : tensor<?xi32>)
      outs([i] : tensor<?xf32>, [i] : tensor<?xi32>, [i] : tensor<?xi32>) {
  ^bb0(%e: f32, %w: i32):
    %at = cascade.index l : i32
    %key, %index, %value = cascade.reduce argmax %e, %at, %w over (l) : f32, i32, i32
    cascade.yield %key, %index, %value : f32, i32, i32
  }
  return %k, %j, %p : tensor<?xf32>, tensor<?xi32>, tensor<?xi32>
}

func.func @argmin_integer(%x: tensor<?x?xi32>) -> tensor<?xindex> {
  %j = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xi32>) outs([i] : tensor<?xindex>) {
  ^bb0(%e: i32):
    %at = cascade.index l : index
    %key, %index = cascade.reduce argmin %e, %at over (l) : i32, index
    cascade.yield %index : index
  }
  return %j : tensor<?xindex>
}

// Interval hull: (lowest, highest).
func.func @hull(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %a, %b = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>, [i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %inf = arith.constant 0x7F800000 : f32
    %ninf = arith.constant 0xFF800000 : f32
    %h:2 = cascade.reduce combine %e, %e over (l) init(%inf, %ninf) with {
    ^bb0(%l0: f32, %h0: f32, %l1: f32, %h1: f32):
      %lo = arith.minimumf %l0, %l1 : f32
      %hi = arith.maximumf %h0, %h1 : f32
      cascade.yield %lo, %hi : f32, f32
    } : f32, f32
    cascade.yield %h#0, %h#1 : f32, f32
  }
  return %a, %b : tensor<?xf32>, tensor<?xf32>
}
