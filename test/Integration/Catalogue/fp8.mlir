// A scale that is stuck behind a rounding to fp8.
// RUN: cascade-sweep %s --lengths=0,1,2,7,33,127 --rows=1,3 \
// RUN:   --segments=1,2,3,8 --patterns=rand,special | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed
// RUN: cascade-compile %s --explain=json | sed 's/{"name"/\n&/g; s/{"F"/\n&/g' \
// RUN:   | FileCheck %s --check-prefix=JSON

// Rounded to fp8 the scale is stuck behind the rounding: exactly, two passes.
// JSON: "name": "absmax_dot_fp8"{{.*}}"passes":{"l":2}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"refused"{{.*}}"index":1,{{.*}}"rule":"mixed-narrowing-cast"
func.func @absmax_dot_fp8(%x: tensor<?x?xf32>, %w: tensor<?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %w[l] : tensor<?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32, %we: f32):
    %abs = math.absf %xe : f32
    %max = cascade.reduce max %abs over (l) : f32
    %c = arith.constant 448.0 : f32
    %over = arith.divf %c, %max : f32
    %times = arith.mulf %xe, %over : f32
    %q = arith.truncf %times : f32 to f8E4M3FN
    %wide = arith.extf %q : f8E4M3FN to f32
    %times1 = arith.mulf %wide, %we : f32
    %sum = cascade.reduce add %times1 over (l) : f32
    cascade.yield %sum : f32
  }
  return %r0 : tensor<?xf32>
}

// JSON: "name": "absmax_dot_fp8_bf16"{{.*}}"passes":{"l":2}
func.func @absmax_dot_fp8_bf16(%x: tensor<?x?xbf16>, %w: tensor<?xbf16>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>, %w[l] : tensor<?xbf16>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16, %weh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %we = arith.extf %weh : bf16 to f32
    %abs = math.absf %xe : f32
    %max = cascade.reduce max %abs over (l) : f32
    %c = arith.constant 448.0 : f32
    %over = arith.divf %c, %max : f32
    %times = arith.mulf %xe, %over : f32
    %q = arith.truncf %times : f32 to f8E4M3FN
    %wide = arith.extf %q : f8E4M3FN to f32
    %times1 = arith.mulf %wide, %we : f32
    %sum = cascade.reduce add %times1 over (l) : f32
    cascade.yield %sum : f32
  }
  return %r0 : tensor<?xf32>
}
