func.func @lse(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l) ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %p = math.exp %d : f32
    %t = cascade.reduce add %p over (l) : f32
    %lt = math.log %t : f32
    %r = arith.addf %m, %lt : f32
    cascade.yield %r : f32
  }
  return %y : tensor<?xf32>
}

// The mean needs the number of iterations of all places.
func.func @variance(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %v, %a = cascade.chain (i, l) ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>, [i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %n = cascade.extent l : i32
    %nf = arith.sitofp %n : i32 to f32
    %s = cascade.reduce add %e over (l) : f32
    %mean = arith.divf %s, %nf : f32
    %d = arith.subf %e, %mean : f32
    %q = arith.mulf %d, %d : f32
    %m2 = cascade.reduce add %q over (l) : f32
    %var = arith.divf %m2, %nf : f32
    cascade.yield %var, %mean : f32, f32
  }
  return %v, %a : tensor<?xf32>, tensor<?xf32>
}

func.func @furthest(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %v, %w = cascade.chain (i, l) ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>, [i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %low = cascade.reduce min %e over (l) : f32
    %high = cascade.reduce max %e over (l) : f32
    %a = math.absf %e : f32
    %sum = cascade.reduce add %a over (l) : f32
    %range = arith.subf %high, %low : f32
    cascade.yield %range, %sum : f32, f32
  }
  return %v, %w : tensor<?xf32>, tensor<?xf32>
}

// The weighted sum of a column, scaled by an input that no key has.
func.func @attend(%x: tensor<?x?xf32>, %g: tensor<?xf32>) -> tensor<?x?xf32> {
  %y = cascade.chain (i, l, e) ins(%x[i, l] : tensor<?x?xf32>, %g[e] : tensor<?xf32>)
      outs([i, e] : tensor<?x?xf32>) {
  ^bb0(%s: f32, %c: f32):
    %m = cascade.reduce max %s over (l) : f32
    %d = arith.subf %s, %m : f32
    %p = math.exp %d : f32
    %t = cascade.reduce add %p over (l) : f32
    %w = arith.divf %p, %t : f32
    %v = arith.mulf %w, %s : f32
    %o = cascade.reduce add %v over (l) : f32
    %r = arith.mulf %o, %c : f32
    cascade.yield %r : f32
  }
  return %y : tensor<?x?xf32>
}
