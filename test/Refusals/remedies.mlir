// What docs/Refusals.md advises is one pass, and the same numbers.
// RUN: cascade-compile %s --explain=json | sed 's/{"name"/\n&/g' | FileCheck %s
// RUN: cascade-sweep %s --lengths=0,1,2,7,33 --rows=1,3 --segments=1,3 \
// RUN:   --patterns=rand,special | FileCheck %s --check-prefix=SWEEP
// SWEEP: {{[1-9][0-9]*}} passed, 0 failed

// not-separable: the extremum, not the log-sum-exp, stands beside elements.
// CHECK: "name": "soft_cross_entropy"{{.*}}"passes":{"l":1}
func.func @soft_cross_entropy(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
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
    %minus2 = arith.subf %max, %xe : f32
    %times = arith.mulf %over, %minus2 : f32
    %sum2 = cascade.reduce add %times over (l) : f32
    %log = math.log %sum : f32
    %plus = arith.addf %sum2, %log : f32
    cascade.yield %plus : f32
  }
  return %r0 : tensor<?xf32>
}

// not-separable: the mean has the weights of the squares.
// CHECK: "name": "weighted_mean"{{.*}}"passes":{"l":1}
func.func @weighted_mean(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %w[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32, %we: f32):
    %abs = math.absf %we : f32
    %times = arith.mulf %abs, %xe : f32
    %sum = cascade.reduce add %times over (l) : f32
    %sum1 = cascade.reduce add %abs over (l) : f32
    %over = arith.divf %sum, %sum1 : f32
    %minus = arith.subf %xe, %over : f32
    %times1 = arith.mulf %minus, %minus : f32
    %times2 = arith.mulf %abs, %times1 : f32
    %sum2 = cascade.reduce add %times2 over (l) : f32
    cascade.yield %sum2 : f32
  }
  return %r0 : tensor<?xf32>
}

// not-separable: without what cancels.
// CHECK: "name": "left_out"{{.*}}"passes":{"l":1}
func.func @left_out(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %abs = math.absf %xe : f32
    %max = cascade.reduce max %abs over (l) : f32
    %abs1 = math.absf %xe : f32
    %sum = cascade.reduce add %abs1 over (l) : f32
    %times = arith.mulf %xe, %sum : f32
    %times1 = arith.mulf %times, %max : f32
    %sum1 = cascade.reduce add %times1 over (l) : f32
    cascade.yield %sum1 : f32
  }
  return %r0 : tensor<?xf32>
}

// sign-not-proved: an exponential times an absolute value.
// CHECK: "name": "largest_magnitude"{{.*}}"passes":{"l":1}
func.func @largest_magnitude(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %y[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32, %ye: f32):
    %abs = math.absf %ye : f32
    %max = cascade.reduce max %xe over (l) : f32
    %minus = arith.subf %xe, %max : f32
    %exp = math.exp %minus : f32
    %times = arith.mulf %abs, %exp : f32
    %max1 = cascade.reduce max %times over (l) : f32
    cascade.yield %max1 : f32
  }
  return %r0 : tensor<?xf32>
}

// sign-not-proved: a root of a sum of squares.
// CHECK: "name": "root_of_squares"{{.*}}"passes":{"l":1}
func.func @root_of_squares(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %y[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32, %ye: f32):
    %abs = math.absf %ye : f32
    %times = arith.mulf %xe, %xe : f32
    %sum = cascade.reduce add %times over (l) : f32
    %times1 = arith.mulf %abs, %sum : f32
    %root = math.sqrt %times1 : f32
    %sum1 = cascade.reduce add %root over (l) : f32
    cascade.yield %sum1 : f32
  }
  return %r0 : tensor<?xf32>
}

// mixed-comparison: both maxima, and the selection afterwards.
// CHECK: "name": "selected_afterwards"{{.*}}"passes":{"l":1}
func.func @selected_afterwards(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %y[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32, %ye: f32):
    %sum = cascade.reduce add %xe over (l) : f32
    %max = cascade.reduce max %xe over (l) : f32
    %max1 = cascade.reduce max %ye over (l) : f32
    %c = arith.constant 0.0 : f32
    %is = arith.cmpf ogt, %sum, %c : f32
    %pick = arith.select %is, %max, %max1 : f32
    cascade.yield %pick : f32
  }
  return %r0 : tensor<?xf32>
}

// dependent-predicate: the whole row, and the selection afterwards.
// CHECK: "name": "row_afterwards"{{.*}}"passes":{"l":1}
func.func @row_afterwards(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %sum = cascade.reduce add %xe over (l) : f32
    %times = arith.mulf %xe, %xe : f32
    %sum1 = cascade.reduce add %times over (l) : f32
    %c = arith.constant 0.0 : f32
    %is = arith.cmpf ogt, %sum, %c : f32
    %pick = arith.select %is, %sum1, %c : f32
    cascade.yield %pick : f32
  }
  return %r0 : tensor<?xf32>
}

// not-separable: argmax carries the element; what is subtracted comes after.
// CHECK: "name": "carried_element"{{.*}}"passes":{"l":1}
func.func @carried_element(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %max = cascade.reduce max %xe over (l) : f32
    %at = cascade.index l : i32
    %key, %index, %payload = cascade.reduce argmax %xe, %at, %xe over (l) : f32, i32, f32
    %minus = arith.subf %payload, %max : f32
    cascade.yield %minus : f32
  }
  return %r0 : tensor<?xf32>
}
