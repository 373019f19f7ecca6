// The K best of a row with their indices: sorted, ties to the lowest index, a
// NaN before numbers, -inf and -1 where the row has fewer.
// RUN: cascade-sweep %s --lengths=0,1,2,7,31,32,33,96,127 --rows=1,3,20 \
// RUN:   --segments=1,2,3,8 --patterns=rand,special | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed

// DEFINE: %{segments} = 1
// DEFINE: %{payload} = cascade-run %s --device=cpu --entry=payload --segments=%{segments} --input='6x4xf32=1 3 3 2  nan 9 nan 0  -inf -inf -inf -inf  -1 -1 -2 -1  0 inf nan inf  -0.0 0.0 -0.0 0.0' --input='4xi32=10 11 12 13' | FileCheck %s --check-prefix=PAYLOAD
// RUN: %{payload}
// REDEFINE: %{segments} = 2
// RUN: %{payload}
// REDEFINE: %{segments} = 3
// RUN: %{payload}
// REDEFINE: %{segments} = 8
// RUN: %{payload}
// PAYLOAD: result0: 6x3xf32=3 3 2 nan nan 9 -inf -inf -inf -1 -1 -1 nan inf inf {{-?0 -?0 -?0}}
// PAYLOAD: result1: 6x3xi32=1 2 3 0 2 1 0 1 2 0 1 3 2 1 3 0 1 2
// PAYLOAD: result2: 6x3xi32=11 12 13 10 12 11 10 11 12 10 11 13 12 11 13 10 11 12

// Fewer iterations than entries, and none.
// RUN: cascade-run %s --device=cpu --entry=payload --segments=2 --input='1x2xf32=5 7' --input='2xi32=10 11' | FileCheck %s --check-prefix=SHORT
// SHORT: result0: 1x3xf32=7 5 -inf
// SHORT: result1: 1x3xi32=1 0 -1
// SHORT: result2: 1x3xi32=11 10 0
// RUN: cascade-run %s --device=cpu --entry=payload --segments=3 --dim=i=1 --dim=l=0 | FileCheck %s --check-prefix=NONE
// NONE: result0: 1x3xf32=-inf -inf -inf
// NONE: result1: 1x3xi32=-1 -1 -1
// NONE: result2: 1x3xi32=0 0 0

// RUN: cascade-run %s --device=cpu --entry=masked --segments=2 --input='2x5xf32=1 nan 3 -4 2  -1 -1 -1 -1 -1' | FileCheck %s --check-prefix=MASKED
// MASKED: result0: 2x2xf32=3 2 -inf -inf
// MASKED: result1: 2x2xi32=2 4 -1 -1

// RUN: cascade-run %s --device=cpu --entry=integers --segments=3 --input='2x6xi32=5 -1 7 5 7 0  -2147483648 -3 -3 -9 -2147483648 -8' | FileCheck %s --check-prefix=INTEGERS
// INTEGERS: result0: 2x5xi32=7 7 5 5 0 -3 -3 -8 -9 -2147483648
// INTEGERS: result1: 2x5xindex=2 4 0 3 5 1 2 5 3 0

// Softmax over the best: exp(0) and 7 times exp(-log 2), over 4.5.
// RUN: cascade-run %s --device=cpu --entry=route --segments=3 --input='1x10xf32=0 0 0 0.6931472 0 0 0 0 -9 -8' | FileCheck %s --check-prefix=ROUTE
// ROUTE: result0: 1x8xf32=0.2222222{{[0-9]*}} 0.1111111{{[0-9]*}} 0.1111111
// ROUTE: result1: 1x8xi32=3 0 1 2 4 5 6 7

// RUN: cascade-run %s --device=cpu --entry=first --segments=2 --input='2x4xf32=1 3 3 2  nan 9 nan 0' | FileCheck %s --check-prefix=FIRST
// FIRST: result0: 2x1xf32=3 nan
// FIRST: result1: 2x1xi32=1 0

// The sum of what is at least the third largest: 5 + 4 + 3 + 3.
// RUN: cascade-run %s --device=cpu --entry=two_passes --input='1x6xf32=3 1 4 5 3 2' | FileCheck %s --check-prefix=PASSES
// PASSES: result0: 1xf32=15
// PASSES: result1: 1x3xf32=5 4 3

// RUN: cascade-run %s --device=cpu --entry=two_lists --segments=2 --input='1x4xf32=3 -5 4 1' --input='2xf32=10 100' | FileCheck %s --check-prefix=LISTS
// LISTS: result0: 1x2xf32=40 300
// LISTS: result1: 1x3xf32=5 -1 -3
// LISTS: result2: 1xf32=7
// LISTS: result3: 1x2xf32=7 7

func.func @payload(%x: tensor<?x?xf32>, %v: tensor<?xi32>) -> (tensor<?x3xf32>, tensor<?x3xi32>, tensor<?x3xi32>) {
  %k, %j, %p = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<?x?xf32>, %v[l] : tensor<?xi32>)
      outs([i, k] : tensor<?x3xf32>, [i, k] : tensor<?x3xi32>, [i, k] : tensor<?x3xi32>) {
  ^bb0(%e: f32, %w: i32):
    %at = cascade.index l : i32
    %key, %index, %value = cascade.reduce topk %e, %at, %w over (l) into (k) : f32, i32, i32
    cascade.yield %key, %index, %value : f32, i32, i32
  }
  return %k, %j, %p : tensor<?x3xf32>, tensor<?x3xi32>, tensor<?x3xi32>
}

func.func @masked(%x: tensor<?x?xf32>) -> (tensor<?x2xf32>, tensor<?x2xi32>) {
  %k, %j = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i, k] : tensor<?x2xf32>, [i, k] : tensor<?x2xi32>) {
  ^bb0(%e: f32):
    %one = arith.constant 1.0 : f32
    %at = cascade.index l : i32
    %in = arith.cmpf ogt, %e, %one : f32
    %key, %index = cascade.reduce topk %e, %at over (l) where %in into (k) : f32, i32
    cascade.yield %key, %index : f32, i32
  }
  return %k, %j : tensor<?x2xf32>, tensor<?x2xi32>
}

func.func @integers(%x: tensor<?x?xi32>) -> (tensor<?x5xi32>, tensor<?x5xindex>) {
  %k, %j = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<?x?xi32>)
      outs([i, k] : tensor<?x5xi32>, [i, k] : tensor<?x5xindex>) {
  ^bb0(%e: i32):
    %at = cascade.index l : index
    %key, %index = cascade.reduce topk %e, %at over (l) into (k) : i32, index
    cascade.yield %key, %index : i32, index
  }
  return %k, %j : tensor<?x5xi32>, tensor<?x5xindex>
}

// Softmax over the eight largest, as a mixture of experts weighs its experts.
func.func @route(%x: tensor<?x?xf32>) -> (tensor<?x8xf32>, tensor<?x8xi32>) {
  %k, %j = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i, k] : tensor<?x8xf32>, [i, k] : tensor<?x8xi32>) {
  ^bb0(%e: f32):
    %at = cascade.index l : i32
    %key, %index = cascade.reduce topk %e, %at over (l) into (k) : f32, i32
    %m = cascade.reduce max %key over (k) : f32
    %d = arith.subf %key, %m : f32
    %w = math.exp %d : f32
    %s = cascade.reduce add %w over (k) : f32
    %g = arith.divf %w, %s : f32
    cascade.yield %g, %index : f32, i32
  }
  return %k, %j : tensor<?x8xf32>, tensor<?x8xi32>
}

func.func @first(%x: tensor<?x?xf32>) -> (tensor<?x1xf32>, tensor<?x1xi32>) {
  %k, %j = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i, k] : tensor<?x1xf32>, [i, k] : tensor<?x1xi32>) {
  ^bb0(%e: f32):
    %at = cascade.index l : i32
    %key, %index = cascade.reduce topk %e, %at over (l) into (k) : f32, i32
    cascade.yield %key, %index : f32, i32
  }
  return %k, %j : tensor<?x1xf32>, tensor<?x1xi32>
}

// The last entry of a list bounds a second pass over the row.
func.func @two_passes(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?x3xf32>) {
  %y, %k = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>, [i, k] : tensor<?x3xf32>) {
  ^bb0(%e: f32):
    %at = cascade.index l : i32
    %key, %index = cascade.reduce topk %e, %at over (l) into (k) : f32, i32
    %least = cascade.reduce min %key over (k) : f32
    %in = arith.cmpf oge, %e, %least : f32
    %s = cascade.reduce add %e over (l) where %in : f32
    cascade.yield %s, %key : f32, f32
  }
  return %y, %k : tensor<?xf32>, tensor<?x3xf32>
}

// Two lists of a pass, a plain sum in it, an operand along a list, a predicate
// on the entries, and a result that is the same for every entry.
func.func @two_lists(%x: tensor<?x?xf32>, %c: tensor<2xf32>) -> (tensor<?x2xf32>, tensor<?x3xf32>, tensor<?xf32>, tensor<?x2xf32>) {
  %a, %b, %t, %u = cascade.chain (i, l, k, n)
      ins(%x[i, l] : tensor<?x?xf32>, %c[k] : tensor<2xf32>)
      outs([i, k] : tensor<?x2xf32>, [i, n] : tensor<?x3xf32>, [i] : tensor<?xf32>, [i, k] : tensor<?x2xf32>) {
  ^bb0(%e: f32, %scale: f32):
    %zero = arith.constant 0.0 : f32
    %at = cascade.index l : i32
    %high, %hi = cascade.reduce topk %e, %at over (l) into (k) : f32, i32
    %minus = arith.negf %e : f32
    %low, %li = cascade.reduce topk %minus, %at over (l) into (n) : f32, i32
    %scaled = arith.mulf %high, %scale : f32
    %positive = arith.cmpf ogt, %high, %zero : f32
    %s = cascade.reduce add %high over (k) where %positive : f32
    cascade.yield %scaled, %low, %s, %s : f32, f32, f32, f32
  }
  return %a, %b, %t, %u : tensor<?x2xf32>, tensor<?x3xf32>, tensor<?xf32>, tensor<?x2xf32>
}
