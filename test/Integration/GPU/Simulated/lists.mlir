// Lists over 32, 16, 8 and one lane, with one entry a lane and several; over warps
// and blocks; in one tile and in many.
// DEFINE: %{mapping} =
// DEFINE: %{run} = cascade-run %s --device=sim --mapping='#cascade.mapping<%{mapping}, k: reg(8)>' \
// DEFINE:   --dim=i=1,3 --dim=l=0,1,7,64,200,577 --patterns=rand,special --interleavings=2 --check | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed

// REDEFINE: %{mapping} = i: grid, l: loop x reg(2) x lane(32) x vector(4)
// RUN: %{run}
// REDEFINE: %{mapping} = i: grid x warp(2) x lane(2), l: loop x reg(4) x lane(16) x vector(2)
// RUN: %{run}
// REDEFINE: %{mapping} = i: grid x lane(4), l: loop x reg(8) x lane(8) x vector(8)
// RUN: %{run}
// REDEFINE: %{mapping} = i: grid x lane(8), l: loop x reg(40) x lane(4)
// RUN: %{run}
// REDEFINE: %{mapping} = i: grid x lane(32), l: loop x reg(3)
// RUN: %{run}
// REDEFINE: %{mapping} = i: grid x lane(2), l: cluster(3) x loop x reg(2) x warp(3) x lane(16) x vector(2)
// RUN: %{run}
// REDEFINE: %{mapping} = i: grid x warp(2), l: cluster(8) x loop x reg(2) x warp(2) x lane(32)
// RUN: %{run}
// REDEFINE: %{mapping} = i: grid x lane(16), l: cluster(2) x loop x reg(2) x lane(2) x reg(2)
// RUN: %{run}

// Keys of 16 bits, with their signs changed.
func.func @narrow(%x: tensor<?x?xbf16>) -> (tensor<?x8xbf16>, tensor<?x8xi32>) {
  %v, %j = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<?x?xbf16>)
      outs([i, k] : tensor<?x8xbf16>, [i, k] : tensor<?x8xi32>) {
  ^bb0(%x0: bf16):
    %e = arith.extf %x0 : bf16 to f32
    %n = arith.negf %e : f32
    %at = cascade.index l : i32
    %key, %index = cascade.reduce topk %n, %at over (l) into (k) : f32, i32
    %r = arith.truncf %key : f32 to bf16
    cascade.yield %r, %index : bf16, i32
  }
  return %v, %j : tensor<?x8xbf16>, tensor<?x8xi32>
}

// An index that is not the position, and breaks ties.
func.func @labelled(%x: tensor<?x?xf16>, %label: tensor<?xi64>) -> (tensor<?x8xf16>, tensor<?x8xi64>) {
  %v, %j = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<?x?xf16>, %label[l] : tensor<?xi64>)
      outs([i, k] : tensor<?x8xf16>, [i, k] : tensor<?x8xi64>) {
  ^bb0(%e: f16, %at: i64):
    %key, %index = cascade.reduce topk %e, %at over (l) into (k) : f16, i64
    cascade.yield %key, %index : f16, i64
  }
  return %v, %j : tensor<?x8xf16>, tensor<?x8xi64>
}

// Keys of 64 bits in a domain, with a payload, and a weighted sum over the list.
func.func @wide(%x: tensor<?x?xf64>, %p: tensor<?x?xf32>, %c: tensor<8xf32>) -> (tensor<?x8xf64>, tensor<?x8xf32>, tensor<?xf32>) {
  %v, %q, %s = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<?x?xf64>, %p[i, l] : tensor<?x?xf32>, %c[k] : tensor<8xf32>)
      outs([i, k] : tensor<?x8xf64>, [i, k] : tensor<?x8xf32>, [i] : tensor<?xf32>) {
  ^bb0(%e: f64, %w: f32, %scale: f32):
    %one = arith.constant 1.0 : f64
    %zero = arith.constant 0.0 : f32
    %at = cascade.index l : index
    %in = arith.cmpf une, %e, %one : f64
    %key, %index, %payload = cascade.reduce topk %e, %at, %w over (l) where %in into (k) : f64, index, f32
    %weighted = arith.mulf %payload, %scale : f32
    %place = cascade.index k : index
    %four = arith.constant 4 : index
    %early = arith.cmpi ult, %place, %four : index
    %sum = cascade.reduce add %weighted over (k) where %early : f32
    cascade.yield %key, %weighted, %sum : f64, f32, f32
  }
  return %v, %q, %s : tensor<?x8xf64>, tensor<?x8xf32>, tensor<?xf32>
}

// Small integers: many ties, and the least one, which is also the identity.
func.func @small(%x: tensor<?x?xi8>) -> (tensor<?x8xi8>, tensor<?x8xi32>) {
  %v, %j = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<?x?xi8>)
      outs([i, k] : tensor<?x8xi8>, [i, k] : tensor<?x8xi32>) {
  ^bb0(%e: i8):
    %at = cascade.index l : i32
    %key, %index = cascade.reduce topk %e, %at over (l) into (k) : i8, i32
    cascade.yield %key, %index : i8, i32
  }
  return %v, %j : tensor<?x8xi8>, tensor<?x8xi32>
}

// The best of the best: a list over a list, and its place in the first.
func.func @nested(%x: tensor<?x?xf32>) -> (tensor<?x8xf32>, tensor<?x3xf32>, tensor<?x3xi32>) {
  %a, %v, %j = cascade.chain (i, l, k, n)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i, k] : tensor<?x8xf32>, [i, n] : tensor<?x3xf32>, [i, n] : tensor<?x3xi32>)
      attributes {mapping = #cascade.mapping<i: grid x lane(8), l: loop x reg(2) x lane(4), k: reg(8), n: reg(3)>} {
  ^bb0(%e: f32):
    %at = cascade.index l : i32
    %key, %index = cascade.reduce topk %e, %at over (l) into (k) : f32, i32
    %place = cascade.index k : i32
    %minus = arith.negf %key : f32
    %least, %where = cascade.reduce topk %minus, %place over (k) into (n) : f32, i32
    cascade.yield %key, %least, %where : f32, f32, i32
  }
  return %a, %v, %j : tensor<?x8xf32>, tensor<?x3xf32>, tensor<?x3xi32>
}
