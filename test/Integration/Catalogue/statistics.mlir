// Moments, covariance and other sums of centred values.
// RUN: cascade-sweep %s --lengths=0,1,2,7,33,127 --rows=1,3 \
// RUN:   --segments=1,2,3,8 --patterns=rand,special | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed
// RUN: cascade-compile %s --explain=json | sed 's/{"name"/\n&/g; s/{"F"/\n&/g' \
// RUN:   | FileCheck %s --check-prefix=JSON

// Centred power sums to the fourth.
// JSON: "name": "moments"{{.*}}"passes":{"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"separable"{{.*}}"index":1,{{.*}}"rank":3
// JSON-NEXT: "class":"separable"{{.*}}"index":2,{{.*}}"rank":4
// JSON-NEXT: "class":"separable"{{.*}}"index":3,{{.*}}"rank":5
func.func @moments(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %r0, %r1, %r2 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>, [i] : tensor<?xf32>, [i] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %n = cascade.extent l : i32
    %count = arith.sitofp %n : i32 to f32
    %sum = cascade.reduce add %xe over (l) : f32
    %over = arith.divf %sum, %count : f32
    %minus = arith.subf %xe, %over : f32
    %times = arith.mulf %minus, %minus : f32
    %sum1 = cascade.reduce add %times over (l) : f32
    %times1 = arith.mulf %times, %minus : f32
    %sum2 = cascade.reduce add %times1 over (l) : f32
    %times2 = arith.mulf %times, %times : f32
    %sum3 = cascade.reduce add %times2 over (l) : f32
    cascade.yield %sum1, %sum2, %sum3 : f32, f32, f32
  }
  return %r0, %r1, %r2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// JSON: "name": "moments_bf16"{{.*}}"passes":{"l":1}
func.func @moments_bf16(%x: tensor<?x?xbf16>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %r0, %r1, %r2 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>)
      outs([i] : tensor<?xf32>, [i] : tensor<?xf32>, [i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %n = cascade.extent l : i32
    %count = arith.sitofp %n : i32 to f32
    %sum = cascade.reduce add %xe over (l) : f32
    %over = arith.divf %sum, %count : f32
    %minus = arith.subf %xe, %over : f32
    %times = arith.mulf %minus, %minus : f32
    %sum1 = cascade.reduce add %times over (l) : f32
    %times1 = arith.mulf %times, %minus : f32
    %sum2 = cascade.reduce add %times1 over (l) : f32
    %times2 = arith.mulf %times, %times : f32
    %sum3 = cascade.reduce add %times2 over (l) : f32
    cascade.yield %sum1, %sum2, %sum3 : f32, f32, f32
  }
  return %r0, %r1, %r2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// The same with mean 1e3, where raw power sums are useless.
// JSON: "name": "far_moments"{{.*}}"passes":{"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"separable"{{.*}}"index":1,{{.*}}"rank":3
// JSON-NEXT: "class":"separable"{{.*}}"index":2,{{.*}}"rank":4
// JSON-NEXT: "class":"separable"{{.*}}"index":3,{{.*}}"rank":5
func.func @far_moments(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %r0, %r1, %r2 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>, [i] : tensor<?xf32>, [i] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %c = arith.constant 1000.0 : f32
    %plus = arith.addf %xe, %c : f32
    %n = cascade.extent l : i32
    %count = arith.sitofp %n : i32 to f32
    %sum = cascade.reduce add %plus over (l) : f32
    %over = arith.divf %sum, %count : f32
    %minus = arith.subf %plus, %over : f32
    %times = arith.mulf %minus, %minus : f32
    %sum1 = cascade.reduce add %times over (l) : f32
    %times1 = arith.mulf %times, %minus : f32
    %sum2 = cascade.reduce add %times1 over (l) : f32
    %times2 = arith.mulf %times, %times : f32
    %sum3 = cascade.reduce add %times2 over (l) : f32
    cascade.yield %sum1, %sum2, %sum3 : f32, f32, f32
  }
  return %r0, %r1, %r2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// JSON: "name": "far_moments_bf16"{{.*}}"passes":{"l":1}
func.func @far_moments_bf16(%x: tensor<?x?xbf16>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %r0, %r1, %r2 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>)
      outs([i] : tensor<?xf32>, [i] : tensor<?xf32>, [i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %c = arith.constant 1000.0 : f32
    %plus = arith.addf %xe, %c : f32
    %n = cascade.extent l : i32
    %count = arith.sitofp %n : i32 to f32
    %sum = cascade.reduce add %plus over (l) : f32
    %over = arith.divf %sum, %count : f32
    %minus = arith.subf %plus, %over : f32
    %times = arith.mulf %minus, %minus : f32
    %sum1 = cascade.reduce add %times over (l) : f32
    %times1 = arith.mulf %times, %minus : f32
    %sum2 = cascade.reduce add %times1 over (l) : f32
    %times2 = arith.mulf %times, %times : f32
    %sum3 = cascade.reduce add %times2 over (l) : f32
    cascade.yield %sum1, %sum2, %sum3 : f32, f32, f32
  }
  return %r0, %r1, %r2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// Written with standardised values: mu and sigma are of the same pass.
// JSON: "name": "skewness_kurtosis"{{.*}}"passes":{"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"separable"{{.*}}"index":1,{{.*}}"rank":3
// JSON-NEXT: "class":"separable"{{.*}}"index":2,{{.*}}"rank":4
// JSON-NEXT: "class":"separable"{{.*}}"index":3,{{.*}}"rank":5
func.func @skewness_kurtosis(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %r0, %r1 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>, [i] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %n = cascade.extent l : i32
    %count = arith.sitofp %n : i32 to f32
    %sum = cascade.reduce add %xe over (l) : f32
    %over = arith.divf %sum, %count : f32
    %minus = arith.subf %xe, %over : f32
    %times = arith.mulf %minus, %minus : f32
    %sum1 = cascade.reduce add %times over (l) : f32
    %over1 = arith.divf %sum1, %count : f32
    %root = math.sqrt %over1 : f32
    %over2 = arith.divf %minus, %root : f32
    %times1 = arith.mulf %over2, %over2 : f32
    %times2 = arith.mulf %times1, %over2 : f32
    %sum2 = cascade.reduce add %times2 over (l) : f32
    %over3 = arith.divf %sum2, %count : f32
    %times3 = arith.mulf %over2, %over2 : f32
    %times4 = arith.mulf %over2, %over2 : f32
    %times5 = arith.mulf %times3, %times4 : f32
    %sum3 = cascade.reduce add %times5 over (l) : f32
    %over4 = arith.divf %sum3, %count : f32
    cascade.yield %over3, %over4 : f32, f32
  }
  return %r0, %r1 : tensor<?xf32>, tensor<?xf32>
}

// JSON: "name": "skewness_kurtosis_bf16"{{.*}}"passes":{"l":1}
func.func @skewness_kurtosis_bf16(%x: tensor<?x?xbf16>) -> (tensor<?xf32>, tensor<?xf32>) {
  %r0, %r1 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>)
      outs([i] : tensor<?xf32>, [i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %n = cascade.extent l : i32
    %count = arith.sitofp %n : i32 to f32
    %sum = cascade.reduce add %xe over (l) : f32
    %over = arith.divf %sum, %count : f32
    %minus = arith.subf %xe, %over : f32
    %times = arith.mulf %minus, %minus : f32
    %sum1 = cascade.reduce add %times over (l) : f32
    %over1 = arith.divf %sum1, %count : f32
    %root = math.sqrt %over1 : f32
    %over2 = arith.divf %minus, %root : f32
    %times1 = arith.mulf %over2, %over2 : f32
    %times2 = arith.mulf %times1, %over2 : f32
    %sum2 = cascade.reduce add %times2 over (l) : f32
    %over3 = arith.divf %sum2, %count : f32
    %times3 = arith.mulf %over2, %over2 : f32
    %times4 = arith.mulf %over2, %over2 : f32
    %times5 = arith.mulf %times3, %times4 : f32
    %sum3 = cascade.reduce add %times5 over (l) : f32
    %over4 = arith.divf %sum3, %count : f32
    cascade.yield %over3, %over4 : f32, f32
  }
  return %r0, %r1 : tensor<?xf32>, tensor<?xf32>
}

// JSON: "name": "covariance"{{.*}}"passes":{"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"independent"{{.*}}"index":1,
// JSON-NEXT: "class":"separable"{{.*}}"index":2,{{.*}}"rank":4
func.func @covariance(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %y[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32, %ye: f32):
    %n = cascade.extent l : i32
    %count = arith.sitofp %n : i32 to f32
    %sum = cascade.reduce add %xe over (l) : f32
    %over = arith.divf %sum, %count : f32
    %n1 = cascade.extent l : i32
    %count1 = arith.sitofp %n1 : i32 to f32
    %sum1 = cascade.reduce add %ye over (l) : f32
    %over1 = arith.divf %sum1, %count1 : f32
    %minus = arith.subf %xe, %over : f32
    %minus1 = arith.subf %ye, %over1 : f32
    %times = arith.mulf %minus, %minus1 : f32
    %sum2 = cascade.reduce add %times over (l) : f32
    cascade.yield %sum2 : f32
  }
  return %r0 : tensor<?xf32>
}

// JSON: "name": "covariance_bf16"{{.*}}"passes":{"l":1}
func.func @covariance_bf16(%x: tensor<?x?xbf16>, %y: tensor<?x?xbf16>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>, %y[i, l] : tensor<?x?xbf16>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16, %yeh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %ye = arith.extf %yeh : bf16 to f32
    %n = cascade.extent l : i32
    %count = arith.sitofp %n : i32 to f32
    %sum = cascade.reduce add %xe over (l) : f32
    %over = arith.divf %sum, %count : f32
    %n1 = cascade.extent l : i32
    %count1 = arith.sitofp %n1 : i32 to f32
    %sum1 = cascade.reduce add %ye over (l) : f32
    %over1 = arith.divf %sum1, %count1 : f32
    %minus = arith.subf %xe, %over : f32
    %minus1 = arith.subf %ye, %over1 : f32
    %times = arith.mulf %minus, %minus1 : f32
    %sum2 = cascade.reduce add %times over (l) : f32
    cascade.yield %sum2 : f32
  }
  return %r0 : tensor<?xf32>
}

// JSON: "name": "pearson"{{.*}}"passes":{"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"independent"{{.*}}"index":1,
// JSON-NEXT: "class":"separable"{{.*}}"index":2,{{.*}}"rank":3
// JSON-NEXT: "class":"separable"{{.*}}"index":3,{{.*}}"rank":3
// JSON-NEXT: "class":"separable"{{.*}}"index":4,{{.*}}"rank":4
func.func @pearson(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %y[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32, %ye: f32):
    %n = cascade.extent l : i32
    %count = arith.sitofp %n : i32 to f32
    %sum = cascade.reduce add %xe over (l) : f32
    %over = arith.divf %sum, %count : f32
    %minus = arith.subf %xe, %over : f32
    %sum1 = cascade.reduce add %ye over (l) : f32
    %over1 = arith.divf %sum1, %count : f32
    %minus1 = arith.subf %ye, %over1 : f32
    %times = arith.mulf %minus, %minus : f32
    %sum2 = cascade.reduce add %times over (l) : f32
    %times1 = arith.mulf %minus1, %minus1 : f32
    %sum3 = cascade.reduce add %times1 over (l) : f32
    %times2 = arith.mulf %minus, %minus1 : f32
    %sum4 = cascade.reduce add %times2 over (l) : f32
    %times3 = arith.mulf %sum2, %sum3 : f32
    %root = math.sqrt %times3 : f32
    %over2 = arith.divf %sum4, %root : f32
    cascade.yield %over2 : f32
  }
  return %r0 : tensor<?xf32>
}

// JSON: "name": "pearson_bf16"{{.*}}"passes":{"l":1}
func.func @pearson_bf16(%x: tensor<?x?xbf16>, %y: tensor<?x?xbf16>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>, %y[i, l] : tensor<?x?xbf16>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16, %yeh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %ye = arith.extf %yeh : bf16 to f32
    %n = cascade.extent l : i32
    %count = arith.sitofp %n : i32 to f32
    %sum = cascade.reduce add %xe over (l) : f32
    %over = arith.divf %sum, %count : f32
    %minus = arith.subf %xe, %over : f32
    %sum1 = cascade.reduce add %ye over (l) : f32
    %over1 = arith.divf %sum1, %count : f32
    %minus1 = arith.subf %ye, %over1 : f32
    %times = arith.mulf %minus, %minus : f32
    %sum2 = cascade.reduce add %times over (l) : f32
    %times1 = arith.mulf %minus1, %minus1 : f32
    %sum3 = cascade.reduce add %times1 over (l) : f32
    %times2 = arith.mulf %minus, %minus1 : f32
    %sum4 = cascade.reduce add %times2 over (l) : f32
    %times3 = arith.mulf %sum2, %sum3 : f32
    %root = math.sqrt %times3 : f32
    %over2 = arith.divf %sum4, %root : f32
    cascade.yield %over2 : f32
  }
  return %r0 : tensor<?xf32>
}

// hi = lo gives what it gives unfused.
// JSON: "name": "min_max_sum"{{.*}}"passes":{"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"independent"{{.*}}"index":1,
// JSON-NEXT: "class":"separable"{{.*}}"index":2,{{.*}}"rank":3
func.func @min_max_sum(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %max = cascade.reduce max %xe over (l) : f32
    %min = cascade.reduce min %xe over (l) : f32
    %minus = arith.subf %xe, %min : f32
    %minus1 = arith.subf %max, %min : f32
    %over = arith.divf %minus, %minus1 : f32
    %times = arith.mulf %over, %over : f32
    %sum = cascade.reduce add %times over (l) : f32
    cascade.yield %sum : f32
  }
  return %r0 : tensor<?xf32>
}

// JSON: "name": "min_max_sum_bf16"{{.*}}"passes":{"l":1}
func.func @min_max_sum_bf16(%x: tensor<?x?xbf16>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %max = cascade.reduce max %xe over (l) : f32
    %min = cascade.reduce min %xe over (l) : f32
    %minus = arith.subf %xe, %min : f32
    %minus1 = arith.subf %max, %min : f32
    %over = arith.divf %minus, %minus1 : f32
    %times = arith.mulf %over, %over : f32
    %sum = cascade.reduce add %times over (l) : f32
    cascade.yield %sum : f32
  }
  return %r0 : tensor<?xf32>
}

// The logarithm of a product.
// JSON: "name": "log_likelihood"{{.*}}"passes":{"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
func.func @log_likelihood(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %abs = math.absf %xe : f32
    %log = math.log %abs : f32
    %sum = cascade.reduce add %log over (l) : f32
    cascade.yield %sum : f32
  }
  return %r0 : tensor<?xf32>
}

// JSON: "name": "log_likelihood_bf16"{{.*}}"passes":{"l":1}
func.func @log_likelihood_bf16(%x: tensor<?x?xbf16>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %abs = math.absf %xe : f32
    %log = math.log %abs : f32
    %sum = cascade.reduce add %log over (l) : f32
    cascade.yield %sum : f32
  }
  return %r0 : tensor<?xf32>
}
