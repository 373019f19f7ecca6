// Bulk loads of inputs in which another axis is next to the row: a warp's part of
// a tile is all of that axis for each of the warp's rows, one range of memory; the
// length may be known at run time.
// RUN: cascade-opt %s --cascade-fuse --convert-cascade-to-cluster --canonicalize --cse | FileCheck %s
// RUN: cascade-compile %s -o %t && %ptxas -arch=sm_90 %t.ptx -o /dev/null
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: cascade-run %s --device=sim --dim=l=0,1,31,100 --interleavings=4 --patterns=rand,special --check

// Two inputs, three stages, two warps, eight keys of 128 bytes.
// JSON: "shared": 12288

// CHECK-LABEL: gpu.func @scores(
// CHECK-SAME:    workgroup(%[[STAGES:.*]] : memref<768xvector<4xi32>, #gpu.address_space<workgroup>> {cluster.thread_private}, %[[FULL:.*]] : memref<6xi64, #gpu.address_space<workgroup>>
// The keys that there are, of both inputs.
// CHECK:         %[[BYTES:.*]] = arith.muli %{{.*}}, %c256_i32
// CHECK:         cluster.mbarrier.expect_tx %[[FULL]][%{{.*}}], %[[BYTES]]
// CHECK-COUNT-2: cluster.load_async %{{.*}} to %[[STAGES]]
// CHECK:         cluster.warp_barrier
// CHECK:         cluster.mbarrier.wait %[[FULL]]
// CHECK-COUNT-4: memref.load %[[STAGES]]
// CHECK:         cluster.warp_barrier
func.func @scores(%q: tensor<3x64xbf16>, %k: tensor<3x?x64xbf16>, %v: tensor<3x?x64xbf16>) -> tensor<3x64xf32> {
  %o = cascade.chain (h, l, d, e)
      ins(%q[h, d] : tensor<3x64xbf16>, %k[h, l, d] : tensor<3x?x64xbf16>,
          %v[h, l, e] : tensor<3x?x64xbf16>)
      outs([h, e] : tensor<3x64xf32>)
      attributes {mapping = #cascade.mapping<h: grid, l: cluster(2) x loop x warp(2) x reg(2) x lane(4 at 8), d: lane(8 at 1) x vector(8), e: lane(8 at 1) x vector(8), load = [1: bulk(3), 2: bulk(3)]>} {
  ^bb0(%qb: bf16, %kb: bf16, %vb: bf16):
    %qe = arith.extf %qb : bf16 to f32
    %ke = arith.extf %kb : bf16 to f32
    %ve = arith.extf %vb : bf16 to f32
    %qk = arith.mulf %qe, %ke : f32
    %s = cascade.reduce add %qk over (d) : f32
    %m = cascade.reduce max %s over (l) : f32
    %dm = arith.subf %s, %m : f32
    %x = math.exp %dm : f32
    %t = cascade.reduce add %x over (l) : f32
    %p = arith.divf %x, %t : f32
    %w = arith.mulf %p, %ve : f32
    %a = cascade.reduce add %w over (l) : f32
    cascade.yield %a : f32
  }
  return %o : tensor<3x64xf32>
}
