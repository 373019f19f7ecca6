// Scales out of sums of products of narrow numbers, so that these meet as they are in memory.
// RUN: cascade-opt %s --cascade-fuse --verify-roundtrip | FileCheck %s
// RUN: cascade-compile %s --explain=json | sed 's/{"name"/\n&/g' | FileCheck %s --check-prefix=JSON
// RUN: cascade-run %s --entry=scaled --device=cpu --segments=3 --check --dim=l=40 --input=rand --input=special

// Of the dot product both scales are factors behind it; the scale of the values goes to the
// weights, as these are fewer.
// CHECK-LABEL: func.func @scaled
// CHECK:       ^bb0(%[[Q:.*]]: bf16, %[[K:.*]]: f8E4M3FN, %[[V:.*]]: f8E4M3FN, %[[C:.*]]: f32, %[[KS:.*]]: f32, %[[VS:.*]]: f32):
// CHECK-DAG:     %[[QE:.*]] = arith.extf %[[Q]]
// CHECK-DAG:     %[[KE:.*]] = arith.extf %[[K]]
// CHECK-DAG:     %[[VE:.*]] = arith.extf %[[V]]
// CHECK:         %[[QK:.*]] = arith.mulf %[[QE]], %[[KE]] : f32
// CHECK:         %[[SUM:.*]] = cascade.reduce add %[[QK]] over (d) : f32
// CHECK:         %[[SCALE:.*]] = arith.mulf %[[C]], %[[KS]] : f32
// CHECK:         math.absf %[[SCALE]]
// CHECK:         %[[SAFE:.*]] = arith.select %{{.*}}, %[[SCALE]], %{{.*}} : f32
// CHECK:         %[[NONE:.*]] = arith.subf %[[SUM]], %[[SUM]] : f32
// CHECK:         %[[SCALED:.*]] = arith.mulf %[[SUM]], %[[SAFE]] : f32
// CHECK:         %[[S:.*]] = arith.addf %[[SCALED]], %[[NONE]] : f32
// CHECK:         %[[M:.*]] = cascade.reduce max %[[S]] over (l)
// CHECK:         %[[X:.*]] = math.exp
// CHECK:         %[[XS:.*]] = arith.mulf %[[X]], %[[VS]] : f32
// CHECK:         %[[W:.*]] = arith.mulf %[[XS]], %[[VE]] : f32
// CHECK:         cascade.reduce add %[[W]] over (l)
// CHECK:         cascade.yield %{{.*}} replay
// CHECK:       source

// JSON: "name": "scaled"{{.*}}"index":0,"kind":"add","legality":"reassociating"
func.func @scaled(%q: tensor<4x16xbf16>, %k: tensor<?x16xf8E4M3FN>, %v: tensor<?x8xf8E4M3FN>,
    %scale: f32, %kscale: tensor<4xf32>, %vscale: tensor<?xf32>) -> tensor<4x8xf32> {
  %o = cascade.chain (h, l, d, e)
      ins(%q[h, d] : tensor<4x16xbf16>, %k[l, d] : tensor<?x16xf8E4M3FN>,
          %v[l, e] : tensor<?x8xf8E4M3FN>, %scale[] : f32, %kscale[h] : tensor<4xf32>,
          %vscale[l] : tensor<?xf32>)
      outs([h, e] : tensor<4x8xf32>) {
  ^bb0(%qh: bf16, %kh: f8E4M3FN, %vh: f8E4M3FN, %c: f32, %ks: f32, %vs: f32):
    %qe = arith.extf %qh : bf16 to f32
    %ke = arith.extf %kh : f8E4M3FN to f32
    %ve = arith.extf %vh : f8E4M3FN to f32
    %qc = arith.mulf %qe, %c : f32
    %kc = arith.mulf %ke, %ks : f32
    %qk = arith.mulf %qc, %kc : f32
    %s = cascade.reduce add %qk over (d) : f32
    %m = cascade.reduce max %s over (l) : f32
    %dm = arith.subf %s, %m : f32
    %x = math.exp %dm : f32
    %t = cascade.reduce add %x over (l) : f32
    %p = arith.divf %x, %t : f32
    %vc = arith.mulf %ve, %vs : f32
    %w = arith.mulf %p, %vc : f32
    %a = cascade.reduce add %w over (l) : f32
    cascade.yield %a : f32
  }
  return %o : tensor<4x8xf32>
}

// A score that is compared may not become NaN: nothing would see it.
// CHECK-LABEL: func.func @compared
// CHECK:         %[[KC:.*]] = arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK:         %[[QKC:.*]] = arith.mulf %{{.*}}, %[[KC]] : f32
// CHECK:         cascade.reduce add %[[QKC]] over (d) : f32
// JSON: "name": "compared"{{.*}}"index":0,"kind":"add","legality":"bit-exact"
func.func @compared(%q: tensor<4x16xbf16>, %k: tensor<?x16xf8E4M3FN>, %kscale: f32)
    -> tensor<4xf32> {
  %o = cascade.chain (h, l, d)
      ins(%q[h, d] : tensor<4x16xbf16>, %k[l, d] : tensor<?x16xf8E4M3FN>, %kscale[] : f32)
      outs([h] : tensor<4xf32>) {
  ^bb0(%qh: bf16, %kh: f8E4M3FN, %ks: f32):
    %qe = arith.extf %qh : bf16 to f32
    %ke = arith.extf %kh : f8E4M3FN to f32
    %kc = arith.mulf %ke, %ks : f32
    %qk = arith.mulf %qe, %kc : f32
    %s = cascade.reduce add %qk over (d) : f32
    %zero = arith.constant 0.0 : f32
    %in = arith.cmpf ogt, %s, %zero : f32
    %m = cascade.reduce add %s over (l) where %in : f32
    cascade.yield %m : f32
  }
  return %o : tensor<4xf32>
}
