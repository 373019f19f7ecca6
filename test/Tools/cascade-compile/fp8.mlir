// Absmax quantisation: 8-bit results are rounded two at a time, and R rounds
// its f64 once.
// RUN: cascade-compile %s -o %t --with-reference --cluster=1
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: FileCheck %s --input-file=%t.ref.ptx --check-prefix=REF
// RUN: FileCheck %s --input-file=%t.json --check-prefix=JSON
// REQUIRES: ptxas
// RUN: %ptxas -arch=sm_90 %t.ptx -o /dev/null
// RUN: %ptxas -arch=sm_90 %t.ref.ptx -o /dev/null
// RUN: cascade-compile %S/../../Integration/Catalogue/fp8.mlir -o %t --with-reference
// RUN: %ptxas -arch=sm_90 %t.ptx -o /dev/null
// RUN: %ptxas -arch=sm_90 %t.ref.ptx -o /dev/null
// RUN: cascade-compile %S/../../Integration/Catalogue/approximate.mlir -o %t --with-reference
// RUN: %ptxas -arch=sm_90 %t.ptx -o /dev/null
// RUN: %ptxas -arch=sm_90 %t.ref.ptx -o /dev/null
// RUN: cascade-compile %S/../../Integration/CPU/narrow-types.mlir -o %t --with-reference --cluster=4
// RUN: %ptxas -arch=sm_90 %t.ptx -o /dev/null
// RUN: %ptxas -arch=sm_90 %t.ref.ptx -o /dev/null

// CHECK-LABEL: .entry absmax_quantise(
// CHECK: cvt.rn.satfinite.e4m3x2.f32 %[[P0:rs[0-9]+]],
// CHECK: cvt.rn.satfinite.e4m3x2.f32 %[[P1:rs[0-9]+]],
// CHECK: cvt.rn.satfinite.e4m3x2.f32 %[[P2:rs[0-9]+]],
// CHECK: cvt.rn.satfinite.e4m3x2.f32 %[[P3:rs[0-9]+]],
// CHECK: st.global.v4.b16 {{.*}}, {%[[P0]], %[[P1]], %[[P2]], %[[P3]]};
// REF-LABEL: .entry absmax_quantise_R(
// REF: and.b64 {{.*}}, 536870911;
// REF: cvt.rn.f32.f64 %[[F:r[0-9]+]],
// REF: cvt.rn.satfinite.e4m3x2.f32 {{.*}}, %[[F]];
// JSON: "type": "f8E4M3FN"
func.func @absmax_quantise(%x: tensor<64x4096xbf16>) -> (tensor<64x4096xf8E4M3FN>, tensor<64xf32>) {
  %y, %m = cascade.chain (i, l)
      ins(%x[i, l] : tensor<64x4096xbf16>)
      outs([i, l] : tensor<64x4096xf8E4M3FN>, [i] : tensor<64xf32>) {
  ^bb0(%xe: bf16):
    %f = arith.extf %xe : bf16 to f32
    %a = math.absf %f : f32
    %m = cascade.reduce max %a over (l) : f32
    %c = arith.constant 448.0 : f32
    %s = arith.divf %c, %m : f32
    %t = arith.mulf %f, %s : f32
    %o = arith.truncf %t : f32 to f8E4M3FN
    cascade.yield %o, %m : f8E4M3FN, f32
  }
  return %y, %m : tensor<64x4096xf8E4M3FN>, tensor<64xf32>
}
