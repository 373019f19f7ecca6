// Variants of attention: what is added to the scores, and which keys take part.
// RUN: cascade-sweep %s --lengths=0,1,2,7,33 --rows=1,3 \
// RUN:   --segments=1,2,3,8 --patterns=rand,special | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed
// RUN: cascade-compile %s --explain=json | sed 's/{"name"/\n&/g; s/{"F"/\n&/g' \
// RUN:   | FileCheck %s --check-prefix=JSON

// Soft cap, then a bias linear in the distance (ALiBi).
// JSON: "name": "softcap_alibi"{{.*}}"passes":{"d":1,"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"independent"{{.*}}"index":1,
// JSON-NEXT: "class":"separable"{{.*}}"index":2,{{.*}}"rank":1
// JSON-NEXT: "class":"separable"{{.*}}"index":3,{{.*}}"rank":1
func.func @softcap_alibi(%q: tensor<2x4xf32>, %k: tensor<2x?x4xf32>, %v: tensor<2x?x4xf32>) -> tensor<2x4xf32> {
  %r0 = cascade.chain (h, l, d, e)
      ins(%q[h, d] : tensor<2x4xf32>, %k[h, l, d] : tensor<2x?x4xf32>, %v[h, l, e] : tensor<2x?x4xf32>)
      outs([h, e] : tensor<2x4xf32>) {
  ^bb0(%qe: f32, %ke: f32, %ve: f32):
    %times = arith.mulf %qe, %ke : f32
    %sum = cascade.reduce add %times over (d) : f32
    %c = arith.constant 0.5 : f32
    %times1 = arith.mulf %sum, %c : f32
    %c1 = arith.constant 20.0 : f32
    %over = arith.divf %times1, %c1 : f32
    %tanh = math.tanh %over : f32
    %times2 = arith.mulf %tanh, %c1 : f32
    %n = cascade.extent l : i32
    %at = cascade.index l : i32
    %int = arith.subi %n, %at : i32
    %float = arith.sitofp %int : i32 to f32
    %c2 = arith.constant 0.0625 : f32
    %times3 = arith.mulf %float, %c2 : f32
    %minus = arith.subf %times2, %times3 : f32
    %max = cascade.reduce max %minus over (l) : f32
    %minus1 = arith.subf %minus, %max : f32
    %exp = math.exp %minus1 : f32
    %sum1 = cascade.reduce add %exp over (l) : f32
    %over1 = arith.divf %exp, %sum1 : f32
    %times4 = arith.mulf %over1, %ve : f32
    %sum2 = cascade.reduce add %times4 over (l) : f32
    cascade.yield %sum2 : f32
  }
  return %r0 : tensor<2x4xf32>
}

// JSON: "name": "softcap_alibi_bf16"{{.*}}"passes":{"d":1,"l":1}
func.func @softcap_alibi_bf16(%q: tensor<2x4xbf16>, %k: tensor<2x?x4xbf16>, %v: tensor<2x?x4xbf16>) -> tensor<2x4xf32> {
  %r0 = cascade.chain (h, l, d, e)
      ins(%q[h, d] : tensor<2x4xbf16>, %k[h, l, d] : tensor<2x?x4xbf16>, %v[h, l, e] : tensor<2x?x4xbf16>)
      outs([h, e] : tensor<2x4xf32>) {
  ^bb0(%qeh: bf16, %keh: bf16, %veh: bf16):
    %qe = arith.extf %qeh : bf16 to f32
    %ke = arith.extf %keh : bf16 to f32
    %ve = arith.extf %veh : bf16 to f32
    %times = arith.mulf %qe, %ke : f32
    %sum = cascade.reduce add %times over (d) : f32
    %c = arith.constant 0.5 : f32
    %times1 = arith.mulf %sum, %c : f32
    %c1 = arith.constant 20.0 : f32
    %over = arith.divf %times1, %c1 : f32
    %tanh = math.tanh %over : f32
    %times2 = arith.mulf %tanh, %c1 : f32
    %n = cascade.extent l : i32
    %at = cascade.index l : i32
    %int = arith.subi %n, %at : i32
    %float = arith.sitofp %int : i32 to f32
    %c2 = arith.constant 0.0625 : f32
    %times3 = arith.mulf %float, %c2 : f32
    %minus = arith.subf %times2, %times3 : f32
    %max = cascade.reduce max %minus over (l) : f32
    %minus1 = arith.subf %minus, %max : f32
    %exp = math.exp %minus1 : f32
    %sum1 = cascade.reduce add %exp over (l) : f32
    %over1 = arith.divf %exp, %sum1 : f32
    %times4 = arith.mulf %over1, %ve : f32
    %sum2 = cascade.reduce add %times4 over (l) : f32
    cascade.yield %sum2 : f32
  }
  return %r0 : tensor<2x4xf32>
}

// A bias per key.
// JSON: "name": "bias"{{.*}}"passes":{"d":1,"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"independent"{{.*}}"index":1,
// JSON-NEXT: "class":"separable"{{.*}}"index":2,{{.*}}"rank":1
// JSON-NEXT: "class":"separable"{{.*}}"index":3,{{.*}}"rank":1
func.func @bias(%q: tensor<2x4xf32>, %k: tensor<2x?x4xf32>, %v: tensor<2x?x4xf32>, %z: tensor<2x?xf32>) -> tensor<2x4xf32> {
  %r0 = cascade.chain (h, l, d, e)
      ins(%q[h, d] : tensor<2x4xf32>, %k[h, l, d] : tensor<2x?x4xf32>, %v[h, l, e] : tensor<2x?x4xf32>, %z[h, l] : tensor<2x?xf32>)
      outs([h, e] : tensor<2x4xf32>) {
  ^bb0(%qe: f32, %ke: f32, %ve: f32, %ze: f32):
    %times = arith.mulf %qe, %ke : f32
    %sum = cascade.reduce add %times over (d) : f32
    %c = arith.constant 0.5 : f32
    %times1 = arith.mulf %sum, %c : f32
    %plus = arith.addf %times1, %ze : f32
    %max = cascade.reduce max %plus over (l) : f32
    %minus = arith.subf %plus, %max : f32
    %exp = math.exp %minus : f32
    %sum1 = cascade.reduce add %exp over (l) : f32
    %over = arith.divf %exp, %sum1 : f32
    %times2 = arith.mulf %over, %ve : f32
    %sum2 = cascade.reduce add %times2 over (l) : f32
    cascade.yield %sum2 : f32
  }
  return %r0 : tensor<2x4xf32>
}

// JSON: "name": "bias_bf16"{{.*}}"passes":{"d":1,"l":1}
func.func @bias_bf16(%q: tensor<2x4xbf16>, %k: tensor<2x?x4xbf16>, %v: tensor<2x?x4xbf16>, %z: tensor<2x?xbf16>) -> tensor<2x4xf32> {
  %r0 = cascade.chain (h, l, d, e)
      ins(%q[h, d] : tensor<2x4xbf16>, %k[h, l, d] : tensor<2x?x4xbf16>, %v[h, l, e] : tensor<2x?x4xbf16>, %z[h, l] : tensor<2x?xbf16>)
      outs([h, e] : tensor<2x4xf32>) {
  ^bb0(%qeh: bf16, %keh: bf16, %veh: bf16, %zeh: bf16):
    %qe = arith.extf %qeh : bf16 to f32
    %ke = arith.extf %keh : bf16 to f32
    %ve = arith.extf %veh : bf16 to f32
    %ze = arith.extf %zeh : bf16 to f32
    %times = arith.mulf %qe, %ke : f32
    %sum = cascade.reduce add %times over (d) : f32
    %c = arith.constant 0.5 : f32
    %times1 = arith.mulf %sum, %c : f32
    %plus = arith.addf %times1, %ze : f32
    %max = cascade.reduce max %plus over (l) : f32
    %minus = arith.subf %plus, %max : f32
    %exp = math.exp %minus : f32
    %sum1 = cascade.reduce add %exp over (l) : f32
    %over = arith.divf %exp, %sum1 : f32
    %times2 = arith.mulf %over, %ve : f32
    %sum2 = cascade.reduce add %times2 over (l) : f32
    cascade.yield %sum2 : f32
  }
  return %r0 : tensor<2x4xf32>
}

// A quarter of the weights is dropped by a hash of the index.
// JSON: "name": "dropout"{{.*}}"passes":{"d":1,"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"independent"{{.*}}"index":1,
// JSON-NEXT: "class":"separable"{{.*}}"index":2,{{.*}}"rank":1
// JSON-NEXT: "class":"separable"{{.*}}"index":3,{{.*}}"rank":1
func.func @dropout(%q: tensor<2x4xf32>, %k: tensor<2x?x4xf32>, %v: tensor<2x?x4xf32>) -> tensor<2x4xf32> {
  %r0 = cascade.chain (h, l, d, e)
      ins(%q[h, d] : tensor<2x4xf32>, %k[h, l, d] : tensor<2x?x4xf32>, %v[h, l, e] : tensor<2x?x4xf32>)
      outs([h, e] : tensor<2x4xf32>) {
  ^bb0(%qe: f32, %ke: f32, %ve: f32):
    %times = arith.mulf %qe, %ke : f32
    %sum = cascade.reduce add %times over (d) : f32
    %c = arith.constant 0.5 : f32
    %times1 = arith.mulf %sum, %c : f32
    %max = cascade.reduce max %times1 over (l) : f32
    %minus = arith.subf %times1, %max : f32
    %exp = math.exp %minus : f32
    %sum1 = cascade.reduce add %exp over (l) : f32
    %at = cascade.index l : i32
    %c1 = arith.constant -1640531535 : i32
    %int = arith.muli %at, %c1 : i32
    %c2 = arith.constant 30 : i32
    %int1 = arith.shrui %int, %c2 : i32
    %c3 = arith.constant 0 : i32
    %is = arith.cmpi ne, %int1, %c3 : i32
    %over = arith.divf %exp, %sum1 : f32
    %c4 = arith.constant 1.3333334 : f32
    %times2 = arith.mulf %over, %c4 : f32
    %c5 = arith.constant 0.0 : f32
    %pick = arith.select %is, %times2, %c5 : f32
    %times3 = arith.mulf %pick, %ve : f32
    %sum2 = cascade.reduce add %times3 over (l) : f32
    cascade.yield %sum2 : f32
  }
  return %r0 : tensor<2x4xf32>
}

// JSON: "name": "dropout_bf16"{{.*}}"passes":{"d":1,"l":1}
func.func @dropout_bf16(%q: tensor<2x4xbf16>, %k: tensor<2x?x4xbf16>, %v: tensor<2x?x4xbf16>) -> tensor<2x4xf32> {
  %r0 = cascade.chain (h, l, d, e)
      ins(%q[h, d] : tensor<2x4xbf16>, %k[h, l, d] : tensor<2x?x4xbf16>, %v[h, l, e] : tensor<2x?x4xbf16>)
      outs([h, e] : tensor<2x4xf32>) {
  ^bb0(%qeh: bf16, %keh: bf16, %veh: bf16):
    %qe = arith.extf %qeh : bf16 to f32
    %ke = arith.extf %keh : bf16 to f32
    %ve = arith.extf %veh : bf16 to f32
    %times = arith.mulf %qe, %ke : f32
    %sum = cascade.reduce add %times over (d) : f32
    %c = arith.constant 0.5 : f32
    %times1 = arith.mulf %sum, %c : f32
    %max = cascade.reduce max %times1 over (l) : f32
    %minus = arith.subf %times1, %max : f32
    %exp = math.exp %minus : f32
    %sum1 = cascade.reduce add %exp over (l) : f32
    %at = cascade.index l : i32
    %c1 = arith.constant -1640531535 : i32
    %int = arith.muli %at, %c1 : i32
    %c2 = arith.constant 30 : i32
    %int1 = arith.shrui %int, %c2 : i32
    %c3 = arith.constant 0 : i32
    %is = arith.cmpi ne, %int1, %c3 : i32
    %over = arith.divf %exp, %sum1 : f32
    %c4 = arith.constant 1.3333334 : f32
    %times2 = arith.mulf %over, %c4 : f32
    %c5 = arith.constant 0.0 : f32
    %pick = arith.select %is, %times2, %c5 : f32
    %times3 = arith.mulf %pick, %ve : f32
    %sum2 = cascade.reduce add %times3 over (l) : f32
    cascade.yield %sum2 : f32
  }
  return %r0 : tensor<2x4xf32>
}

// The last five keys up to a length.
// JSON: "name": "sliding_window"{{.*}}"passes":{"d":1,"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"independent"{{.*}}"index":1,
// JSON-NEXT: "class":"separable"{{.*}}"index":2,{{.*}}"rank":1
// JSON-NEXT: "class":"separable"{{.*}}"index":3,{{.*}}"rank":1
func.func @sliding_window(%q: tensor<2x4xf32>, %k: tensor<2x?x4xf32>, %v: tensor<2x?x4xf32>, %len: tensor<2xi32>) -> tensor<2x4xf32> {
  %r0 = cascade.chain (h, l, d, e)
      ins(%q[h, d] : tensor<2x4xf32>, %k[h, l, d] : tensor<2x?x4xf32>, %v[h, l, e] : tensor<2x?x4xf32>, %len[h] : tensor<2xi32>)
      outs([h, e] : tensor<2x4xf32>) {
  ^bb0(%qe: f32, %ke: f32, %ve: f32, %lene: i32):
    %at = cascade.index l : i32
    %c = arith.constant 5 : i32
    %int = arith.subi %lene, %c : i32
    %is = arith.cmpi slt, %at, %lene : i32
    %is1 = arith.cmpi sge, %at, %int : i32
    %both = arith.andi %is, %is1 : i1
    %times = arith.mulf %qe, %ke : f32
    %sum = cascade.reduce add %times over (d) : f32
    %c1 = arith.constant 0.5 : f32
    %times1 = arith.mulf %sum, %c1 : f32
    %max = cascade.reduce max %times1 over (l) where %both : f32
    %minus = arith.subf %times1, %max : f32
    %exp = math.exp %minus : f32
    %sum1 = cascade.reduce add %exp over (l) where %both : f32
    %over = arith.divf %exp, %sum1 : f32
    %times2 = arith.mulf %over, %ve : f32
    %sum2 = cascade.reduce add %times2 over (l) where %both : f32
    cascade.yield %sum2 : f32
  }
  return %r0 : tensor<2x4xf32>
}

// JSON: "name": "sliding_window_bf16"{{.*}}"passes":{"d":1,"l":1}
func.func @sliding_window_bf16(%q: tensor<2x4xbf16>, %k: tensor<2x?x4xbf16>, %v: tensor<2x?x4xbf16>, %len: tensor<2xi32>) -> tensor<2x4xf32> {
  %r0 = cascade.chain (h, l, d, e)
      ins(%q[h, d] : tensor<2x4xbf16>, %k[h, l, d] : tensor<2x?x4xbf16>, %v[h, l, e] : tensor<2x?x4xbf16>, %len[h] : tensor<2xi32>)
      outs([h, e] : tensor<2x4xf32>) {
  ^bb0(%qeh: bf16, %keh: bf16, %veh: bf16, %lene: i32):
    %qe = arith.extf %qeh : bf16 to f32
    %ke = arith.extf %keh : bf16 to f32
    %ve = arith.extf %veh : bf16 to f32
    %at = cascade.index l : i32
    %c = arith.constant 5 : i32
    %int = arith.subi %lene, %c : i32
    %is = arith.cmpi slt, %at, %lene : i32
    %is1 = arith.cmpi sge, %at, %int : i32
    %both = arith.andi %is, %is1 : i1
    %times = arith.mulf %qe, %ke : f32
    %sum = cascade.reduce add %times over (d) : f32
    %c1 = arith.constant 0.5 : f32
    %times1 = arith.mulf %sum, %c1 : f32
    %max = cascade.reduce max %times1 over (l) where %both : f32
    %minus = arith.subf %times1, %max : f32
    %exp = math.exp %minus : f32
    %sum1 = cascade.reduce add %exp over (l) where %both : f32
    %over = arith.divf %exp, %sum1 : f32
    %times2 = arith.mulf %over, %ve : f32
    %sum2 = cascade.reduce add %times2 over (l) where %both : f32
    cascade.yield %sum2 : f32
  }
  return %r0 : tensor<2x4xf32>
}

// Causal, aligned at the bottom right; fewer keys than queries leave rows without any.
// JSON: "name": "causal"{{.*}}"passes":{"d":1,"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"independent"{{.*}}"index":1,
// JSON-NEXT: "class":"separable"{{.*}}"index":2,{{.*}}"rank":1
// JSON-NEXT: "class":"separable"{{.*}}"index":3,{{.*}}"rank":1
func.func @causal(%q: tensor<?x4xf32>, %k: tensor<?x4xf32>, %v: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %r0 = cascade.chain (i, l, d, e)
      ins(%q[i, d] : tensor<?x4xf32>, %k[l, d] : tensor<?x4xf32>, %v[l, e] : tensor<?x4xf32>)
      outs([i, e] : tensor<?x4xf32>) {
  ^bb0(%qe: f32, %ke: f32, %ve: f32):
    %n = cascade.extent l : i32
    %rows = cascade.extent i : i32
    %int = arith.subi %n, %rows : i32
    %at = cascade.index i : i32
    %int1 = arith.addi %at, %int : i32
    %at1 = cascade.index l : i32
    %is = arith.cmpi sle, %at1, %int1 : i32
    %times = arith.mulf %qe, %ke : f32
    %sum = cascade.reduce add %times over (d) : f32
    %c = arith.constant 0.5 : f32
    %times1 = arith.mulf %sum, %c : f32
    %max = cascade.reduce max %times1 over (l) where %is : f32
    %minus = arith.subf %times1, %max : f32
    %exp = math.exp %minus : f32
    %sum1 = cascade.reduce add %exp over (l) where %is : f32
    %over = arith.divf %exp, %sum1 : f32
    %times2 = arith.mulf %over, %ve : f32
    %sum2 = cascade.reduce add %times2 over (l) where %is : f32
    cascade.yield %sum2 : f32
  }
  return %r0 : tensor<?x4xf32>
}

// JSON: "name": "causal_bf16"{{.*}}"passes":{"d":1,"l":1}
func.func @causal_bf16(%q: tensor<?x4xbf16>, %k: tensor<?x4xbf16>, %v: tensor<?x4xbf16>) -> tensor<?x4xf32> {
  %r0 = cascade.chain (i, l, d, e)
      ins(%q[i, d] : tensor<?x4xbf16>, %k[l, d] : tensor<?x4xbf16>, %v[l, e] : tensor<?x4xbf16>)
      outs([i, e] : tensor<?x4xf32>) {
  ^bb0(%qeh: bf16, %keh: bf16, %veh: bf16):
    %qe = arith.extf %qeh : bf16 to f32
    %ke = arith.extf %keh : bf16 to f32
    %ve = arith.extf %veh : bf16 to f32
    %n = cascade.extent l : i32
    %rows = cascade.extent i : i32
    %int = arith.subi %n, %rows : i32
    %at = cascade.index i : i32
    %int1 = arith.addi %at, %int : i32
    %at1 = cascade.index l : i32
    %is = arith.cmpi sle, %at1, %int1 : i32
    %times = arith.mulf %qe, %ke : f32
    %sum = cascade.reduce add %times over (d) : f32
    %c = arith.constant 0.5 : f32
    %times1 = arith.mulf %sum, %c : f32
    %max = cascade.reduce max %times1 over (l) where %is : f32
    %minus = arith.subf %times1, %max : f32
    %exp = math.exp %minus : f32
    %sum1 = cascade.reduce add %exp over (l) where %is : f32
    %over = arith.divf %exp, %sum1 : f32
    %times2 = arith.mulf %over, %ve : f32
    %sum2 = cascade.reduce add %times2 over (l) where %is : f32
    cascade.yield %sum2 : f32
  }
  return %r0 : tensor<?x4xf32>
}

// Only the keys of the query's document.
// JSON: "name": "document_mask"{{.*}}"passes":{"d":1,"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"independent"{{.*}}"index":1,
// JSON-NEXT: "class":"separable"{{.*}}"index":2,{{.*}}"rank":1
// JSON-NEXT: "class":"separable"{{.*}}"index":3,{{.*}}"rank":1
func.func @document_mask(%q: tensor<2x4xf32>, %k: tensor<2x?x4xf32>, %v: tensor<2x?x4xf32>, %doc: tensor<?xi32>, %mine: tensor<2xi32>) -> tensor<2x4xf32> {
  %r0 = cascade.chain (h, l, d, e)
      ins(%q[h, d] : tensor<2x4xf32>, %k[h, l, d] : tensor<2x?x4xf32>, %v[h, l, e] : tensor<2x?x4xf32>, %doc[l] : tensor<?xi32>, %mine[h] : tensor<2xi32>)
      outs([h, e] : tensor<2x4xf32>) {
  ^bb0(%qe: f32, %ke: f32, %ve: f32, %doce: i32, %minee: i32):
    %times = arith.mulf %qe, %ke : f32
    %sum = cascade.reduce add %times over (d) : f32
    %c = arith.constant 0.5 : f32
    %times1 = arith.mulf %sum, %c : f32
    %is = arith.cmpi eq, %doce, %minee : i32
    %max = cascade.reduce max %times1 over (l) where %is : f32
    %minus = arith.subf %times1, %max : f32
    %exp = math.exp %minus : f32
    %sum1 = cascade.reduce add %exp over (l) where %is : f32
    %over = arith.divf %exp, %sum1 : f32
    %times2 = arith.mulf %over, %ve : f32
    %sum2 = cascade.reduce add %times2 over (l) where %is : f32
    cascade.yield %sum2 : f32
  }
  return %r0 : tensor<2x4xf32>
}

// JSON: "name": "document_mask_bf16"{{.*}}"passes":{"d":1,"l":1}
func.func @document_mask_bf16(%q: tensor<2x4xbf16>, %k: tensor<2x?x4xbf16>, %v: tensor<2x?x4xbf16>, %doc: tensor<?xi32>, %mine: tensor<2xi32>) -> tensor<2x4xf32> {
  %r0 = cascade.chain (h, l, d, e)
      ins(%q[h, d] : tensor<2x4xbf16>, %k[h, l, d] : tensor<2x?x4xbf16>, %v[h, l, e] : tensor<2x?x4xbf16>, %doc[l] : tensor<?xi32>, %mine[h] : tensor<2xi32>)
      outs([h, e] : tensor<2x4xf32>) {
  ^bb0(%qeh: bf16, %keh: bf16, %veh: bf16, %doce: i32, %minee: i32):
    %qe = arith.extf %qeh : bf16 to f32
    %ke = arith.extf %keh : bf16 to f32
    %ve = arith.extf %veh : bf16 to f32
    %times = arith.mulf %qe, %ke : f32
    %sum = cascade.reduce add %times over (d) : f32
    %c = arith.constant 0.5 : f32
    %times1 = arith.mulf %sum, %c : f32
    %is = arith.cmpi eq, %doce, %minee : i32
    %max = cascade.reduce max %times1 over (l) where %is : f32
    %minus = arith.subf %times1, %max : f32
    %exp = math.exp %minus : f32
    %sum1 = cascade.reduce add %exp over (l) where %is : f32
    %over = arith.divf %exp, %sum1 : f32
    %times2 = arith.mulf %over, %ve : f32
    %sum2 = cascade.reduce add %times2 over (l) where %is : f32
    cascade.yield %sum2 : f32
  }
  return %r0 : tensor<2x4xf32>
}

// A sink logit takes part in the maximum and, once, in the denominator.
// JSON: "name": "attention_sink"{{.*}}"passes":{"d":1,"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"independent"{{.*}}"index":1,
// JSON-NEXT: "class":"separable"{{.*}}"index":2,{{.*}}"rank":1
// JSON-NEXT: "class":"separable"{{.*}}"index":3,{{.*}}"rank":1
func.func @attention_sink(%q: tensor<2x4xf32>, %k: tensor<2x?x4xf32>, %v: tensor<2x?x4xf32>, %g: tensor<2xf32>) -> tensor<2x4xf32> {
  %r0 = cascade.chain (h, l, d, e)
      ins(%q[h, d] : tensor<2x4xf32>, %k[h, l, d] : tensor<2x?x4xf32>, %v[h, l, e] : tensor<2x?x4xf32>, %g[h] : tensor<2xf32>)
      outs([h, e] : tensor<2x4xf32>) {
  ^bb0(%qe: f32, %ke: f32, %ve: f32, %ge: f32):
    %times = arith.mulf %qe, %ke : f32
    %sum = cascade.reduce add %times over (d) : f32
    %c = arith.constant 0.5 : f32
    %times1 = arith.mulf %sum, %c : f32
    %max = cascade.reduce max %times1 over (l) : f32
    %larger = arith.maximumf %max, %ge : f32
    %minus = arith.subf %times1, %larger : f32
    %exp = math.exp %minus : f32
    %sum1 = cascade.reduce add %exp over (l) : f32
    %minus1 = arith.subf %ge, %larger : f32
    %exp1 = math.exp %minus1 : f32
    %plus = arith.addf %sum1, %exp1 : f32
    %over = arith.divf %exp, %plus : f32
    %times2 = arith.mulf %over, %ve : f32
    %sum2 = cascade.reduce add %times2 over (l) : f32
    cascade.yield %sum2 : f32
  }
  return %r0 : tensor<2x4xf32>
}

// JSON: "name": "attention_sink_bf16"{{.*}}"passes":{"d":1,"l":1}
func.func @attention_sink_bf16(%q: tensor<2x4xbf16>, %k: tensor<2x?x4xbf16>, %v: tensor<2x?x4xbf16>, %g: tensor<2xbf16>) -> tensor<2x4xf32> {
  %r0 = cascade.chain (h, l, d, e)
      ins(%q[h, d] : tensor<2x4xbf16>, %k[h, l, d] : tensor<2x?x4xbf16>, %v[h, l, e] : tensor<2x?x4xbf16>, %g[h] : tensor<2xbf16>)
      outs([h, e] : tensor<2x4xf32>) {
  ^bb0(%qeh: bf16, %keh: bf16, %veh: bf16, %geh: bf16):
    %qe = arith.extf %qeh : bf16 to f32
    %ke = arith.extf %keh : bf16 to f32
    %ve = arith.extf %veh : bf16 to f32
    %ge = arith.extf %geh : bf16 to f32
    %times = arith.mulf %qe, %ke : f32
    %sum = cascade.reduce add %times over (d) : f32
    %c = arith.constant 0.5 : f32
    %times1 = arith.mulf %sum, %c : f32
    %max = cascade.reduce max %times1 over (l) : f32
    %larger = arith.maximumf %max, %ge : f32
    %minus = arith.subf %times1, %larger : f32
    %exp = math.exp %minus : f32
    %sum1 = cascade.reduce add %exp over (l) : f32
    %minus1 = arith.subf %ge, %larger : f32
    %exp1 = math.exp %minus1 : f32
    %plus = arith.addf %sum1, %exp1 : f32
    %over = arith.divf %exp, %plus : f32
    %times2 = arith.mulf %over, %ve : f32
    %sum2 = cascade.reduce add %times2 over (l) : f32
    cascade.yield %sum2 : f32
  }
  return %r0 : tensor<2x4xf32>
}
