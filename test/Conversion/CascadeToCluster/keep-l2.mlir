// What the mapping keeps in the L2 cache is loaded with a policy: other lines
// leave before it until its last use, and it leaves before others from then on.
// RUN: cascade-opt %s --cascade-fuse --convert-cascade-to-cluster --canonicalize --cse | FileCheck %s
// RUN: cascade-compile %s -o %t && FileCheck %s --check-prefix=PTX < %t.ptx

// Three runs over the row: the sum, the deviations, the results. The weight is
// read once a row, and again by other rows.
// CHECK-LABEL:   gpu.func @three_runs(
// CHECK-DAG:       %[[KEEP:.*]] = llvm.inline_asm{{.*}} "createpolicy.fractional.L2::evict_last.b64 $0, 1.0;", "=l" : () -> i64
// CHECK-DAG:       %[[RELEASE:.*]] = llvm.inline_asm{{.*}} "createpolicy.fractional.L2::evict_first.b64 $0, 1.0;", "=l" : () -> i64
// Full tiles, and the one that overhangs the row.
// CHECK-COUNT-2:   "ld.global.nc.L2::cache_hint.v4.b32 {$0, $1, $2, $3}, [$4], $5;", "=r,=r,=r,=r,l,l" %{{.*}}, %[[KEEP]] :
// CHECK:           cluster.all_reduce
// In the second run the latter is in registers still.
// CHECK:           "ld.global.nc.L2::cache_hint.v4.b32 {{.*}} %{{.*}}, %[[KEEP]] :
// CHECK:           cluster.all_reduce
// CHECK-DAG:       "ld.global.nc.L1::no_allocate.L2::cache_hint.v4.b32 {{.*}} %{{.*}}, %[[RELEASE]] :
// CHECK-DAG:       "ld.global.nc.L2::cache_hint.v4.b32 {{.*}} %{{.*}}, %[[KEEP]] :
// CHECK:           st.global.cs
// CHECK-DAG:       "ld.global.nc.L1::no_allocate.L2::cache_hint.v4.b32 {{.*}} %{{.*}}, %[[RELEASE]] :
// CHECK-DAG:       "ld.global.nc.L2::cache_hint.v4.b32 {{.*}} %{{.*}}, %[[KEEP]] :
// CHECK:           st.global.cs
// A row that is replayed says nothing.
// CHECK-NOT:       ld.global
// CHECK:           gpu.return
// PTX-LABEL: .entry three_runs(
// PTX:         createpolicy.fractional.L2::evict_last.b64 [[KEEP:%rd[0-9]+]], 1.0;
// PTX:         ld.global.nc.L2::cache_hint.v4.b32 {{{.*}}}, [{{.*}}], [[KEEP]];
// PTX:         ld.global.nc.L1::no_allocate.L2::cache_hint.v4.b32
func.func @three_runs(%x: tensor<8x1280xbf16>, %w: tensor<1280xbf16>) -> tensor<8x1280xbf16> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x1280xbf16>, %w[l] : tensor<1280xbf16>) outs([i, l] : tensor<8x1280xbf16>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x warp(2) x lane(32) x vector(8), keep = [0: l2, 1: l2]>} {
  ^bb0(%e: bf16, %we: bf16):
    %f = arith.extf %e : bf16 to f32
    %g = arith.extf %we : bf16 to f32
    %s = cascade.reduce add %f over (l) : f32
    %n = arith.constant 1280.0 : f32
    %m = arith.divf %s, %n : f32
    %d = arith.subf %f, %m : f32
    %a = math.absf %d : f32
    %t = cascade.reduce add %a over (l) : f32
    %q = arith.divf %d, %t : f32
    %v = arith.mulf %q, %g : f32
    %o = arith.truncf %v : f32 to bf16
    cascade.yield %o : bf16
  }
  return %y : tensor<8x1280xbf16>
}

// A run that does not read an input does not release it, and one input of two is
// kept: of the other nothing is said.
// CHECK-LABEL:   gpu.func @one_of_two(
// CHECK:           evict_last.b64 {{.*}} -> i64
// CHECK:           ld.global.nc.L2::cache_hint.v4
// CHECK:           llvm.load
// CHECK:           cluster.all_reduce
// CHECK:           llvm.load
// CHECK-NOT:       ld.global
// CHECK:           cluster.all_reduce
// CHECK:           ld.global.nc.L1::no_allocate.L2::cache_hint.v4
// CHECK-NOT:       llvm.load
// CHECK:           st.global.cs
func.func @one_of_two(%x: tensor<8x1024xf32>, %z: tensor<8x1024xf32>) -> tensor<8x1024xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x1024xf32>, %z[i, l] : tensor<8x1024xf32>) outs([i, l] : tensor<8x1024xf32>)
      attributes {mapping = #cascade.mapping<i: loop x grid(resident), l: cluster(2) x loop x warp(2) x lane(32) x vector(4), keep = [0: l2]>} {
  ^bb0(%e: f32, %ze: f32):
    %p = arith.mulf %e, %ze : f32
    %s = cascade.reduce add %p over (l) : f32
    %d = arith.subf %ze, %s : f32
    %a = math.absf %d : f32
    %t = cascade.reduce max %a over (l) : f32
    %q = arith.divf %e, %t : f32
    cascade.yield %q : f32
  }
  return %y : tensor<8x1024xf32>
}

// The variant for unaligned rows has neither.
// CHECK-LABEL:   gpu.func @dynamic(
// CHECK:           ld.global.nc.L2::cache_hint
// PTX-LABEL: .entry dynamic_unaligned(
// PTX-NOT:     cache_hint
func.func @dynamic(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i, l] : tensor<?x?xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: loop x warp(2) x lane(32) x vector(4), keep = [0: l2]>} {
  ^bb0(%e: f32):
    %s = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %s : f32
    cascade.yield %d : f32
  }
  return %y : tensor<?x?xf32>
}
