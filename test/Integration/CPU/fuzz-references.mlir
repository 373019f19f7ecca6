// Found by cascade-fuzz: running references that rise and fall, that are infinite
// for a while, and reductions that would lose what overflows against them.
// RUN: cascade-sweep %s --lengths=0,1,2,7,33,100 --rows=1,19 \
// RUN:   --segments=1,2,3,7 --patterns=rand,uniform,special | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed

// A sum in an exponent moves either way: terms vanished against one reference
// that count against the next.
func.func @sum_in_exponent(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
  %r = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %y[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = cascade.reduce add %a over (l) : f32
    %d = arith.subf %a, %s : f32
    %w = math.exp %d : f32
    %v = arith.mulf %w, %b : f32
    %t = cascade.reduce add %v over (l) : f32
    cascade.yield %t : f32
  }
  return %r : tensor<?xf32>
}

// The product of a maximum and a sum is no running maximum.
func.func @scaled_maximum(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
  %r = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %y[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = cascade.reduce add %b over (l) : f32
    %z = arith.subf %a, %s : f32
    %m = cascade.reduce max %z over (l) : f32
    %d = arith.subf %a, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) : f32
    cascade.yield %t : f32
  }
  return %r : tensor<?xf32>
}

// A parameter of unknown sign scales the exponent.
func.func @temperature(%x: tensor<?x?xf32>, %c: tensor<?xf32>) -> tensor<?xf32> {
  %r = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %c[i] : tensor<?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %m = cascade.reduce max %a over (l) : f32
    %d = arith.subf %a, %m : f32
    %s = arith.mulf %d, %b : f32
    %w = math.exp %s : f32
    %t = cascade.reduce add %w over (l) : f32
    cascade.yield %t : f32
  }
  return %r : tensor<?xf32>
}

// The maximum so far is -inf where all elements so far were NaN.
func.func @ignored_nan_divides(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%a: f32):
    %e = math.exp %a : f32
    %m = cascade.reduce maxnum %e over (l) : f32
    %one = arith.constant 1.0 : f32
    %q = arith.divf %one, %m : f32
    %t = cascade.reduce add %q over (l) : f32
    cascade.yield %t : f32
  }
  return %r : tensor<?xf32>
}

// So it is where its domain begins later.
func.func @late_maximum_divides(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%a: f32):
    %j = cascade.index l : i32
    %k = arith.constant 5 : i32
    %in = arith.cmpi sge, %j, %k : i32
    %b = math.absf %a : f32
    %m = cascade.reduce max %b over (l) where %in : f32
    %q = arith.divf %a, %m : f32
    %s = arith.mulf %q, %q : f32
    %t = cascade.reduce add %s over (l) : f32
    cascade.yield %t : f32
  }
  return %r : tensor<?xf32>
}

// inf * 0 is a NaN, which maxnum ignores.
func.func @ignored_nan_of_correction(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
  %r = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %y[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %m = cascade.reduce max %a over (l) : f32
    %d = arith.subf %b, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce maxnum %w over (l) : f32
    cascade.yield %t : f32
  }
  return %r : tensor<?xf32>
}

// What overflows early may be the least in the end.
func.func @minimum_of_weights(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %r0, %r1 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %y[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>, [i] : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %m = cascade.reduce max %a over (l) : f32
    %d = arith.subf %b, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce min %w over (l) : f32
    %u = cascade.reduce minnum %w over (l) : f32
    cascade.yield %t, %u : f32, f32
  }
  return %r0, %r1 : tensor<?xf32>, tensor<?xf32>
}

// As written, e^x / e^m overflows where e^(x - m) does not.
func.func @quotient_of_exponentials(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%a: f32):
    %m = cascade.reduce max %a over (l) : f32
    %e = math.exp %a : f32
    %f = math.exp %m : f32
    %q = arith.divf %e, %f : f32
    %t = cascade.reduce add %q over (l) : f32
    cascade.yield %t : f32
  }
  return %r : tensor<?xf32>
}
