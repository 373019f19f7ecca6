// A combiner must be commutative and associative, its init values its identity.
// RUN: cascade-opt %s --split-input-file --cascade-fuse --verify-diagnostics -o /dev/null
// The samples are the same every time. --explain checks too.
// RUN: not cascade-compile %S/Inputs/difference.mlir --explain=json 2>&1 | FileCheck %s
// RUN: not cascade-compile %S/Inputs/difference.mlir -o %t --emit=fused 2>&1 | FileCheck %s
// RUN: not cascade-run %S/Inputs/difference.mlir --device=cpu --dim=i=1 --dim=l=1 2>&1 | FileCheck %s
// CHECK: error: 'cascade.reduce' op combiner is not commutative

func.func @difference(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{combiner is not commutative: with a = -3, b = -2, a . b gives -1 and b . a gives 1; make it symmetric in its two arguments, ties included}}
    %d = cascade.reduce combine %e over (l) init(%zero) with {
    ^bb0(%a: f32, %b: f32):
      %s = arith.subf %a, %b : f32
      cascade.yield %s : f32
    } : f32
    cascade.yield %d : f32
  }
  return %y : tensor<?xf32>
}

// -----

func.func @average(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %zero = arith.constant 0.0 : f32
    %half = arith.constant 0.5 : f32
    // expected-error @+1 {{combiner is not associative: with a = -3, b = 0, c = -2, (a . b) . c gives -1.75 and a . (b . c) gives -2; carry a state that can be merged in any grouping: sums and counts, not averages or differences}}
    %d = cascade.reduce combine %e over (l) init(%zero) with {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      %h = arith.mulf %s, %half : f32
      cascade.yield %h : f32
    } : f32
    cascade.yield %d : f32
  }
  return %y : tensor<?xf32>
}

// -----

// The product starts at 1, not at 0.
func.func @product(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{init is not neutral: with a = -3, init 0 . a gives 0; give as init the state that changes nothing}}
    %d = cascade.reduce combine %e over (l) init(%zero) with {
    ^bb0(%a: f32, %b: f32):
      %s = arith.mulf %a, %b : f32
      cascade.yield %s : f32
    } : f32
    cascade.yield %d : f32
  }
  return %y : tensor<?xf32>
}

// -----

// Equal keys: whichever comes last.
func.func @ties(%x: tensor<?x?xf32>) -> tensor<?xi32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xi32>) {
  ^bb0(%e: f32):
    %inf = arith.constant 0x7F800000 : f32
    %none = arith.constant -1 : i32
    %j = cascade.index l : i32
    // expected-error @+1 {{combiner is not commutative: with a = (0, 0), b = (0, 1), a . b gives (0, 1) and b . a gives (0, 0)}}
    %d:2 = cascade.reduce combine %e, %j over (l) init(%inf, %none) with {
    ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
      %less = arith.cmpf olt, %a, %b : f32
      %k = arith.select %less, %a, %b : f32
      %i = arith.select %less, %ai, %bi : i32
      cascade.yield %k, %i : f32, i32
    } : f32, i32
    cascade.yield %d#1 : i32
  }
  return %y : tensor<?xi32>
}

// -----

// The merge of two log-sum-exp pairs: of two empty ones, exp(-inf + inf).
func.func @empty_pairs(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %ninf = arith.constant 0xFF800000 : f32
    // expected-error @+1 {{init is not neutral with itself: init . init gives (-inf, nan) and init gives (-inf, 0); select the other argument where one is empty; segments without iterations are merged too}}
    %d:2 = cascade.reduce combine %e, %one over (l) init(%ninf, %zero) with {
    ^bb0(%m0: f32, %s0: f32, %m1: f32, %s1: f32):
      %m = arith.maximumf %m0, %m1 : f32
      %d0 = arith.subf %m0, %m : f32
      %d1 = arith.subf %m1, %m : f32
      %e0 = math.exp %d0 : f32
      %e1 = math.exp %d1 : f32
      %t0 = arith.mulf %s0, %e0 : f32
      %t1 = arith.mulf %s1, %e1 : f32
      %t = arith.addf %t0, %t1 : f32
      cascade.yield %m, %t : f32, f32
    } : f32, f32
    cascade.yield %d#1 : f32
  }
  return %y : tensor<?xf32>
}

// -----

// On integers.
func.func @shift(%x: tensor<?x?xi32>) -> tensor<?xi32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xi32>) outs([i] : tensor<?xi32>) {
  ^bb0(%e: i32):
    %zero = arith.constant 0 : i32
    %two = arith.constant 2 : i32
    // expected-error @+1 {{combiner is not commutative: with a = -3, b = -2, a . b gives -8 and b . a gives -7}}
    %d = cascade.reduce combine %e over (l) init(%zero) with {
    ^bb0(%a: i32, %b: i32):
      %m = arith.muli %a, %two : i32
      %s = arith.addi %m, %b : i32
      cascade.yield %s : i32
    } : i32
    cascade.yield %d : i32
  }
  return %y : tensor<?xi32>
}

// -----

// The root of a sum of squares loses the sign of a lone element.
func.func @hypotenuse(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %zero = arith.constant 0.0 : f32
    // expected-remark @+1 {{init is not neutral: with a = -3, init 0 . a gives 3; no negative values are taken to occur: it holds without them}}
    %d = cascade.reduce combine %e over (l) init(%zero) with {
    ^bb0(%a: f32, %b: f32):
      %aa = arith.mulf %a, %a : f32
      %bb = arith.mulf %b, %b : f32
      %s = arith.addf %aa, %bb : f32
      %r = math.sqrt %s : f32
      cascade.yield %r : f32
    } : f32
    cascade.yield %d : f32
  }
  return %y : tensor<?xf32>
}

// -----

func.func @unknown(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %zero = arith.constant 0.0 : f32
    // expected-remark @+1 {{combiner is taken to be commutative and associative without a check: 'math.tan' cannot be evaluated at compile time}}
    %d = cascade.reduce combine %e over (l) init(%zero) with {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      %r = math.tan %s : f32
      cascade.yield %r : f32
    } : f32
    cascade.yield %d : f32
  }
  return %y : tensor<?xf32>
}

// -----

// Only the first argument counts: not commutative, though associative.
func.func @first(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{combiner is not commutative: with a = -3, b = -2, a . b gives -3 and b . a gives -2}}
    %d = cascade.reduce combine %e over (l) init(%zero) with {
    ^bb0(%a: f32, %b: f32):
      %isZero = arith.cmpf oeq, %a, %zero : f32
      %s = arith.select %isZero, %b, %a : f32
      cascade.yield %s : f32
    } : f32
    cascade.yield %d : f32
  }
  return %y : tensor<?xf32>
}
