// Mappings of chains with axes inside the row.
// RUN: cascade-opt %s --split-input-file --cascade-schedule="cluster=1" | FileCheck %s
// RUN: cascade-opt %s --split-input-file --cascade-schedule="cluster=1" \
// RUN:   --remarks-filter-missed=cascade-schedule -o %t 2>&1 | FileCheck %s --check-prefix=REMARK

// More than a warp holds: a tile of it at a time, which a remark says.
// CHECK-LABEL: func.func @long_inner_axis(
// CHECK: i: {{.*}}, l: loop x reg({{[0-9]+}}) x lane(32 at 1) x vector(4)>
// REMARK: axis 'l' is reduced inside axis 'i' and is more than the registers of a warp hold
func.func @long_inner_axis(%x: tensor<8x4096xf32>) -> tensor<f32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([] : tensor<f32>) {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    %m = cascade.reduce max %s over (i) : f32
    cascade.yield %m : f32
  }
  return %y : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @any_inner_axis(
// CHECK: l: loop x reg({{[0-9]+}}) x lane(32 at 1) x vector(4)>
// REMARK: axis 'l' is reduced inside axis 'i' and is more than the registers of a warp hold, or of an extent known only at run time
func.func @any_inner_axis(%x: tensor<8x?xf32>) -> tensor<f32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x?xf32>) outs([] : tensor<f32>) {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    %m = cascade.reduce max %s over (i) : f32
    cascade.yield %m : f32
  }
  return %y : tensor<f32>
}

// -----

// The keys, not the bias, decide which axis has the lanes; heads and queries
// that read the same keys share their loads. The scores are matrix products, and
// the keys of few rows are split over the grid.
// CHECK-LABEL: func.func @shared_keys(
// CHECK: i: grid{{.*}}, h: grid x {{.*}}lane(4 at 1) x reg(2), l: grid({{.*}}lane(8 at 4), d: {{.*}}vector(8), {{.*}}merge = [l: last], contract = [0: mma.m16n8k16]
// REMARK-NOT: axis 'd'
func.func @shared_keys(%q: tensor<8x32x64xbf16>, %k: tensor<65536x64xbf16>, %z: tensor<65536xbf16>) -> tensor<8x32xf32> {
  %y = cascade.chain (i, h, l, d)
      ins(%q[i, h, d] : tensor<8x32x64xbf16>, %k[l, d] : tensor<65536x64xbf16>, %z[l] : tensor<65536xbf16>)
      outs([i, h] : tensor<8x32xf32>) {
  ^bb0(%qh: bf16, %kh: bf16, %zh: bf16):
    %qe = arith.extf %qh : bf16 to f32
    %ke = arith.extf %kh : bf16 to f32
    %ze = arith.extf %zh : bf16 to f32
    %p = arith.mulf %qe, %ke : f32
    %s = cascade.reduce add %p over (d) : f32
    %b = arith.addf %s, %ze : f32
    %m = cascade.reduce max %b over (l) : f32
    cascade.yield %m : f32
  }
  return %y : tensor<8x32xf32>
}
