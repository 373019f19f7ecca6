// RUN: cascade-opt %s --convert-cascade-to-cluster --split-input-file --verify-diagnostics

func.func @no_mapping(%x: tensor<8x4096xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{has no mapping; run --cascade-schedule or write one}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i] : tensor<8xf32>) {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

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

func.func @row_on_grid(%x: tensor<8x4096xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the mapping splits axis 'l' over the grid; say who merges its states: merge = [l: last]}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: grid(2) x loop x lane(32)>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @parallel_loop(%x: tensor<8x4096xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{axis 'i' is mapped to loop; a parallel axis takes grid, reg, warp, lane and vector}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: loop, l: loop x lane(32)>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @two_digits(%x: tensor<8x4096xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{axis 'l' has two digits at level warp; a kernel takes one}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x warp(2) x warp(2) x lane(32)>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @reg_before_loop(%x: tensor<8x4096xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{axis 'l' has a reg digit before its loop without a size; write the loop before it or give it a size}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: reg(2) x loop x lane(32)>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @half_a_warp(%x: tensor<8x4096xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the mapping uses 16 lanes; a kernel uses all 32}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x lane(16)>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @strided(%x: tensor<8x4096xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the warps of axis 'l' must be consecutive: name it last in the chain or give the others a stride}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid x warp(4 at 1), l: loop x warp(2 at 4) x lane(32)>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @two_axes(%x: tensor<8x32xf32>) -> tensor<f32> {
  // expected-error @+1 {{axis 'i' is mapped to grid; a reduced axis inside another takes loop, reg, lane and vector}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x32xf32>) outs([] : tensor<f32>)
      attributes {mapping = #cascade.mapping<i: grid, l: lane(32)>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (i, l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<f32>
}

// -----

func.func @two_chains(%x: tensor<8x32xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // expected-note @+1 {{the first chain is here}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x32xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: lane(32)>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  // expected-error @+1 {{is the second chain of its function; put it into a function of its own}}
  %z = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x32xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: lane(32)>} {
  ^bb0(%e: f32):
    %s = cascade.reduce max %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y, %z : tensor<8xf32>, tensor<8xf32>
}

// -----

func.func @other_operation(%x: tensor<8x32xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{cannot become part of a kernel; a function for the GPU holds one cascade.chain}}
  %c = arith.constant 1.0 : f32
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x32xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: lane(32)>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @results(%x: tensor<8x32xf32>) -> tensor<8xf32> {
  %y, %z = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x32xf32>)
      outs([i] : tensor<8xf32>, [i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: lane(32)>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    %m = cascade.reduce max %e over (l) : f32
    cascade.yield %s, %m : f32, f32
  }
  // expected-error @+1 {{must return the results of the chain, all of them, in order}}
  return %z : tensor<8xf32>
}

// -----

func.func @element_type(%x: tensor<8x32xf8E4M3>) -> tensor<8xf32> {
  // expected-error @+1 {{operand 0 has elements of type 'f8E4M3', which GPU kernels do not take; use f64, f32, f16, bf16, f8E4M3FN, f8E5M2, index or i1 to i64}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x32xf8E4M3>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: lane(32)>} {
  ^bb0(%e: f8E4M3):
    %f = arith.extf %e : f8E4M3 to f32
    %s = cascade.reduce add %f over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @load_policy(%x: tensor<8x32xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the mapping has a load policy for input 0 that no kernel follows yet; use ahead(1), bulk(stages) or leave it out}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x32xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: lane(32), load = [0: ahead(2)]>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @keep_number(%x: tensor<8x32xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the mapping keeps 1 : i64, which is not the number of an input; the chain has 1}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x32xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: lane(32), keep = [1: shared]>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @keep_l2_once(%x: tensor<8x1024xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the mapping keeps input 0 in l2, but its elements are read once; leave it out}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x1024xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x lane(32) x vector(4), keep = [0: l2]>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @keep_l2_one_tile(%x: tensor<8x1024xf32>) -> tensor<8x1024xf32> {
  // expected-error @+1 {{the mapping keeps input 0 in l2, but threads hold the whole row and read it once; leave it out}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x1024xf32>) outs([i, l] : tensor<8x1024xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x warp(8) x lane(32) x vector(4), keep = [0: l2]>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    %d = arith.subf %e, %s : f32
    cascade.yield %d : f32
  }
  return %y : tensor<8x1024xf32>
}

// -----

func.func @keep_l2_single_elements(%x: tensor<8x1024xf32>) -> tensor<8x1024xf32> {
  // expected-error @+1 {{the mapping keeps input 0 in l2, which takes rows in memory order and a vector digit of 16 bytes}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x1024xf32>) outs([i, l] : tensor<8x1024xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x lane(32) x vector(2), keep = [0: l2]>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    %d = arith.subf %e, %s : f32
    cascade.yield %d : f32
  }
  return %y : tensor<8x1024xf32>
}

// -----

func.func @keep_l2_staged(%x: tensor<8x1024xf32>) -> tensor<8x1024xf32> {
  // expected-error @+1 {{the mapping keeps input 0 in l2 and loads it by bulk copies, which leave it in shared memory; leave one of the two out}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x1024xf32>) outs([i, l] : tensor<8x1024xf32>)
      attributes {mapping = #cascade.mapping<i: loop x grid(resident), l: loop x warp(1) x lane(32) x vector(4), load = [0: bulk(8)], keep = [0: l2]>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    %d = arith.subf %e, %s : f32
    cascade.yield %d : f32
  }
  return %y : tensor<8x1024xf32>
}

// -----

func.func @keep_dynamic(%x: tensor<8x?xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the mapping keeps input 0 in shared memory, but the extent of axis 'l' is known only at run time}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x?xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x lane(32) x vector(4), keep = [0: shared]>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @keep_narrow(%x: tensor<8x256xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the mapping keeps input 0 in shared memory, which takes rows in memory order and a vector digit of 16 bytes}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x256xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x lane(32) x vector(2), keep = [0: shared]>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @keep_rows(%x: tensor<8x256xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the mapping keeps input 0 in shared memory, which takes one row a block}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x256xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid x warp(2), l: loop x lane(32) x vector(4), keep = [0: shared]>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @keep_order(%x: tensor<8x256xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the mapping keeps input 0 in shared memory; write the cluster and loop digits of axis 'l' before its others}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x256xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: lane(32) x loop x vector(4), keep = [0: shared]>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @keep_much(%x: tensor<8x65536xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the mapping keeps 262144 bytes in the shared memory of a block; at most 229376 fit}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x65536xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x warp(8) x lane(32) x vector(4), keep = [0: shared]>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @resident(%x: tensor<8x32xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{axis 'i' of a resident grid begins with loop x grid(resident), as all parallel axes on the grid do}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x32xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid(resident), l: lane(32)>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @body_type(%x: tensor<8x32xf32>) -> tensor<8xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x32xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: lane(32)>} {
  ^bb0(%e: f32):
    // expected-error @+1 {{computes a value of type 'f8E4M3', which GPU kernels do not take}}
    %h = arith.truncf %e : f32 to f8E4M3
    %f = arith.extf %h : f8E4M3 to f32
    %s = cascade.reduce add %f over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @same_lanes(%x: tensor<8x32x64xf32>) -> tensor<8x64xf32> {
  // expected-error @+1 {{result 0 varies over axis 'e' and another axis at the same lanes; give the lane digits strides that keep them apart}}
  %y = cascade.chain (i, e, l)
      ins(%x[i, l, e] : tensor<8x32x64xf32>) outs([i, e] : tensor<8x64xf32>)
      attributes {mapping = #cascade.mapping<i: grid x lane(2 at 1), e: lane(32 at 1) x reg(2), l: loop>} {
  ^bb0(%v: f32):
    %s = cascade.reduce add %v over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8x64xf32>
}

// -----

func.func @partly_resident(%x: tensor<4x8x32xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{axis 'b' of a resident grid begins with loop x grid(resident), as all parallel axes on the grid do}}
  %y = cascade.chain (b, i, l)
      ins(%x[b, i, l] : tensor<4x8x32xf32>) outs([b, i] : tensor<4x8xf32>)
      attributes {mapping = #cascade.mapping<b: grid, i: loop x grid(resident), l: lane(32)>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<4x8xf32>
}

// -----

func.func @captured_entry(%x: tensor<8x4096xf32>) -> tensor<8x3xf32> {
  %y = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i, k] : tensor<8x3xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x lane(32), k: reg(3)>} {
  ^bb0(%e: f32):
    %zero = arith.constant 0.0 : f32
    %j = cascade.index l : i32
    %key, %index = cascade.reduce topk %e, %j over (l) into (k) : f32, i32
    // expected-error @+1 {{reads a value that varies over axis 'k', over which it has one state; let its values vary over the axis, too}}
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

func.func @held_over_tiles(%x: tensor<8x64xf32>, %w: tensor<64xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the mapping keeps input 1 in registers from row to row, which takes rows without a loop; keep it in shared memory}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x64xf32>, %w[l] : tensor<64xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: loop x grid(resident), l: loop x lane(32), keep = [1: regs]>} {
  ^bb0(%e: f32, %we: f32):
    %p = arith.mulf %e, %we : f32
    %s = cascade.reduce add %p over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @staged_other(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  // expected-error @+1 {{the mapping loads 3 : i64, which is not the number of an input; the chain has 1}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x128xf32>) outs([i, l] : tensor<8x128xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: reg(4) x lane(32), load = [3: bulk(2)]>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    %d = arith.subf %e, %s : f32
    cascade.yield %d : f32
  }
  return %y : tensor<8x128xf32>
}

// -----

func.func @staged_dynamic(%x: tensor<8x?xf32>) -> tensor<8x?xf32> {
  // expected-error @+1 {{the mapping loads input 0 by bulk copies, but the extent of axis 'l' is known only at run time}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x?xf32>) outs([i, l] : tensor<8x?xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x lane(32) x vector(4), load = [0: bulk(2)]>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    %d = arith.subf %e, %s : f32
    cascade.yield %d : f32
  }
  return %y : tensor<8x?xf32>
}

// -----

func.func @staged_narrow(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  // expected-error @+1 {{the mapping loads input 0 by bulk copies, which take rows in memory order and a vector digit of 16 bytes}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x128xf32>) outs([i, l] : tensor<8x128xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: reg(2) x lane(32) x vector(2), load = [0: bulk(2)]>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    %d = arith.subf %e, %s : f32
    cascade.yield %d : f32
  }
  return %y : tensor<8x128xf32>
}

// -----

func.func @staged_scattered(%x: tensor<8x512xf32>) -> tensor<8x512xf32> {
  // expected-error @+1 {{the mapping loads input 0 by bulk copies, each a range of a warp; write axis 'l' as [cluster x] [loop x] [warp x] [reg x] [lane x] [vector]}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x512xf32>) outs([i, l] : tensor<8x512xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: reg(2) x warp(2) x lane(32) x vector(4), load = [0: bulk(2)]>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    %d = arith.subf %e, %s : f32
    cascade.yield %d : f32
  }
  return %y : tensor<8x512xf32>
}

// -----

func.func @staged_not_kept(%x: tensor<8x512xf32>) -> tensor<8x512xf32> {
  // expected-error @+1 {{the mapping loads input 0 by bulk copies and loops over rows that are used again; keep it in shared memory}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x512xf32>) outs([i, l] : tensor<8x512xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x warp(2) x lane(32) x vector(4), load = [0: bulk(2)]>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    %d = arith.subf %e, %s : f32
    cascade.yield %d : f32
  }
  return %y : tensor<8x512xf32>
}

// -----

func.func @staged_few(%x: tensor<8x1024xf32>) -> tensor<8x1024xf32> {
  // expected-error @+1 {{the mapping loads input 0 by bulk copies into 2 stages, but a block keeps 4 tiles of a row that is used again}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x1024xf32>) outs([i, l] : tensor<8x1024xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x warp(2) x lane(32) x vector(4), load = [0: bulk(2)], keep = [0: shared]>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    %d = arith.subf %e, %s : f32
    cascade.yield %d : f32
  }
  return %y : tensor<8x1024xf32>
}

// -----

func.func @staged_much(%x: tensor<8x8192xf32>) -> tensor<8x8192xf32> {
  // expected-error @+1 {{the mapping loads input 0 by bulk copies into 262144 bytes of shared memory; at most 229376 fit}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x8192xf32>) outs([i, l] : tensor<8x8192xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: warp(8) x reg(8) x lane(32) x vector(4), load = [0: bulk(8)]>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    %d = arith.subf %e, %s : f32
    cascade.yield %d : f32
  }
  return %y : tensor<8x8192xf32>
}

// -----

func.func @loop_of_the_row(%x: tensor<8x32xf32>) -> tensor<f32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x32xf32>) outs([] : tensor<f32>)
      attributes {mapping = #cascade.mapping<i: loop x reg(2), l: lane(32)>} {
  ^bb0(%e: f32):
    // expected-error @+1 {{has values of axis 'i', which the mapping loops over inside the row; give the axis digits that hold it whole, or the reduction inside the row an axis of its own}}
    %s = cascade.reduce add %e over (i, l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<f32>
}

// -----

func.func @looped_result(%x: tensor<64x8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{result 0 has values of axis 'd', which the mapping loops over inside the row}}
  %z = cascade.chain (l, d)
      ins(%x[l, d] : tensor<64x8xf32>, %y[d] : tensor<8xf32>) outs([d] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<l: loop x lane(32), d: loop x reg(2)>} {
  ^bb0(%e: f32, %w: f32):
    %s = cascade.reduce add %e over (d) : f32
    %m = cascade.reduce max %s over (l) : f32
    %p = arith.mulf %m, %w : f32
    cascade.yield %p : f32
  }
  return %z : tensor<8xf32>
}

// -----

func.func @inner_loop_inside(%x: tensor<64x8xf32>) -> tensor<f32> {
  // expected-error @+1 {{axis 'd' is reduced inside another; its loop digit comes before the others}}
  %z = cascade.chain (l, d)
      ins(%x[l, d] : tensor<64x8xf32>) outs([] : tensor<f32>)
      attributes {mapping = #cascade.mapping<l: loop x lane(32), d: reg(2) x loop>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (d) : f32
    %m = cascade.reduce max %s over (l) : f32
    cascade.yield %m : f32
  }
  return %z : tensor<f32>
}

// -----

func.func @looped_ahead(%x: tensor<64x8xf32>) -> tensor<f32> {
  // expected-error @+1 {{the mapping loads input 0 ahead, which has values of axis 'd', which the mapping loops over inside the row}}
  %z = cascade.chain (l, d)
      ins(%x[l, d] : tensor<64x8xf32>) outs([] : tensor<f32>)
      attributes {mapping = #cascade.mapping<l: loop x lane(32), d: loop x reg(2), load = [0: ahead(1)]>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (d) : f32
    %m = cascade.reduce max %s over (l) : f32
    cascade.yield %m : f32
  }
  return %z : tensor<f32>
}

// -----

func.func @merge_without_split(%x: tensor<8x4096xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the mapping has a merge policy for "l"; only axis 'l', which the kernel streams, takes one, where it is split over the grid: write l: grid(n) x ... and merge = [l: last], or leave the policy out}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x lane(32), merge = [l: last]>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @merge_of_other_axis(%x: tensor<8x4096xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the mapping has a merge policy for "i"; only axis 'l', which the kernel streams, takes one}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: grid(2) x loop x lane(32), merge = [i: last]>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @merge_sync(%x: tensor<8x4096xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the mapping has the merge policy 'sync', which no kernel follows yet; use last}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: grid(2) x loop x lane(32), merge = [l: sync]>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @unsized_split(%x: tensor<8x4096xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the mapping splits axis 'l' over the grid; give that digit a size and write it before those of a block, as in l: grid(4) x cluster(2) x loop x ...}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: grid x lane(32), merge = [l: last]>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @inner_split(%x: tensor<8x4096xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the mapping splits axis 'l' over the grid; give that digit a size and write it before those of a block, as in l: grid(4) x cluster(2) x loop x ...}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x lane(32) x grid(2), merge = [l: last]>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @many_splits(%x: tensor<8x4096xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the mapping splits axis 'l' over the grid into 256 parts; at most 128 are merged: use a larger cluster digit}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: grid(256) x loop x lane(32), merge = [l: last]>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @resident_split(%x: tensor<8x4096xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the mapping splits axis 'l' over the grid, but a resident grid goes from one whole row to another; leave one of the two out}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: loop x grid(resident), l: grid(2) x loop x lane(32), merge = [l: last]>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}

// -----

func.func @split_of_result(%x: tensor<8x4096xf32>) -> tensor<8x4096xf32> {
  // expected-error @+1 {{the mapping splits axis 'l' over the grid, where only the last block to arrive knows the merged states, but result 0 varies over axis 'l'; use a cluster digit in its place}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i, l] : tensor<8x4096xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: grid(2) x loop x lane(32), merge = [l: last]>} {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    %d = arith.subf %e, %s : f32
    cascade.yield %d : f32
  }
  return %y : tensor<8x4096xf32>
}

// -----

func.func @split_of_passes(%x: tensor<8x4096xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{the mapping splits axis 'l' over the grid, where only the last block to arrive knows the merged states, but 2 passes go over axis 'l'; use a cluster digit in its place}}
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: grid(2) x loop x lane(32), merge = [l: last]>} {
  ^bb0(%e: f32):
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %s = cascade.reduce add %d over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}
