// Sums over softmax weights that use their logarithms or other elements.
// RUN: cascade-sweep %s --lengths=0,1,2,7,33,127 --rows=1,3 \
// RUN:   --segments=1,2,3,8 --patterns=rand,special | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed
// RUN: cascade-compile %s --explain=json | sed 's/{"name"/\n&/g; s/{"F"/\n&/g' \
// RUN:   | FileCheck %s --check-prefix=JSON

// S (p - y)^2 of a softmax p.
// JSON: "name": "brier"{{.*}}"passes":{"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"separable"{{.*}}"index":1,{{.*}}"rank":1
// JSON-NEXT: "class":"separable"{{.*}}"index":2,{{.*}}"rank":3
func.func @brier(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %y[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32, %ye: f32):
    %max = cascade.reduce max %xe over (l) : f32
    %minus = arith.subf %xe, %max : f32
    %exp = math.exp %minus : f32
    %sum = cascade.reduce add %exp over (l) : f32
    %over = arith.divf %exp, %sum : f32
    %minus1 = arith.subf %over, %ye : f32
    %times = arith.mulf %minus1, %minus1 : f32
    %sum1 = cascade.reduce add %times over (l) : f32
    cascade.yield %sum1 : f32
  }
  return %r0 : tensor<?xf32>
}

// JSON: "name": "brier_bf16"{{.*}}"passes":{"l":1}
func.func @brier_bf16(%x: tensor<?x?xbf16>, %y: tensor<?x?xbf16>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>, %y[i, l] : tensor<?x?xbf16>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16, %yeh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %ye = arith.extf %yeh : bf16 to f32
    %max = cascade.reduce max %xe over (l) : f32
    %minus = arith.subf %xe, %max : f32
    %exp = math.exp %minus : f32
    %sum = cascade.reduce add %exp over (l) : f32
    %over = arith.divf %exp, %sum : f32
    %minus1 = arith.subf %over, %ye : f32
    %times = arith.mulf %minus1, %minus1 : f32
    %sum1 = cascade.reduce add %times over (l) : f32
    cascade.yield %sum1 : f32
  }
  return %r0 : tensor<?xf32>
}

// The entropy as log t - S e (x - m) / t.
// JSON: "name": "entropy_by_sums"{{.*}}"passes":{"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"separable"{{.*}}"index":1,{{.*}}"rank":1
// JSON-NEXT: "class":"separable"{{.*}}"index":2,{{.*}}"rank":2
func.func @entropy_by_sums(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %max = cascade.reduce max %xe over (l) : f32
    %minus = arith.subf %xe, %max : f32
    %exp = math.exp %minus : f32
    %sum = cascade.reduce add %exp over (l) : f32
    %log = math.log %sum : f32
    %minus1 = arith.subf %xe, %max : f32
    %times = arith.mulf %exp, %minus1 : f32
    %sum1 = cascade.reduce add %times over (l) : f32
    %over = arith.divf %sum1, %sum : f32
    %minus2 = arith.subf %log, %over : f32
    cascade.yield %minus2 : f32
  }
  return %r0 : tensor<?xf32>
}

// JSON: "name": "entropy_by_sums_bf16"{{.*}}"passes":{"l":1}
func.func @entropy_by_sums_bf16(%x: tensor<?x?xbf16>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %max = cascade.reduce max %xe over (l) : f32
    %minus = arith.subf %xe, %max : f32
    %exp = math.exp %minus : f32
    %sum = cascade.reduce add %exp over (l) : f32
    %log = math.log %sum : f32
    %minus1 = arith.subf %xe, %max : f32
    %times = arith.mulf %exp, %minus1 : f32
    %sum1 = cascade.reduce add %times over (l) : f32
    %over = arith.divf %sum1, %sum : f32
    %minus2 = arith.subf %log, %over : f32
    cascade.yield %minus2 : f32
  }
  return %r0 : tensor<?xf32>
}

// S p log(p / q), the quotient taken literally.
// JSON: "name": "kl_of_quotient"{{.*}}"passes":{"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"separable"{{.*}}"index":1,{{.*}}"rank":1
// JSON-NEXT: "class":"independent"{{.*}}"index":2,
// JSON-NEXT: "class":"separable"{{.*}}"index":3,{{.*}}"rank":1
// JSON-NEXT: "class":"separable"{{.*}}"index":4,{{.*}}"rank":2
func.func @kl_of_quotient(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %y[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32, %ye: f32):
    %max = cascade.reduce max %xe over (l) : f32
    %minus = arith.subf %xe, %max : f32
    %exp = math.exp %minus : f32
    %sum = cascade.reduce add %exp over (l) : f32
    %max1 = cascade.reduce max %ye over (l) : f32
    %minus1 = arith.subf %ye, %max1 : f32
    %exp1 = math.exp %minus1 : f32
    %sum1 = cascade.reduce add %exp1 over (l) : f32
    %over = arith.divf %exp, %sum : f32
    %over1 = arith.divf %exp1, %sum1 : f32
    %over2 = arith.divf %over, %over1 : f32
    %log = math.log %over2 : f32
    %times = arith.mulf %over, %log : f32
    %sum2 = cascade.reduce add %times over (l) : f32
    cascade.yield %sum2 : f32
  }
  return %r0 : tensor<?xf32>
}

// JSON: "name": "kl_of_quotient_bf16"{{.*}}"passes":{"l":1}
func.func @kl_of_quotient_bf16(%x: tensor<?x?xbf16>, %y: tensor<?x?xbf16>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>, %y[i, l] : tensor<?x?xbf16>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16, %yeh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %ye = arith.extf %yeh : bf16 to f32
    %max = cascade.reduce max %xe over (l) : f32
    %minus = arith.subf %xe, %max : f32
    %exp = math.exp %minus : f32
    %sum = cascade.reduce add %exp over (l) : f32
    %max1 = cascade.reduce max %ye over (l) : f32
    %minus1 = arith.subf %ye, %max1 : f32
    %exp1 = math.exp %minus1 : f32
    %sum1 = cascade.reduce add %exp1 over (l) : f32
    %over = arith.divf %exp, %sum : f32
    %over1 = arith.divf %exp1, %sum1 : f32
    %over2 = arith.divf %over, %over1 : f32
    %log = math.log %over2 : f32
    %times = arith.mulf %over, %log : f32
    %sum2 = cascade.reduce add %times over (l) : f32
    cascade.yield %sum2 : f32
  }
  return %r0 : tensor<?xf32>
}
