// The loop of attention on the tensor cores: both factors are loaded before the first is
// used, and the sums are corrected only where a maximum has changed.
// RUN: cascade-opt %s --cascade-fuse --convert-cascade-to-cluster --canonicalize --cse | FileCheck %s

// CHECK-LABEL: gpu.func @decode(
// CHECK:         scf.for
// CHECK-COUNT-6:   llvm.inline_asm has_side_effects {{.*}}"ld.global.nc
// CHECK-NOT:       llvm.inline_asm
// CHECK:           cluster.mma
// CHECK:           %[[OLD:.*]] = arith.cmpf une
// CHECK:           %[[NEW:.*]] = arith.cmpf une
// CHECK:           %[[ANY:.*]] = arith.ori %[[OLD]], %[[NEW]] : i1
// CHECK:           %[[VOTE:.*]] = cluster.any %[[ANY]]
// CHECK:           scf.if %[[VOTE]]
// CHECK:             math.exp
// CHECK:           } else {
// CHECK-NEXT:        scf.yield
// CHECK-NEXT:      }
func.func @decode(%q: tensor<2x4x32xbf16>, %k: tensor<2x1x?x32xbf16>,
    %v: tensor<2x1x?x64xbf16>, %len: tensor<2xi32>, %scale: f32)
    -> (tensor<2x4x64xbf16>, tensor<2x4xf32>) {
  %o, %z = cascade.chain (b, h, l, d, e)
      ins(%q[b, h, d] : tensor<2x4x32xbf16>, %k[b, h floordiv 4, l, d] : tensor<2x1x?x32xbf16>,
          %v[b, h floordiv 4, l, e] : tensor<2x1x?x64xbf16>, %len[b] : tensor<2xi32>, %scale[] : f32)
      outs([b, h, e] : tensor<2x4x64xbf16>, [b, h] : tensor<2x4xf32>)
      attributes {mapping = #cascade.mapping<b: grid, h: grid x lane(2 at 1) x reg(2),
          l: cluster(4) x loop x warp(2) x reg(2) x lane(8 at 4),
          d: lane(4 at 1) x vector(8), e: lane(8 at 4) x vector(8),
          contract = [0: mma.m16n8k16, 3: mma.m16n8k16]>} {
  ^bb0(%qh: bf16, %kh: bf16, %vh: bf16, %n: i32, %c: f32):
    %qe = arith.extf %qh : bf16 to f32
    %ke = arith.extf %kh : bf16 to f32
    %ve = arith.extf %vh : bf16 to f32
    %qk = arith.mulf %qe, %ke : f32
    %dot = cascade.reduce add %qk over (d) : f32
    %s = arith.mulf %dot, %c : f32
    %j = cascade.index l : i32
    %in = arith.cmpi slt, %j, %n : i32
    %m = cascade.reduce max %s over (l) where %in : f32
    %dm = arith.subf %s, %m : f32
    %x = math.exp %dm : f32
    %t = cascade.reduce add %x over (l) where %in : f32
    %p = arith.divf %x, %t : f32
    %w = arith.mulf %p, %ve : f32
    %a = cascade.reduce add %w over (l) where %in : f32
    %ah = arith.truncf %a : f32 to bf16
    %lt = math.log %t : f32
    %lse = arith.addf %m, %lt : f32
    cascade.yield %ah, %lse : bf16, f32
  }
  return %o, %z : tensor<2x4x64xbf16>, tensor<2x4xf32>
}
