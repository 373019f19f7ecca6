// Combiners that are commutative and associative up to rounding pass in silence.
// RUN: cascade-opt %s --cascade-fuse --verify-diagnostics -o /dev/null

func.func @mean_and_count(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %d:2 = cascade.reduce combine %e, %one over (l) init(%zero, %zero) with {
    ^bb0(%m0: f32, %n0: f32, %m1: f32, %n1: f32):
      %n = arith.addf %n0, %n1 : f32
      %safe = arith.maximumf %n, %one : f32
      %s0 = arith.mulf %m0, %n0 : f32
      %s1 = arith.mulf %m1, %n1 : f32
      %s = arith.addf %s0, %s1 : f32
      %m = arith.divf %s, %safe : f32
      cascade.yield %m, %n : f32, f32
    } : f32, f32
    cascade.yield %d#0 : f32
  }
  return %y : tensor<?xf32>
}

// Chan's merge of (count, mean, sum of squares).
func.func @chan(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %d:3 = cascade.reduce combine %one, %e, %zero over (l) init(%zero, %zero, %zero) with {
    ^bb0(%n0: f32, %m0: f32, %q0: f32, %n1: f32, %m1: f32, %q1: f32):
      %n = arith.addf %n0, %n1 : f32
      %none = arith.cmpf oeq, %n, %zero : f32
      %safe = arith.select %none, %one, %n : f32
      %delta = arith.subf %m1, %m0 : f32
      %share = arith.divf %n1, %safe : f32
      %step = arith.mulf %delta, %share : f32
      %m = arith.addf %m0, %step : f32
      %dd = arith.mulf %delta, %step : f32
      %cross = arith.mulf %dd, %n0 : f32
      %q = arith.addf %q0, %q1 : f32
      %r = arith.addf %q, %cross : f32
      cascade.yield %n, %m, %r : f32, f32, f32
    } : f32, f32, f32
    cascade.yield %d#2 : f32
  }
  return %y : tensor<?xf32>
}

// (maximum, sum of exp(x - maximum)).
func.func @log_sum_exp(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %ninf = arith.constant 0xFF800000 : f32
    %d:2 = cascade.reduce combine %e, %one over (l) init(%ninf, %zero) with {
    ^bb0(%m0: f32, %s0: f32, %m1: f32, %s1: f32):
      %m = arith.maximumf %m0, %m1 : f32
      %none = arith.cmpf oeq, %m, %ninf : f32
      %safe = arith.select %none, %zero, %m : f32
      %d0 = arith.subf %m0, %safe : f32
      %d1 = arith.subf %m1, %safe : f32
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

// log(exp a + exp b) of lone values.
func.func @log_add_exp(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %ninf = arith.constant 0xFF800000 : f32
    %d = cascade.reduce combine %e over (l) init(%ninf) with {
    ^bb0(%a: f32, %b: f32):
      %m = arith.maximumf %a, %b : f32
      %k = arith.minimumf %a, %b : f32
      %d = arith.subf %k, %m : f32
      %e0 = math.exp %d : f32
      %g = math.log1p %e0 : f32
      %t = arith.addf %m, %g : f32
      %none = arith.cmpf oeq, %k, %ninf : f32
      %r = arith.select %none, %m, %t : f32
      cascade.yield %r : f32
    } : f32
    cascade.yield %d : f32
  }
  return %y : tensor<?xf32>
}

// Ties go to the lower index, so the payload of an index is never in doubt.
func.func @argmin(%x: tensor<?x?xf32>, %v: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %v[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32, %w: f32):
    %inf = arith.constant 0x7F800000 : f32
    %zero = arith.constant 0.0 : f32
    %last = arith.constant 2147483647 : i32
    %j = cascade.index l : i32
    %d:3 = cascade.reduce combine %e, %j, %w over (l) init(%inf, %last, %zero) with {
    ^bb0(%a: f32, %ai: i32, %av: f32, %b: f32, %bi: i32, %bv: f32):
      %less = arith.cmpf olt, %a, %b : f32
      %equal = arith.cmpf oeq, %a, %b : f32
      %before = arith.cmpi slt, %ai, %bi : i32
      %tie = arith.andi %equal, %before : i1
      %take = arith.ori %less, %tie : i1
      %k = arith.select %take, %a, %b : f32
      %i = arith.select %take, %ai, %bi : i32
      %p = arith.select %take, %av, %bv : f32
      cascade.yield %k, %i, %p : f32, i32, f32
    } : f32, i32, f32
    cascade.yield %d#2 : f32
  }
  return %y : tensor<?xf32>
}

func.func @complex_product(%x: tensor<?x?xf32>, %z: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %z[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %one = arith.constant 1.0 : f32
    %zero = arith.constant 0.0 : f32
    %p:2 = cascade.reduce combine %a, %b over (l) init(%one, %zero) with {
    ^bb0(%ar: f32, %ai: f32, %br: f32, %bi: f32):
      %rr = arith.mulf %ar, %br : f32
      %ii = arith.mulf %ai, %bi : f32
      %ri = arith.mulf %ar, %bi : f32
      %ir = arith.mulf %ai, %br : f32
      %re = arith.subf %rr, %ii : f32
      %im = arith.addf %ri, %ir : f32
      cascade.yield %re, %im : f32, f32
    } : f32, f32
    cascade.yield %p#0 : f32
  }
  return %y : tensor<?xf32>
}

func.func @hull(%x: tensor<?x?xbf16>) -> tensor<?xbf16> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>) outs([i] : tensor<?xbf16>) {
  ^bb0(%e: bf16):
    %inf = arith.constant 0x7F80 : bf16
    %ninf = arith.constant 0xFF80 : bf16
    %h:2 = cascade.reduce combine %e, %e over (l) init(%inf, %ninf) with {
    ^bb0(%l0: bf16, %h0: bf16, %l1: bf16, %h1: bf16):
      %lo = arith.minimumf %l0, %l1 : bf16
      %hi = arith.maximumf %h0, %h1 : bf16
      cascade.yield %lo, %hi : bf16, bf16
    } : bf16, bf16
    cascade.yield %h#0 : bf16
  }
  return %y : tensor<?xbf16>
}

// Addition modulo 7 of remainders, and the bits that occur.
func.func @modular(%x: tensor<?x?xi32>) -> tensor<?xi32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xi32>) outs([i] : tensor<?xi32>) {
  ^bb0(%e: i32):
    %zero = arith.constant 0 : i32
    %seven = arith.constant 7 : i32
    %r = arith.remui %e, %seven : i32
    %d:2 = cascade.reduce combine %r, %e over (l) init(%zero, %zero) with {
    ^bb0(%a: i32, %ab: i32, %b: i32, %bb: i32):
      %s = arith.addi %a, %b : i32
      %m = arith.remui %s, %seven : i32
      %o = arith.ori %ab, %bb : i32
      cascade.yield %m, %o : i32, i32
    } : i32, i32
    cascade.yield %d#0 : i32
  }
  return %y : tensor<?xi32>
}
