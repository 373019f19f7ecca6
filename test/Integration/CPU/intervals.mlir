// Domains that are intervals of the indices, of which kernels visit the tiles.
// RUN: cascade-sweep %s --lengths=0,1,7,33,127 --rows=1,3 --segments=1,3 \
// RUN:   --patterns=rand,special | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed

func.func @window(%x: tensor<?x?xf32>, %len: tensor<?xi32>, %size: tensor<?xi32>)
    -> tensor<?xf32> {
  %r = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %len[i] : tensor<?xi32>, %size[i] : tensor<?xi32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32, %n: i32, %w: i32):
    %j = cascade.index l : i32
    %first = arith.subi %n, %w : i32
    %below = arith.cmpi slt, %j, %n : i32
    %from = arith.cmpi sge, %j, %first : i32
    %in = arith.andi %below, %from : i1
    %m = cascade.reduce max %e over (l) where %in : f32
    %d = arith.subf %e, %m : f32
    %p = math.exp %d : f32
    %t = cascade.reduce add %p over (l) where %in : f32
    %g = math.log %t : f32
    %s = arith.addf %m, %g : f32
    cascade.yield %s : f32
  }
  return %r : tensor<?xf32>
}

// The distance from the end, in 64 bits.
func.func @distance(%x: tensor<?x?xf32>, %len: tensor<?xi64>, %size: tensor<?xi64>)
    -> tensor<?xf32> {
  %r = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %len[i] : tensor<?xi64>, %size[i] : tensor<?xi64>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32, %n: i64, %w: i64):
    %j = cascade.index l : i64
    %far = arith.subi %n, %j : i64
    %zero = arith.constant 0 : i64
    %below = arith.cmpi sgt, %far, %zero : i64
    %near = arith.cmpi sle, %far, %w : i64
    %in = arith.andi %below, %near : i1
    %m = cascade.reduce max %e over (l) where %in : f32
    cascade.yield %m : f32
  }
  return %r : tensor<?xf32>
}

// Results along the row: all of them are stored.
func.func @ragged_softmax(%x: tensor<?x?xbf16>, %len: tensor<?xi32>) -> tensor<?x?xbf16> {
  %r = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>, %len[i] : tensor<?xi32>)
      outs([i, l] : tensor<?x?xbf16>) {
  ^bb0(%eh: bf16, %n: i32):
    %e = arith.extf %eh : bf16 to f32
    %j = cascade.index l : i32
    %in = arith.cmpi slt, %j, %n : i32
    %m = cascade.reduce max %e over (l) where %in : f32
    %d = arith.subf %e, %m : f32
    %p = math.exp %d : f32
    %t = cascade.reduce add %p over (l) where %in : f32
    %zero = arith.constant 0.0 : f32
    %q = arith.divf %p, %t : f32
    %o = arith.select %in, %q, %zero : f32
    %oh = arith.truncf %o : f32 to bf16
    cascade.yield %oh : bf16
  }
  return %r : tensor<?x?xbf16>
}
