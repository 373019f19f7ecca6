// A rounding that is carried past a correction where the chain allows it.
// RUN: cascade-sweep %s --lengths=0,1,2,7,33,127 --rows=1,3 \
// RUN:   --segments=1,2,3,8 --patterns=rand,special --rtol=0.1 | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed
// RUN: cascade-compile %s --explain=json | sed 's/{"name"/\n&/g; s/{"F"/\n&/g' \
// RUN:   | FileCheck %s --check-prefix=JSON

// The rounding is carried past the correction.
// JSON: "name": "rounded_weights_moved"{{.*}}"passes":{"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"separable"{{.*}}"index":1,{{.*}}"rank":1
func.func @rounded_weights_moved(%x: tensor<?x?xf32>, %v: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %v[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>)
      attributes {allow = ["move_rounding"]} {
  ^bb0(%xe: f32, %ve: f32):
    %max = cascade.reduce max %xe over (l) : f32
    %minus = arith.subf %xe, %max : f32
    %exp = math.exp %minus : f32
    %q = arith.truncf %exp : f32 to bf16
    %wide = arith.extf %q : bf16 to f32
    %times = arith.mulf %wide, %ve : f32
    %sum = cascade.reduce add %times over (l) : f32
    cascade.yield %sum : f32
  }
  return %r0 : tensor<?xf32>
}

// JSON: "name": "rounded_weights_moved_bf16"{{.*}}"passes":{"l":1}
func.func @rounded_weights_moved_bf16(%x: tensor<?x?xbf16>, %v: tensor<?x?xbf16>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>, %v[i, l] : tensor<?x?xbf16>)
      outs([i] : tensor<?xf32>)
      attributes {allow = ["move_rounding"]} {
  ^bb0(%xeh: bf16, %veh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %ve = arith.extf %veh : bf16 to f32
    %max = cascade.reduce max %xe over (l) : f32
    %minus = arith.subf %xe, %max : f32
    %exp = math.exp %minus : f32
    %q = arith.truncf %exp : f32 to bf16
    %wide = arith.extf %q : bf16 to f32
    %times = arith.mulf %wide, %ve : f32
    %sum = cascade.reduce add %times over (l) : f32
    cascade.yield %sum : f32
  }
  return %r0 : tensor<?xf32>
}
