// The sum of the absolute deviations from the mean: |x - mu| is no product of a
// function of x and a function of mu.
// RUN: cascade-compile %s --explain=json | FileCheck %s
// CHECK: "passes":{"l":2}
// CHECK-SAME: "at":"abs(x0 - r0 / arith.sitofp(p0))","class":"refused","index":1,"kind":"add"
// CHECK-SAME: "line":[[#@LINE+13]]
// CHECK-SAME: "pass":1,
// CHECK-SAME: "rule":"not-separable"
func.func @mean_absolute_deviation(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %sum = cascade.reduce add %e over (l) : f32
    %n = cascade.extent l : i32
    %nf = arith.sitofp %n : i32 to f32
    %mu = arith.divf %sum, %nf : f32
    %d = arith.subf %e, %mu : f32
    %a = math.absf %d : f32
    %s = cascade.reduce add %a over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<?xf32>
}

// Other reasons of the rule.
// RUN: cascade-compile %s --explain=json | sed 's/{"name"/\n&/g; s/{"F"/\n&/g' \
// RUN:   | FileCheck %s --check-prefix=MORE

// Squares about a mean that has other weights: no running centre serves both.
// MORE: "name": "foreign_weights"{{.*}}"passes":{"l":2}
// MORE: "at":"x0 - r0 / arith.sitofp(p0)","class":"refused","index":1,
// MORE-SAME: "reason":"a power of it is summed up with other weights than those of the mean that it subtracts, so that digits could get lost"
// MORE-SAME: "rule":"not-separable"
func.func @foreign_weights(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %w[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32, %we: f32):
    %n = cascade.extent l : i32
    %count = arith.sitofp %n : i32 to f32
    %sum = cascade.reduce add %xe over (l) : f32
    %over = arith.divf %sum, %count : f32
    %minus = arith.subf %xe, %over : f32
    %times = arith.mulf %minus, %minus : f32
    %times1 = arith.mulf %we, %times : f32
    %sum1 = cascade.reduce add %times1 over (l) : f32
    cascade.yield %sum1 : f32
  }
  return %r0 : tensor<?xf32>
}

// The cross-entropy of two softmaxes: a log-sum-exp is no centre of its elements.
// MORE: "name": "neither_extremum_nor_mean"{{.*}}"passes":{"l":2}
// MORE: "at":"r0 + log(r1)","class":"refused","index":4,
// MORE-SAME: "reason":"it stands in a sum with elements of which it is neither an extremum nor a mean, so that digits could get lost on the way"
// MORE-SAME: "rule":"not-separable"
func.func @neither_extremum_nor_mean(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
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
    %over = arith.divf %exp1, %sum1 : f32
    %log = math.log %sum : f32
    %plus = arith.addf %max, %log : f32
    %minus2 = arith.subf %plus, %xe : f32
    %times = arith.mulf %over, %minus2 : f32
    %sum2 = cascade.reduce add %times over (l) : f32
    cascade.yield %sum2 : f32
  }
  return %r0 : tensor<?xf32>
}

// y cancels out of (x s - y) m + y m, except where it is a NaN.
// MORE: "name": "cancelled"{{.*}}"passes":{"l":2}
// MORE: "at":"(x0 * r1 - x1) * r0 + x1 * r0","class":"refused","index":2,
// MORE-SAME: "reason":"an element cancels out of it, and a NaN there would be lost"
// MORE-SAME: "rule":"not-separable"
func.func @cancelled(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %y[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32, %ye: f32):
    %abs = math.absf %xe : f32
    %max = cascade.reduce max %abs over (l) : f32
    %abs1 = math.absf %xe : f32
    %sum = cascade.reduce add %abs1 over (l) : f32
    %times = arith.mulf %xe, %sum : f32
    %minus = arith.subf %times, %ye : f32
    %times1 = arith.mulf %minus, %max : f32
    %times2 = arith.mulf %ye, %max : f32
    %plus = arith.addf %times1, %times2 : f32
    %sum1 = cascade.reduce add %plus over (l) : f32
    cascade.yield %sum1 : f32
  }
  return %r0 : tensor<?xf32>
}

// The mean moves either way while the pass runs, an extremum one way only.
// MORE: "name": "centred_exponent"{{.*}}"passes":{"l":2}
// MORE: "at":"r0 / arith.sitofp(p0)","class":"refused","index":1,
// MORE-SAME: "reason":"an earlier result that may move either way while the pass runs, or that moves the wrong way, stands in an exponent, so that terms could get lost"
// MORE-SAME: "rule":"not-separable"
func.func @centred_exponent(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %n = cascade.extent l : i32
    %count = arith.sitofp %n : i32 to f32
    %sum = cascade.reduce add %xe over (l) : f32
    %over = arith.divf %sum, %count : f32
    %minus = arith.subf %xe, %over : f32
    %exp = math.exp %minus : f32
    %sum1 = cascade.reduce add %exp over (l) : f32
    cascade.yield %sum1 : f32
  }
  return %r0 : tensor<?xf32>
}

// Divided by a sum of both.
// MORE: "name": "mixed_divisor"{{.*}}"passes":{"l":2}
// MORE: "at":"1 / (x0 + r0)","class":"refused","index":1,
// MORE-SAME: "reason":"it divides by a sum in which elements and earlier results cannot be separated"
// MORE-SAME: "rule":"not-separable"
func.func @mixed_divisor(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %c = arith.constant 1.0 : f32
    %abs = math.absf %xe : f32
    %max = cascade.reduce max %abs over (l) : f32
    %plus = arith.addf %xe, %max : f32
    %over = arith.divf %c, %plus : f32
    %sum = cascade.reduce add %over over (l) : f32
    cascade.yield %sum : f32
  }
  return %r0 : tensor<?xf32>
}

// An earlier result divides an element inside an exponent.
// MORE: "name": "temperature"{{.*}}"passes":{"l":2}
// MORE: "at":"x0 / sqrt(r1)","class":"refused","index":2,
// MORE-SAME: "reason":"an earlier result multiplies or divides an element inside a sum, so the element part cannot be separated"
// MORE-SAME: "rule":"not-separable"
func.func @temperature(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %max = cascade.reduce max %xe over (l) : f32
    %times = arith.mulf %xe, %xe : f32
    %sum = cascade.reduce add %times over (l) : f32
    %root = math.sqrt %sum : f32
    %over = arith.divf %xe, %root : f32
    %minus = arith.subf %over, %max : f32
    %exp = math.exp %minus : f32
    %sum1 = cascade.reduce add %exp over (l) : f32
    cascade.yield %sum1 : f32
  }
  return %r0 : tensor<?xf32>
}

// What argmax carries along uses an earlier result.
// MORE: "name": "carried_value"{{.*}}"passes":{"l":2}
// MORE: "at":"x0 - r0","class":"refused","index":1,
// MORE-SAME: "reason":"the value carried with the key uses an earlier result"
// MORE-SAME: "rule":"not-separable"
func.func @carried_value(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %max = cascade.reduce max %xe over (l) : f32
    %minus = arith.subf %xe, %max : f32
    %at = cascade.index l : i32
    %key, %index, %payload = cascade.reduce argmax %xe, %at, %minus over (l) : f32, i32, f32
    cascade.yield %payload : f32
  }
  return %r0 : tensor<?xf32>
}

// Of a combiner nothing is known while it runs, though this one is a maximum.
// MORE: "name": "known_late"{{.*}}"passes":{"l":2}
// MORE: "at":"r0","class":"refused","index":1,
// MORE-SAME: "reason":"an earlier result that may move either way while the pass runs, or that moves the wrong way, stands in an exponent, so that terms could get lost"
// MORE-SAME: "rule":"not-separable"
func.func @known_late(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %inf = arith.constant 0xFF800000 : f32
    %state = cascade.reduce combine %xe over (l) init(%inf) with {
    ^bb0(%a: f32, %b: f32):
      %m = arith.maximumf %a, %b : f32
      cascade.yield %m : f32
    } : f32
    %minus = arith.subf %xe, %state : f32
    %exp = math.exp %minus : f32
    %sum = cascade.reduce add %exp over (l) : f32
    cascade.yield %sum : f32
  }
  return %r0 : tensor<?xf32>
}

// The key of an argmax that an element enters twice: no map of one value.
// MORE: "name": "entered_twice"{{.*}}"passes":{"l":2}
// MORE: "at":"x0 * exp(x0 - r0)","class":"refused","index":1,
// MORE-SAME: "reason":"elements enter it in more than one operand, so it is no map of one value of elements"
// MORE-SAME: "rule":"not-separable"
func.func @entered_twice(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %max = cascade.reduce max %xe over (l) : f32
    %minus = arith.subf %xe, %max : f32
    %exp = math.exp %minus : f32
    %times = arith.mulf %xe, %exp : f32
    %at = cascade.index l : i32
    %key, %index = cascade.reduce argmax %times, %at over (l) : f32, i32
    cascade.yield %key : f32
  }
  return %r0 : tensor<?xf32>
}
