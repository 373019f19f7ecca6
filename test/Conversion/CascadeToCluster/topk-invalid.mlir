// RUN: cascade-opt %s --cascade-schedule --convert-cascade-to-cluster --split-input-file --verify-diagnostics

func.func @entry_meets_element(%x: tensor<8x4096xf32>) -> tensor<8x3xf32> {
  %y = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i, k] : tensor<8x3xf32>) {
  ^bb0(%e: f32):
    %j = cascade.index l : i32
    %key, %index = cascade.reduce topk %e, %j over (l) into (k) : f32, i32
    // expected-error @+1 {{gives a value that varies over axis 'l' and axis 'k'; in a kernel the entries of a topk meet neither the elements of the row nor another list: return the list and read it in a chain of its own}}
    %d = arith.subf %e, %key : f32
    %s = cascade.reduce add %d over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8x3xf32>
}

// -----

func.func @entry_as_predicate(%x: tensor<8x4096xf32>) -> tensor<8x3xf32> {
  %y = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i, k] : tensor<8x3xf32>) {
  ^bb0(%e: f32):
    %zero = arith.constant 0.0 : f32
    %j = cascade.index l : i32
    %key, %index = cascade.reduce topk %e, %j over (l) into (k) : f32, i32
    %in = arith.cmpf ogt, %key, %zero : f32
    // expected-error @+1 {{gives a value that varies over axis 'l' and axis 'k'}}
    %s = cascade.reduce add %e over (l) where %in : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8x3xf32>
}

// -----

func.func @two_lists(%x: tensor<8x4096xf32>) -> tensor<8x3x2xf32> {
  %y = cascade.chain (i, l, k, n)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i, k, n] : tensor<8x3x2xf32>) {
  ^bb0(%e: f32):
    %j = cascade.index l : i32
    %minus = arith.negf %e : f32
    %high, %hi = cascade.reduce topk %e, %j over (l) into (k) : f32, i32
    %low, %li = cascade.reduce topk %minus, %j over (l) into (n) : f32, i32
    %s = arith.addf %high, %low : f32
    cascade.yield %s : f32
  }
  // expected-error @-10 {{result 0 varies over axis 'k' and axis 'n'}}
  return %y : tensor<8x3x2xf32>
}

// -----

func.func @operand(%x: tensor<8x4096xf32>, %w: tensor<4096x3xf32>) -> tensor<8x3xf32> {
  // expected-error @+1 {{operand 1 varies over axis 'l' and axis 'k'}}
  %y = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<8x4096xf32>, %w[l, k] : tensor<4096x3xf32>) outs([i, k] : tensor<8x3xf32>) {
  ^bb0(%e: f32, %b: f32):
    %j = cascade.index l : i32
    %key, %index = cascade.reduce topk %e, %j over (l) into (k) : f32, i32
    %s = cascade.reduce add %b over (l) : f32
    %t = arith.addf %key, %s : f32
    cascade.yield %t : f32
  }
  return %y : tensor<8x3xf32>
}

// -----

func.func @captured_entry(%x: tensor<8x4096xf32>) -> tensor<8x3xf32> {
  %y = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i, k] : tensor<8x3xf32>) {
  ^bb0(%e: f32):
    %zero = arith.constant 0.0 : f32
    %j = cascade.index l : i32
    %key, %index = cascade.reduce topk %e, %j over (l) into (k) : f32, i32
    // expected-error @+1 {{has a reference, a combiner or a correction that varies over axis 'k'; in a kernel it must be the same for every entry of the topk}}
    %s = cascade.reduce combine %e over (l) init(%zero) with {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      %d = arith.maximumf %c, %key : f32
      cascade.yield %d : f32
    } : f32
    %t = arith.addf %key, %s : f32
    cascade.yield %t : f32
  }
  return %y : tensor<8x3xf32>
}

// -----

func.func @list_on_grid(%x: tensor<8x4096xf32>) -> tensor<8x4xf32> {
  // expected-error @+1 {{axis 'k' is mapped to grid; the axis of a topk takes reg}}
  %y = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i, k] : tensor<8x4xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x lane(32), k: grid>} {
  ^bb0(%e: f32):
    %j = cascade.index l : i32
    %key, %index = cascade.reduce topk %e, %j over (l) into (k) : f32, i32
    cascade.yield %key : f32
  }
  return %y : tensor<8x4xf32>
}
