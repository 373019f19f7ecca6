// RUN: cascade-opt %s --cascade-schedule --split-input-file --verify-diagnostics

func.func @uncovered(%x: tensor<8x4096xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the mapping covers 512 of the 4096 iterations of axis 'l'; leave the size off its grid or loop digit}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: reg(4) x warp(4) x lane(32)>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @unnamed(%x: tensor<8x4096xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the mapping does not say where axis 'i' runs}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<l: loop x lane(32)>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @lanes(%x: tensor<8x4096xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the mapping uses 64 lanes; a warp has 32}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid x lane(4), l: loop x lane(16)>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @threads(%x: tensor<8x4096xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the mapping uses 2048 threads a block; at most 1024 fit}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid x warp(4), l: loop x warp(16) x lane(32)>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @blocks(%x: tensor<8x4096xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the mapping uses 32 blocks a cluster; at most 16 fit}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid x cluster(4), l: cluster(8) x loop x lane(32)>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @tile(%x: tensor<8x4096xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{axis 'l' is mapped to tile, which no lowering takes yet; use vector, reg or lane}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x tile(32)>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @run_time_extent(%x: tensor<8x?xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the extent of axis 'l' is known only at run time; its mapping needs a grid or loop digit without a size}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x?xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: reg(4) x lane(32)>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @two_long_axes(%x: tensor<8192x4096xf32>) -> tensor<f32> {
  // expected-error @+1 {{reduces 4096 iterations of axis 'l' inside axis 'i', more than the registers of a warp hold; put the two reductions into two chains}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8192x4096xf32>) outs([] : tensor<f32>) {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (i, l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<f32>
}

// -----

func.func @rows_and_columns(%x: tensor<8x4096xf32>) -> (tensor<8xf32>, tensor<4096xf32>) {
  %y, %z = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i] : tensor<8xf32>, [l] : tensor<4096xf32>) {
  ^bb0(%e: f32):
    // expected-error @+1 {{reduces an axis that another reduction varies over, and the other way round; put them into two chains}}
    %s = cascade.reduce add %e over (l) : f32
    %m = cascade.reduce max %e over (i) : f32
    cascade.yield %s, %m : f32, f32
  }
  return %y, %z : tensor<8xf32>, tensor<4096xf32>
}

// -----

func.func @no_reduction(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{has no reduction; GPU kernels take chains with one}}
  %y = cascade.chain (i) ins(%x[i] : tensor<8xf32>) outs([i] : tensor<8xf32>) {
  ^bb0(%e: f32):
    %s = arith.mulf %e, %e : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}
