// Chains around the softmax, with f32 and with bf16 inputs.
// RUN: cascade-sweep %s --lengths=0,1,2,7,33,127 --rows=1,3 \
// RUN:   --segments=1,2,3,8 --patterns=rand,special | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed
// RUN: cascade-compile %s --explain=json | sed 's/{"name"/\n&/g; s/{"F"/\n&/g' \
// RUN:   | FileCheck %s --check-prefix=JSON

// Softmax, its log-sum-exp and the maximum: three finishes of one pass.
// JSON: "name": "softmax_lse_max"{{.*}}"passes":{"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"separable"{{.*}}"index":1,{{.*}}"rank":1
func.func @softmax_lse_max(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %r0, %r1, %r2 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i, l] : tensor<?x?xf32>, [i] : tensor<?xf32>, [i] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %max = cascade.reduce max %xe over (l) : f32
    %minus = arith.subf %xe, %max : f32
    %exp = math.exp %minus : f32
    %sum = cascade.reduce add %exp over (l) : f32
    %over = arith.divf %exp, %sum : f32
    %log = math.log %sum : f32
    %plus = arith.addf %max, %log : f32
    cascade.yield %over, %plus, %max : f32, f32, f32
  }
  return %r0, %r1, %r2 : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>
}

// JSON: "name": "softmax_lse_max_bf16"{{.*}}"passes":{"l":1}
func.func @softmax_lse_max_bf16(%x: tensor<?x?xbf16>) -> (tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %r0, %r1, %r2 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>)
      outs([i, l] : tensor<?x?xf32>, [i] : tensor<?xf32>, [i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %max = cascade.reduce max %xe over (l) : f32
    %minus = arith.subf %xe, %max : f32
    %exp = math.exp %minus : f32
    %sum = cascade.reduce add %exp over (l) : f32
    %over = arith.divf %exp, %sum : f32
    %log = math.log %sum : f32
    %plus = arith.addf %max, %log : f32
    cascade.yield %over, %plus, %max : f32, f32, f32
  }
  return %r0, %r1, %r2 : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>
}

// The sum of squared softmax weights.
// JSON: "name": "renyi2"{{.*}}"passes":{"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"separable"{{.*}}"index":1,{{.*}}"rank":1
// JSON-NEXT: "class":"separable"{{.*}}"index":2,{{.*}}"rank":1
func.func @renyi2(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %max = cascade.reduce max %xe over (l) : f32
    %minus = arith.subf %xe, %max : f32
    %exp = math.exp %minus : f32
    %sum = cascade.reduce add %exp over (l) : f32
    %over = arith.divf %exp, %sum : f32
    %times = arith.mulf %over, %over : f32
    %sum1 = cascade.reduce add %times over (l) : f32
    cascade.yield %sum1 : f32
  }
  return %r0 : tensor<?xf32>
}

// JSON: "name": "renyi2_bf16"{{.*}}"passes":{"l":1}
func.func @renyi2_bf16(%x: tensor<?x?xbf16>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %max = cascade.reduce max %xe over (l) : f32
    %minus = arith.subf %xe, %max : f32
    %exp = math.exp %minus : f32
    %sum = cascade.reduce add %exp over (l) : f32
    %over = arith.divf %exp, %sum : f32
    %times = arith.mulf %over, %over : f32
    %sum1 = cascade.reduce add %times over (l) : f32
    cascade.yield %sum1 : f32
  }
  return %r0 : tensor<?xf32>
}

// Cross-entropy with label smoothing of 0.1; label 0 is ignored.
// JSON: "name": "cross_entropy_smoothed"{{.*}}"passes":{"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"separable"{{.*}}"index":1,{{.*}}"rank":1
// JSON-NEXT: "class":"independent"{{.*}}"index":2,
// JSON-NEXT: "class":"independent"{{.*}}"index":3,
func.func @cross_entropy_smoothed(%x: tensor<?x?xf32>, %label: tensor<?xi32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %label[i] : tensor<?xi32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32, %labele: i32):
    %max = cascade.reduce max %xe over (l) : f32
    %minus = arith.subf %xe, %max : f32
    %exp = math.exp %minus : f32
    %sum = cascade.reduce add %exp over (l) : f32
    %log = math.log %sum : f32
    %plus = arith.addf %max, %log : f32
    %at = cascade.index l : i32
    %is = arith.cmpi eq, %at, %labele : i32
    %c = arith.constant 0.0 : f32
    %pick = arith.select %is, %xe, %c : f32
    %sum1 = cascade.reduce add %pick over (l) : f32
    %n = cascade.extent l : i32
    %count = arith.sitofp %n : i32 to f32
    %sum2 = cascade.reduce add %xe over (l) : f32
    %over = arith.divf %sum2, %count : f32
    %minus1 = arith.subf %plus, %sum1 : f32
    %minus2 = arith.subf %plus, %over : f32
    %c1 = arith.constant 0.9 : f32
    %times = arith.mulf %minus1, %c1 : f32
    %c2 = arith.constant 0.1 : f32
    %times1 = arith.mulf %minus2, %c2 : f32
    %plus1 = arith.addf %times, %times1 : f32
    %c3 = arith.constant 0 : i32
    %is1 = arith.cmpi ne, %labele, %c3 : i32
    %pick1 = arith.select %is1, %plus1, %c : f32
    cascade.yield %pick1 : f32
  }
  return %r0 : tensor<?xf32>
}

// JSON: "name": "cross_entropy_smoothed_bf16"{{.*}}"passes":{"l":1}
func.func @cross_entropy_smoothed_bf16(%x: tensor<?x?xbf16>, %label: tensor<?xi32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>, %label[i] : tensor<?xi32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16, %labele: i32):
    %xe = arith.extf %xeh : bf16 to f32
    %max = cascade.reduce max %xe over (l) : f32
    %minus = arith.subf %xe, %max : f32
    %exp = math.exp %minus : f32
    %sum = cascade.reduce add %exp over (l) : f32
    %log = math.log %sum : f32
    %plus = arith.addf %max, %log : f32
    %at = cascade.index l : i32
    %is = arith.cmpi eq, %at, %labele : i32
    %c = arith.constant 0.0 : f32
    %pick = arith.select %is, %xe, %c : f32
    %sum1 = cascade.reduce add %pick over (l) : f32
    %n = cascade.extent l : i32
    %count = arith.sitofp %n : i32 to f32
    %sum2 = cascade.reduce add %xe over (l) : f32
    %over = arith.divf %sum2, %count : f32
    %minus1 = arith.subf %plus, %sum1 : f32
    %minus2 = arith.subf %plus, %over : f32
    %c1 = arith.constant 0.9 : f32
    %times = arith.mulf %minus1, %c1 : f32
    %c2 = arith.constant 0.1 : f32
    %times1 = arith.mulf %minus2, %c2 : f32
    %plus1 = arith.addf %times, %times1 : f32
    %c3 = arith.constant 0 : i32
    %is1 = arith.cmpi ne, %labele, %c3 : i32
    %pick1 = arith.select %is1, %plus1, %c : f32
    cascade.yield %pick1 : f32
  }
  return %r0 : tensor<?xf32>
}

// The log-sum-exp of -(q - x)^2 / (2 h^2), h = 1/2.
// JSON: "name": "kernel_density"{{.*}}"passes":{"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"separable"{{.*}}"index":1,{{.*}}"rank":1
func.func @kernel_density(%x: tensor<?x?xf32>, %q: tensor<?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %q[i] : tensor<?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32, %qe: f32):
    %minus = arith.subf %qe, %xe : f32
    %times = arith.mulf %minus, %minus : f32
    %c = arith.constant -2.0 : f32
    %times1 = arith.mulf %times, %c : f32
    %max = cascade.reduce max %times1 over (l) : f32
    %minus1 = arith.subf %times1, %max : f32
    %exp = math.exp %minus1 : f32
    %sum = cascade.reduce add %exp over (l) : f32
    %log = math.log %sum : f32
    %plus = arith.addf %max, %log : f32
    cascade.yield %plus : f32
  }
  return %r0 : tensor<?xf32>
}

// JSON: "name": "kernel_density_bf16"{{.*}}"passes":{"l":1}
func.func @kernel_density_bf16(%x: tensor<?x?xbf16>, %q: tensor<?xbf16>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>, %q[i] : tensor<?xbf16>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16, %qeh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %qe = arith.extf %qeh : bf16 to f32
    %minus = arith.subf %qe, %xe : f32
    %times = arith.mulf %minus, %minus : f32
    %c = arith.constant -2.0 : f32
    %times1 = arith.mulf %times, %c : f32
    %max = cascade.reduce max %times1 over (l) : f32
    %minus1 = arith.subf %times1, %max : f32
    %exp = math.exp %minus1 : f32
    %sum = cascade.reduce add %exp over (l) : f32
    %log = math.log %sum : f32
    %plus = arith.addf %max, %log : f32
    cascade.yield %plus : f32
  }
  return %r0 : tensor<?xf32>
}

// Nothing to fuse.
// JSON: "name": "sigmoid_attention"{{.*}}"passes":{"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
func.func @sigmoid_attention(%x: tensor<?x?xf32>, %v: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %v[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32, %ve: f32):
    %c = arith.constant 1.0 : f32
    %neg = arith.negf %xe : f32
    %exp = math.exp %neg : f32
    %plus = arith.addf %exp, %c : f32
    %over = arith.divf %c, %plus : f32
    %times = arith.mulf %over, %ve : f32
    %sum = cascade.reduce add %times over (l) : f32
    cascade.yield %sum : f32
  }
  return %r0 : tensor<?xf32>
}

// JSON: "name": "sigmoid_attention_bf16"{{.*}}"passes":{"l":1}
func.func @sigmoid_attention_bf16(%x: tensor<?x?xbf16>, %v: tensor<?x?xbf16>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>, %v[i, l] : tensor<?x?xbf16>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16, %veh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %ve = arith.extf %veh : bf16 to f32
    %c = arith.constant 1.0 : f32
    %neg = arith.negf %xe : f32
    %exp = math.exp %neg : f32
    %plus = arith.addf %exp, %c : f32
    %over = arith.divf %c, %plus : f32
    %times = arith.mulf %over, %ve : f32
    %sum = cascade.reduce add %times over (l) : f32
    cascade.yield %sum : f32
  }
  return %r0 : tensor<?xf32>
}

// Two sums and a finish.
// JSON: "name": "linear_attention"{{.*}}"passes":{"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"independent"{{.*}}"index":1,
func.func @linear_attention(%f: tensor<?x?xf32>, %v: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%f[i, l] : tensor<?x?xf32>, %v[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%fe: f32, %ve: f32):
    %times = arith.mulf %fe, %ve : f32
    %sum = cascade.reduce add %times over (l) : f32
    %sum1 = cascade.reduce add %fe over (l) : f32
    %over = arith.divf %sum, %sum1 : f32
    cascade.yield %over : f32
  }
  return %r0 : tensor<?xf32>
}

// JSON: "name": "linear_attention_bf16"{{.*}}"passes":{"l":1}
func.func @linear_attention_bf16(%f: tensor<?x?xbf16>, %v: tensor<?x?xbf16>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%f[i, l] : tensor<?x?xbf16>, %v[i, l] : tensor<?x?xbf16>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%feh: bf16, %veh: bf16):
    %fe = arith.extf %feh : bf16 to f32
    %ve = arith.extf %veh : bf16 to f32
    %times = arith.mulf %fe, %ve : f32
    %sum = cascade.reduce add %times over (l) : f32
    %sum1 = cascade.reduce add %fe over (l) : f32
    %over = arith.divf %sum, %sum1 : f32
    cascade.yield %over : f32
  }
  return %r0 : tensor<?xf32>
}

// D = S p g, then S p (g - D) k.
// JSON: "name": "softmax_backward"{{.*}}"passes":{"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"separable"{{.*}}"index":1,{{.*}}"rank":1
// JSON-NEXT: "class":"separable"{{.*}}"index":2,{{.*}}"rank":1
// JSON-NEXT: "class":"separable"{{.*}}"index":3,{{.*}}"rank":2
func.func @softmax_backward(%x: tensor<?x?xf32>, %g: tensor<?x?xf32>, %k: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %g[i, l] : tensor<?x?xf32>, %k[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32, %ge: f32, %ke: f32):
    %max = cascade.reduce max %xe over (l) : f32
    %minus = arith.subf %xe, %max : f32
    %exp = math.exp %minus : f32
    %sum = cascade.reduce add %exp over (l) : f32
    %over = arith.divf %exp, %sum : f32
    %times = arith.mulf %over, %ge : f32
    %sum1 = cascade.reduce add %times over (l) : f32
    %minus1 = arith.subf %ge, %sum1 : f32
    %times1 = arith.mulf %over, %minus1 : f32
    %times2 = arith.mulf %times1, %ke : f32
    %sum2 = cascade.reduce add %times2 over (l) : f32
    cascade.yield %sum2 : f32
  }
  return %r0 : tensor<?xf32>
}

// JSON: "name": "softmax_backward_bf16"{{.*}}"passes":{"l":1}
func.func @softmax_backward_bf16(%x: tensor<?x?xbf16>, %g: tensor<?x?xbf16>, %k: tensor<?x?xbf16>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>, %g[i, l] : tensor<?x?xbf16>, %k[i, l] : tensor<?x?xbf16>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16, %geh: bf16, %keh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %ge = arith.extf %geh : bf16 to f32
    %ke = arith.extf %keh : bf16 to f32
    %max = cascade.reduce max %xe over (l) : f32
    %minus = arith.subf %xe, %max : f32
    %exp = math.exp %minus : f32
    %sum = cascade.reduce add %exp over (l) : f32
    %over = arith.divf %exp, %sum : f32
    %times = arith.mulf %over, %ge : f32
    %sum1 = cascade.reduce add %times over (l) : f32
    %minus1 = arith.subf %ge, %sum1 : f32
    %times1 = arith.mulf %over, %minus1 : f32
    %times2 = arith.mulf %times1, %ke : f32
    %sum2 = cascade.reduce add %times2 over (l) : f32
    cascade.yield %sum2 : f32
  }
  return %r0 : tensor<?xf32>
}
