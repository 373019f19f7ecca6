// RUN: cascade-opt %s --cascade-split-states --split-input-file --verify-diagnostics

func.func @along(%x: tensor<8x32xf32>) -> tensor<8x32xf32> {
  // expected-error @+1 {{has result 0 along axis 'l', which no merged state holds; split a chain without it}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x32xf32>) outs([i, l] : tensor<8x32xf32>) {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    %d = arith.divf %e, %s : f32
    cascade.yield %d : f32
  }
  return %y : tensor<8x32xf32>
}

// -----

func.func @list(%x: tensor<8x32xf32>) -> tensor<8x2xf32> {
  %y = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<8x32xf32>) outs([i, k] : tensor<8x2xf32>) {
  ^bb0(%e: f32):
    %j = cascade.index l : i32
    // expected-error @+1 {{keeps a list, whose state cannot be merged by a chain; take the topk of all places together}}
    %key, %index = cascade.reduce topk %e, %j over (l) into (k) : f32, i32
    cascade.yield %key : f32
  }
  return %y : tensor<8x2xf32>
}

// -----

func.func @passes(%x: tensor<8x32xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{goes over axis 'l' in 2 passes, of which the later need the results of the earlier; one can be split into states}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x32xf32>) outs([i] : tensor<8xf32>) {
  ^bb0(%e: f32):
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %r = math.sin %d : f32
    %a = math.absf %r : f32
    %l = math.log1p %a : f32
    %s = cascade.reduce add %l over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

// expected-error @+1 {{holds several chains; put each that is split into a function of its own}}
func.func @several(%x: tensor<8x32xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %y = cascade.chain (i, l) ins(%x[i, l] : tensor<8x32xf32>) outs([i] : tensor<8xf32>) {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  %z = cascade.chain (i, l) ins(%x[i, l] : tensor<8x32xf32>) outs([i] : tensor<8xf32>) {
  ^bb0(%e: f32):
    %s = cascade.reduce max %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y, %z : tensor<8xf32>, tensor<8xf32>
}
