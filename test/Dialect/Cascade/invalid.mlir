// RUN: cascade-opt %s --split-input-file --verify-diagnostics

func.func @duplicate_axis(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{axis 'i' is named twice}}
  %0 = cascade.chain (i, i) ins(%x[i] : tensor<4xf32>) outs([i] : tensor<4xf32>) {
  ^bb0(%a: f32):
    cascade.yield %a : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @rank(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  // expected-error @below {{operand 0 has rank 2, but its map has 1 results}}
  %0 = cascade.chain (i) ins(%x[i] : tensor<4x8xf32>) outs([i] : tensor<4xf32>) {
  ^bb0(%a: f32):
    cascade.yield %a : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @extents_disagree(%x: tensor<4x8xf32>, %y: tensor<4x9xf32>) -> tensor<4xf32> {
  // expected-error @below {{axis 'l' has extent 8 in operand 0 and 9 in operand 1 (dimension 1)}}
  %0 = cascade.chain (i, l) ins(%x[i, l] : tensor<4x8xf32>, %y[i, l] : tensor<4x9xf32>) outs([i] : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = cascade.reduce add %a over (l) : f32
    cascade.yield %s : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @nothing_fixes(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{nothing fixes the extent of axis 'l': use it alone in the map of an operand}}
  %0 = cascade.chain (i, l) ins(%x[i] : tensor<4xf32>) outs([i] : tensor<4xf32>) {
  ^bb0(%a: f32):
    %s = cascade.reduce add %a over (l) : f32
    cascade.yield %s : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @dynamic_without_operand(%x: tensor<4xf32>) -> tensor<4x?xf32> {
  // expected-error @below {{nothing fixes the extent of axis 'j'}}
  %0 = cascade.chain (i, j) ins(%x[i] : tensor<4xf32>) outs([i, j] : tensor<4x?xf32>) {
  ^bb0(%a: f32):
    cascade.yield %a : f32
  }
  return %0 : tensor<4x?xf32>
}

// -----

func.func @out_of_bounds(%x: tensor<8xf32>, %y: tensor<4xf32>, %z: tensor<6xf32>) -> tensor<4xf32> {
  // expected-error @below {{dimension 0 of operand 0 has size 8, but its expression reaches 8}}
  %0 = cascade.chain (i, k) ins(%x[i + k] : tensor<8xf32>, %y[i] : tensor<4xf32>, %z[k] : tensor<6xf32>) outs([i] : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = cascade.reduce add %a over (k) : f32
    cascade.yield %s : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @missing_axis(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  // expected-error @below {{result 0 varies over axis 'l', which its map does not name}}
  %0 = cascade.chain (i, l) ins(%x[i, l] : tensor<4x8xf32>) outs([i] : tensor<4xf32>) {
  ^bb0(%a: f32):
    // expected-note @below {{the value is yielded here}}
    cascade.yield %a : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @result_map(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{the map of result 0 must be bare axes}}
  %0 = cascade.chain (i) ins(%x[i] : tensor<4xf32>) outs([i floordiv 1 + 1] : tensor<4xf32>) {
  ^bb0(%a: f32):
    cascade.yield %a : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @side_effect(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @below {{in this chain}}
  %0 = cascade.chain (i) ins(%x[i] : tensor<4xf32>) outs([i] : tensor<4xf32>) {
  ^bb0(%a: f32):
    // expected-error @below {{may not stand in a chain: the body holds pure arith, math and cascade operations}}
    %m = memref.alloc() : memref<4xf32>
    cascade.yield %a : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @element_type(%x: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
  // expected-error @below {{operand 0 has elements of type 'complex<f32>'; they must be integers or floats}}
  %0 = cascade.chain (i) ins(%x[i] : tensor<4xcomplex<f32>>) outs([i] : tensor<4xf32>) {
  ^bb0(%a: complex<f32>):
    %c = arith.constant 0.0 : f32
    cascade.yield %c : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @unknown_axis(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @below {{its axes are named here}}
  %0 = cascade.chain (i) ins(%x[i] : tensor<4xf32>) outs([i] : tensor<4xf32>) {
  ^bb0(%a: f32):
    // expected-error @below {{the chain has no axis 'l'}}
    %s = cascade.reduce add %a over (l) : f32
    cascade.yield %s : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @kind_of_type(%x: tensor<4x8xi32>) -> tensor<4xi32> {
  %0 = cascade.chain (i, l) ins(%x[i, l] : tensor<4x8xi32>) outs([i] : tensor<4xi32>) {
  ^bb0(%a: i32):
    // expected-error @below {{max takes floats, got 'i32'; use maxsi, maxui, minsi or minui for integers}}
    %s = cascade.reduce max %a over (l) : i32
    cascade.yield %s : i32
  }
  return %0 : tensor<4xi32>
}

// -----

func.func @no_infinity(%x: tensor<4x8xf8E4M3FN>) -> tensor<4xf8E4M3FN> {
  %0 = cascade.chain (i, l) ins(%x[i, l] : tensor<4x8xf8E4M3FN>) outs([i] : tensor<4xf8E4M3FN>) {
  ^bb0(%a: f8E4M3FN):
    // expected-error @below {{max has no identity in 'f8E4M3FN', a type without infinities; widen the value first}}
    %s = cascade.reduce max %a over (l) : f8E4M3FN
    cascade.yield %s : f8E4M3FN
  }
  return %0 : tensor<4xf8E4M3FN>
}

// -----

func.func @unknown_kind(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = cascade.chain (i, l) ins(%x[i, l] : tensor<4x8xf32>) outs([i] : tensor<4xf32>) {
  ^bb0(%a: f32):
    // expected-error @below {{'sum' is not a reduction kind; use add, mul}}
    %s = cascade.reduce sum %a over (l) : f32
    cascade.yield %s : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @topk_without_axis(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = cascade.chain (i, l) ins(%x[i, l] : tensor<4x8xf32>) outs([i] : tensor<4xf32>) {
  ^bb0(%a: f32):
    %j = cascade.index l : i32
    // expected-error @below {{topk needs a new axis: into (axis)}}
    %s, %t = cascade.reduce topk %a, %j over (l) : f32, i32
    cascade.yield %s : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @topk_of_dynamic_length(%x: tensor<4x8xf32>, %n: tensor<?xf32>) -> tensor<4x?xf32> {
  %y = cascade.chain (i, l, k) ins(%x[i, l] : tensor<4x8xf32>, %n[k] : tensor<?xf32>)
      outs([i, k] : tensor<4x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %j = cascade.index l : i32
    // expected-error @below {{topk keeps a static number of entries, but the extent of axis 'k' is known only at run time; give a tensor a static dimension for it, of 1 to 64}}
    %s, %t = cascade.reduce topk %a, %j over (l) into (k) : f32, i32
    cascade.yield %s : f32
  }
  return %y : tensor<4x?xf32>
}

// -----

func.func @topk_too_long(%x: tensor<4x80xf32>) -> tensor<4x65xf32> {
  %y = cascade.chain (i, l, k) ins(%x[i, l] : tensor<4x80xf32>) outs([i, k] : tensor<4x65xf32>) {
  ^bb0(%a: f32):
    %j = cascade.index l : i32
    // expected-error @below {{topk keeps 1 to 64 entries, but axis 'k' has extent 65}}
    %s, %t = cascade.reduce topk %a, %j over (l) into (k) : f32, i32
    cascade.yield %s : f32
  }
  return %y : tensor<4x65xf32>
}

// -----

func.func @topk_into_old_axis(%x: tensor<4x8x2xf32>) -> tensor<4x2xf32> {
  %y = cascade.chain (i, l, k) ins(%x[i, l, k] : tensor<4x8x2xf32>) outs([i, k] : tensor<4x2xf32>) {
  ^bb0(%a: f32):
    %j = cascade.index l : i32
    // expected-error @below {{introduces axis 'k', which its values vary over already; name a new axis}}
    %s, %t = cascade.reduce topk %a, %j over (l) into (k) : f32, i32
    cascade.yield %s : f32
  }
  return %y : tensor<4x2xf32>
}

// -----

func.func @combine_without_region(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = cascade.chain (i, l) ins(%x[i, l] : tensor<4x8xf32>) outs([i] : tensor<4xf32>) {
  ^bb0(%a: f32):
    // expected-error @below {{combine needs init(...) values and a combiner region}}
    %s = cascade.reduce combine %a over (l) : f32
    cascade.yield %s : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @argmax_without_index(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = cascade.chain (i, l) ins(%x[i, l] : tensor<4x8xf32>) outs([i] : tensor<4xf32>) {
  ^bb0(%a: f32):
    // expected-error @below {{argmax takes a key and an integer or index, then any payload}}
    %s = cascade.reduce argmax %a over (l) : f32
    cascade.yield %s : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @refs_without_correction(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = cascade.chain (i, l) ins(%x[i, l] : tensor<4x8xf32>) outs([i] : tensor<4xf32>) {
  ^bb0(%a: f32):
    %m = cascade.reduce max %a over (l) : f32
    // expected-error @below {{references and a correction go together}}
    %s = cascade.reduce add %a over (l) refs(%m : f32) : f32
    cascade.yield %s : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @replay_without_source(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = cascade.chain (i, l) ins(%x[i, l] : tensor<4x8xf32>) outs([i] : tensor<4xf32>) {
  ^bb0(%a: f32):
    %m = cascade.reduce max %a over (l) : f32
    %c = arith.cmpf uno, %m, %m : f32
    // expected-error @below {{has a replay condition, but the chain has no source to replay}}
    cascade.yield %m replay %c : f32
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @mapping_axis(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{the mapping names axis 'l', which the chain does not have}}
  %0 = cascade.chain (i) ins(%x[i] : tensor<4xf32>) outs([i] : tensor<4xf32>) attributes {mapping = #cascade.mapping<l: grid>} {
  ^bb0(%a: f32):
    cascade.yield %a : f32
  }
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{a cluster has at most 16 blocks, got 32}}
func.func private @cluster_size() attributes {m = #cascade.mapping<l: cluster(32)>}

// -----

// expected-error @below {{lanes come in powers of two up to 32, got 24}}
func.func private @lanes() attributes {m = #cascade.mapping<l: lane(24)>}

// -----

// expected-error @below {{'bank' is not a level; use grid, cluster, warp, lane, loop, reg, vector or tile}}
func.func private @level() attributes {m = #cascade.mapping<l: bank(2)>}

// -----

// expected-error @below {{'fast' is not a keep policy; use regs, shared, l2}}
func.func private @policy() attributes {m = #cascade.mapping<l: loop, keep = [0: fast]>}
