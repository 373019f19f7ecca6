// Orders of values that earlier results map: the keys are those of the elements,
// and what is found is mapped after the reduction. Indices are exact only where
// keys are: subnormal logits would all have exp(x - m) = 1, so there is a bias.
// RUN: cascade-sweep %s --lengths=0,1,2,7,31,32,33,96,127 --rows=1,3,20 \
// RUN:   --segments=1,2,3,8 --patterns=rand,special | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed

// All are one pass over the row.
// RUN: cascade-compile %s --explain=json | FileCheck %s --check-prefix=PASSES
// PASSES-NOT: "l":2

// Fewer iterations than entries: what is missing is not mapped.
// RUN: cascade-run %s --device=cpu --entry=gate8 --segments=3 --input='1x3xf32=0 0.6931472 0' | FileCheck %s --check-prefix=SHORT
// SHORT: result0: 1x8xf32=0.5 0.25 0.25 0 0 0 0 0
// SHORT: result1: 1x8xi32=1 0 2 -1 -1 -1 -1 -1

// Probabilities that vanish tie, so the row as written decides.
// RUN: cascade-run %s --device=cpu --entry=gate2 --segments=2 --input='1x4xf32=-300 0 -200 -400' | FileCheck %s --check-prefix=TIES
// TIES: result0: 1x2xf32=1 0
// TIES: result1: 1x2xi32=1 0

// RUN: cascade-run %s --device=cpu --entry=argmax --segments=2 --input='2x4xf32=1 5 5 2  -1 -1 -1 -1' | FileCheck %s --check-prefix=ARGMAX
// ARGMAX: result1: 2xi32=1 0

// Mixture of experts: the K most probable, weighted so that they sum to 1.
func.func @gate2(%x: tensor<?x?xf32>) -> (tensor<?x2xf32>, tensor<?x2xi32>) {
  %p, %j = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i, k] : tensor<?x2xf32>, [i, k] : tensor<?x2xi32>) {
  ^bb0(%logit: f32):
    %bias = arith.constant 0.5 : f32
    %e = arith.addf %logit, %bias : f32
    %at = cascade.index l : i32
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) : f32
    %q = arith.divf %w, %t : f32
    %key, %index = cascade.reduce topk %q, %at over (l) into (k) : f32, i32
    %s = cascade.reduce add %key over (k) : f32
    %g = arith.divf %key, %s : f32
    cascade.yield %g, %index : f32, i32
  }
  return %p, %j : tensor<?x2xf32>, tensor<?x2xi32>
}

// Entries that are missing have no weight.
func.func @gate8(%x: tensor<?x?xf32>) -> (tensor<?x8xf32>, tensor<?x8xi32>) {
  %p, %j = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i, k] : tensor<?x8xf32>, [i, k] : tensor<?x8xi32>) {
  ^bb0(%logit: f32):
    %bias = arith.constant 0.5 : f32
    %e = arith.addf %logit, %bias : f32
    %zero = arith.constant 0.0 : f32
    %none = arith.constant -1 : i32
    %at = cascade.index l : i32
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) : f32
    %q = arith.divf %w, %t : f32
    %key, %index = cascade.reduce topk %q, %at over (l) into (k) : f32, i32
    %is = arith.cmpi ne, %index, %none : i32
    %p = arith.select %is, %key, %zero : f32
    %s = cascade.reduce add %p over (k) : f32
    %g = arith.divf %p, %s : f32
    cascade.yield %g, %index : f32, i32
  }
  return %p, %j : tensor<?x8xf32>, tensor<?x8xi32>
}

// As it comes, with missing entries; values in bf16 and a payload.
func.func @entries(%x: tensor<?x?xbf16>, %v: tensor<?xf32>) -> (tensor<?x2xf32>, tensor<?x2xi32>, tensor<?x2xf32>) {
  %p, %j, %u = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<?x?xbf16>, %v[l] : tensor<?xf32>)
      outs([i, k] : tensor<?x2xf32>, [i, k] : tensor<?x2xi32>, [i, k] : tensor<?x2xf32>) {
  ^bb0(%b: bf16, %c: f32):
    %wide = arith.extf %b : bf16 to f32
    %bias = arith.constant 0.5 : f32
    %e = arith.addf %wide, %bias : f32
    %at = cascade.index l : i32
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) : f32
    %q = arith.divf %w, %t : f32
    %key, %index, %payload = cascade.reduce topk %q, %at, %c over (l) into (k) : f32, i32, f32
    cascade.yield %key, %index, %payload : f32, i32, f32
  }
  return %p, %j, %u : tensor<?x2xf32>, tensor<?x2xi32>, tensor<?x2xf32>
}

// The standardised values: the largest and the smallest, and where they are.
func.func @argmax(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xi32>, tensor<?xf32>, tensor<?xi32>) {
  %a, %b, %c, %d = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>, [i] : tensor<?xi32>, [i] : tensor<?xf32>, [i] : tensor<?xi32>) {
  ^bb0(%e: f32):
    %at = cascade.index l : i32
    %n = cascade.extent l : i32
    %nf = arith.sitofp %n : i32 to f32
    %sum = cascade.reduce add %e over (l) : f32
    %mu = arith.divf %sum, %nf : f32
    %u = arith.subf %e, %mu : f32
    %sq = arith.mulf %u, %u : f32
    %m2 = cascade.reduce add %sq over (l) : f32
    %var = arith.divf %m2, %nf : f32
    %eps = arith.constant 1.0e-5 : f32
    %ve = arith.addf %var, %eps : f32
    %r = math.rsqrt %ve : f32
    %z = arith.mulf %u, %r : f32
    %high, %hi = cascade.reduce argmax %z, %at over (l) : f32, i32
    %low, %li = cascade.reduce argmin %z, %at over (l) : f32, i32
    cascade.yield %high, %hi, %low, %li : f32, i32, f32, i32
  }
  return %a, %b, %c, %d : tensor<?xf32>, tensor<?xi32>, tensor<?xf32>, tensor<?xi32>
}

func.func @extrema(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %a, %b = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>, [i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %n = cascade.extent l : i32
    %nf = arith.sitofp %n : i32 to f32
    %sum = cascade.reduce add %e over (l) : f32
    %mu = arith.divf %sum, %nf : f32
    %u = arith.subf %e, %mu : f32
    %sq = arith.mulf %u, %u : f32
    %m2 = cascade.reduce add %sq over (l) : f32
    %sd = math.sqrt %m2 : f32
    %z = arith.divf %u, %sd : f32
    %high = cascade.reduce max %z over (l) : f32
    %low = cascade.reduce minnum %z over (l) : f32
    cascade.yield %high, %low : f32, f32
  }
  return %a, %b : tensor<?xf32>, tensor<?xf32>
}

// Falling maps, where an element is in the domain: the least of m - x, the
// largest of 1 / (1 + exp(x - m)), and the two lowest by tanh(m - x).
func.func @falling(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?x2xf32>, tensor<?x2xi32>) {
  %a, %b, %c, %d = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>, [i] : tensor<?xf32>, [i, k] : tensor<?x2xf32>, [i, k] : tensor<?x2xi32>) {
  ^bb0(%e: f32):
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %at = cascade.index l : i32
    %in = arith.cmpf olt, %e, %one : f32
    %m = cascade.reduce max %e over (l) where %in : f32
    %f = arith.subf %m, %e : f32
    %least = cascade.reduce min %f over (l) where %in : f32
    %g = arith.subf %e, %m : f32
    %w = math.exp %g : f32
    %den = arith.addf %one, %w : f32
    %q = arith.divf %one, %den : f32
    %most = cascade.reduce maxnum %q over (l) where %in : f32
    %t = math.tanh %f : f32
    %key, %index = cascade.reduce topk %t, %at over (l) where %in into (k) : f32, i32
    cascade.yield %least, %most, %key, %index : f32, f32, f32, i32
  }
  return %a, %b, %c, %d : tensor<?xf32>, tensor<?xf32>, tensor<?x2xf32>, tensor<?x2xi32>
}
