// What takes a second pass, and looks as if it might not: same numbers, two passes.
// RUN: cascade-sweep %s --lengths=0,1,2,7,33,127 --rows=1,3 \
// RUN:   --segments=1,2,3,8 --patterns=rand,special | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed
// RUN: cascade-compile %s --explain=json | sed 's/{"name"/\n&/g; s/{"F"/\n&/g' \
// RUN:   | FileCheck %s --check-prefix=JSON

// JSON: "name": "mean_absolute_deviation"{{.*}}"passes":{"l":2}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"refused"{{.*}}"index":1,{{.*}}"rule":"not-separable"
func.func @mean_absolute_deviation(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %n = cascade.extent l : i32
    %count = arith.sitofp %n : i32 to f32
    %sum = cascade.reduce add %xe over (l) : f32
    %over = arith.divf %sum, %count : f32
    %minus = arith.subf %xe, %over : f32
    %abs = math.absf %minus : f32
    %sum1 = cascade.reduce add %abs over (l) : f32
    cascade.yield %sum1 : f32
  }
  return %r0 : tensor<?xf32>
}

// JSON: "name": "mean_absolute_deviation_bf16"{{.*}}"passes":{"l":2}
func.func @mean_absolute_deviation_bf16(%x: tensor<?x?xbf16>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %n = cascade.extent l : i32
    %count = arith.sitofp %n : i32 to f32
    %sum = cascade.reduce add %xe over (l) : f32
    %over = arith.divf %sum, %count : f32
    %minus = arith.subf %xe, %over : f32
    %abs = math.absf %minus : f32
    %sum1 = cascade.reduce add %abs over (l) : f32
    cascade.yield %sum1 : f32
  }
  return %r0 : tensor<?xf32>
}

// Looks like a softmax; sigma divides the element inside the exponential.
// JSON: "name": "standardised_softmax"{{.*}}"passes":{"l":2}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"separable"{{.*}}"index":1,{{.*}}"rank":3
// JSON-NEXT: "class":"separable"{{.*}}"index":2,{{.*}}"rank":1
// JSON-NEXT: "class":"refused"{{.*}}"index":3,{{.*}}"rule":"not-separable"
func.func @standardised_softmax(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %n = cascade.extent l : i32
    %count = arith.sitofp %n : i32 to f32
    %sum = cascade.reduce add %xe over (l) : f32
    %over = arith.divf %sum, %count : f32
    %minus = arith.subf %xe, %over : f32
    %times = arith.mulf %minus, %minus : f32
    %sum1 = cascade.reduce add %times over (l) : f32
    %over1 = arith.divf %sum1, %count : f32
    %c = arith.constant 1.0e-05 : f32
    %plus = arith.addf %over1, %c : f32
    %root = math.sqrt %plus : f32
    %over2 = arith.divf %minus, %root : f32
    %max = cascade.reduce max %over2 over (l) : f32
    %minus1 = arith.subf %over2, %max : f32
    %exp = math.exp %minus1 : f32
    %sum2 = cascade.reduce add %exp over (l) : f32
    cascade.yield %sum2 : f32
  }
  return %r0 : tensor<?xf32>
}

// JSON: "name": "standardised_softmax_bf16"{{.*}}"passes":{"l":2}
func.func @standardised_softmax_bf16(%x: tensor<?x?xbf16>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>)
      outs([i] : tensor<?xf32>) {
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
    %c = arith.constant 1.0e-05 : f32
    %plus = arith.addf %over1, %c : f32
    %root = math.sqrt %plus : f32
    %over2 = arith.divf %minus, %root : f32
    %max = cascade.reduce max %over2 over (l) : f32
    %minus1 = arith.subf %over2, %max : f32
    %exp = math.exp %minus1 : f32
    %sum2 = cascade.reduce add %exp over (l) : f32
    cascade.yield %sum2 : f32
  }
  return %r0 : tensor<?xf32>
}

// A hinge of an earlier result.
// JSON: "name": "sparsemax_step"{{.*}}"passes":{"l":2}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"refused"{{.*}}"index":1,{{.*}}"rule":"not-separable"
func.func @sparsemax_step(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %max = cascade.reduce max %xe over (l) : f32
    %c = arith.constant 1.0 : f32
    %minus = arith.subf %max, %c : f32
    %minus1 = arith.subf %xe, %minus : f32
    %c1 = arith.constant 0.0 : f32
    %larger = arith.maximumf %minus1, %c1 : f32
    %sum = cascade.reduce add %larger over (l) : f32
    cascade.yield %sum : f32
  }
  return %r0 : tensor<?xf32>
}

// JSON: "name": "sparsemax_step_bf16"{{.*}}"passes":{"l":2}
func.func @sparsemax_step_bf16(%x: tensor<?x?xbf16>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %max = cascade.reduce max %xe over (l) : f32
    %c = arith.constant 1.0 : f32
    %minus = arith.subf %max, %c : f32
    %minus1 = arith.subf %xe, %minus : f32
    %c1 = arith.constant 0.0 : f32
    %larger = arith.maximumf %minus1, %c1 : f32
    %sum = cascade.reduce add %larger over (l) : f32
    cascade.yield %sum : f32
  }
  return %r0 : tensor<?xf32>
}

// The same, squared.
// JSON: "name": "entmax_step"{{.*}}"passes":{"l":2}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"refused"{{.*}}"index":1,{{.*}}"rule":"not-separable"
func.func @entmax_step(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %max = cascade.reduce max %xe over (l) : f32
    %c = arith.constant 1.0 : f32
    %minus = arith.subf %max, %c : f32
    %minus1 = arith.subf %xe, %minus : f32
    %c1 = arith.constant 0.0 : f32
    %larger = arith.maximumf %minus1, %c1 : f32
    %times = arith.mulf %larger, %larger : f32
    %sum = cascade.reduce add %times over (l) : f32
    cascade.yield %sum : f32
  }
  return %r0 : tensor<?xf32>
}

// JSON: "name": "entmax_step_bf16"{{.*}}"passes":{"l":2}
func.func @entmax_step_bf16(%x: tensor<?x?xbf16>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %max = cascade.reduce max %xe over (l) : f32
    %c = arith.constant 1.0 : f32
    %minus = arith.subf %max, %c : f32
    %minus1 = arith.subf %xe, %minus : f32
    %c1 = arith.constant 0.0 : f32
    %larger = arith.maximumf %minus1, %c1 : f32
    %times = arith.mulf %larger, %larger : f32
    %sum = cascade.reduce add %times over (l) : f32
    cascade.yield %sum : f32
  }
  return %r0 : tensor<?xf32>
}

// A step function of the mean.
// JSON: "name": "count_above_mean"{{.*}}"passes":{"l":2}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"refused"{{.*}}"index":1,{{.*}}"rule":"mixed-comparison"
func.func @count_above_mean(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %n = cascade.extent l : i32
    %count = arith.sitofp %n : i32 to f32
    %sum = cascade.reduce add %xe over (l) : f32
    %over = arith.divf %sum, %count : f32
    %is = arith.cmpf ogt, %xe, %over : f32
    %c = arith.constant 1.0 : f32
    %c1 = arith.constant 0.0 : f32
    %pick = arith.select %is, %c, %c1 : f32
    %sum1 = cascade.reduce add %pick over (l) : f32
    cascade.yield %sum1 : f32
  }
  return %r0 : tensor<?xf32>
}

// JSON: "name": "count_above_mean_bf16"{{.*}}"passes":{"l":2}
func.func @count_above_mean_bf16(%x: tensor<?x?xbf16>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %n = cascade.extent l : i32
    %count = arith.sitofp %n : i32 to f32
    %sum = cascade.reduce add %xe over (l) : f32
    %over = arith.divf %sum, %count : f32
    %is = arith.cmpf ogt, %xe, %over : f32
    %c = arith.constant 1.0 : f32
    %c1 = arith.constant 0.0 : f32
    %pick = arith.select %is, %c, %c1 : f32
    %sum1 = cascade.reduce add %pick over (l) : f32
    cascade.yield %sum1 : f32
  }
  return %r0 : tensor<?xf32>
}

// Huber's loss about the mean.
// JSON: "name": "huber"{{.*}}"passes":{"l":2}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"refused"{{.*}}"index":1,{{.*}}"rule":"not-separable"
func.func @huber(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %n = cascade.extent l : i32
    %count = arith.sitofp %n : i32 to f32
    %sum = cascade.reduce add %xe over (l) : f32
    %over = arith.divf %sum, %count : f32
    %minus = arith.subf %xe, %over : f32
    %abs = math.absf %minus : f32
    %c = arith.constant 1.0 : f32
    %is = arith.cmpf olt, %abs, %c : f32
    %times = arith.mulf %minus, %minus : f32
    %c1 = arith.constant 0.5 : f32
    %times1 = arith.mulf %times, %c1 : f32
    %minus1 = arith.subf %abs, %c1 : f32
    %pick = arith.select %is, %times1, %minus1 : f32
    %sum1 = cascade.reduce add %pick over (l) : f32
    cascade.yield %sum1 : f32
  }
  return %r0 : tensor<?xf32>
}

// JSON: "name": "huber_bf16"{{.*}}"passes":{"l":2}
func.func @huber_bf16(%x: tensor<?x?xbf16>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %n = cascade.extent l : i32
    %count = arith.sitofp %n : i32 to f32
    %sum = cascade.reduce add %xe over (l) : f32
    %over = arith.divf %sum, %count : f32
    %minus = arith.subf %xe, %over : f32
    %abs = math.absf %minus : f32
    %c = arith.constant 1.0 : f32
    %is = arith.cmpf olt, %abs, %c : f32
    %times = arith.mulf %minus, %minus : f32
    %c1 = arith.constant 0.5 : f32
    %times1 = arith.mulf %times, %c1 : f32
    %minus1 = arith.subf %abs, %c1 : f32
    %pick = arith.select %is, %times1, %minus1 : f32
    %sum1 = cascade.reduce add %pick over (l) : f32
    cascade.yield %sum1 : f32
  }
  return %r0 : tensor<?xf32>
}

// The sum of gelu(x - mu).
// JSON: "name": "gelu"{{.*}}"passes":{"l":2}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"refused"{{.*}}"index":1,{{.*}}"rule":"not-separable"
func.func @gelu(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %n = cascade.extent l : i32
    %count = arith.sitofp %n : i32 to f32
    %sum = cascade.reduce add %xe over (l) : f32
    %over = arith.divf %sum, %count : f32
    %minus = arith.subf %xe, %over : f32
    %c = arith.constant 0.7978846 : f32
    %times = arith.mulf %minus, %c : f32
    %times1 = arith.mulf %minus, %minus : f32
    %times2 = arith.mulf %times1, %minus : f32
    %c1 = arith.constant 0.03567741 : f32
    %times3 = arith.mulf %times2, %c1 : f32
    %plus = arith.addf %times, %times3 : f32
    %c2 = arith.constant 0.5 : f32
    %times4 = arith.mulf %minus, %c2 : f32
    %tanh = math.tanh %plus : f32
    %c3 = arith.constant 1.0 : f32
    %plus1 = arith.addf %tanh, %c3 : f32
    %times5 = arith.mulf %times4, %plus1 : f32
    %sum1 = cascade.reduce add %times5 over (l) : f32
    cascade.yield %sum1 : f32
  }
  return %r0 : tensor<?xf32>
}

// JSON: "name": "gelu_bf16"{{.*}}"passes":{"l":2}
func.func @gelu_bf16(%x: tensor<?x?xbf16>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %n = cascade.extent l : i32
    %count = arith.sitofp %n : i32 to f32
    %sum = cascade.reduce add %xe over (l) : f32
    %over = arith.divf %sum, %count : f32
    %minus = arith.subf %xe, %over : f32
    %c = arith.constant 0.7978846 : f32
    %times = arith.mulf %minus, %c : f32
    %times1 = arith.mulf %minus, %minus : f32
    %times2 = arith.mulf %times1, %minus : f32
    %c1 = arith.constant 0.03567741 : f32
    %times3 = arith.mulf %times2, %c1 : f32
    %plus = arith.addf %times, %times3 : f32
    %c2 = arith.constant 0.5 : f32
    %times4 = arith.mulf %minus, %c2 : f32
    %tanh = math.tanh %plus : f32
    %c3 = arith.constant 1.0 : f32
    %plus1 = arith.addf %tanh, %c3 : f32
    %times5 = arith.mulf %times4, %plus1 : f32
    %sum1 = cascade.reduce add %times5 over (l) : f32
    cascade.yield %sum1 : f32
  }
  return %r0 : tensor<?xf32>
}

// Rounded to an integer after the scale has entered.
// JSON: "name": "quantised_dot_int8"{{.*}}"passes":{"l":2}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"refused"{{.*}}"index":1,{{.*}}"rule":"mixed-narrowing-cast"
func.func @quantised_dot_int8(%x: tensor<?x?xf32>, %w: tensor<?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %w[l] : tensor<?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32, %we: f32):
    %abs = math.absf %xe : f32
    %max = cascade.reduce max %abs over (l) : f32
    %c = arith.constant 127.0 : f32
    %over = arith.divf %c, %max : f32
    %times = arith.mulf %xe, %over : f32
    %q = arith.fptosi %times : f32 to i8
    %wide = arith.sitofp %q : i8 to f32
    %times1 = arith.mulf %wide, %we : f32
    %sum = cascade.reduce add %times1 over (l) : f32
    cascade.yield %sum : f32
  }
  return %r0 : tensor<?xf32>
}

// Softmax weights rounded to bf16 before they multiply the values.
// JSON: "name": "rounded_weights"{{.*}}"passes":{"l":2}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"refused"{{.*}}"index":1,{{.*}}"rule":"mixed-narrowing-cast"
func.func @rounded_weights(%x: tensor<?x?xf32>, %v: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %v[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
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

// JSON: "name": "rounded_weights_bf16"{{.*}}"passes":{"l":2}
func.func @rounded_weights_bf16(%x: tensor<?x?xbf16>, %v: tensor<?x?xbf16>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>, %v[i, l] : tensor<?x?xbf16>)
      outs([i] : tensor<?xf32>) {
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
