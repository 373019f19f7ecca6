// Semirings without inverses, and monoids of the user.
// RUN: cascade-sweep %s --lengths=0,1,2,7,33,127 --rows=1,3 \
// RUN:   --segments=1,2,3,8 --patterns=rand,special | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed
// RUN: cascade-compile %s --explain=json | sed 's/{"name"/\n&/g; s/{"F"/\n&/g' \
// RUN:   | FileCheck %s --check-prefix=JSON

// or over (g and h) is (or over g) and h.
// JSON: "name": "any_all"{{.*}}"passes":{"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"separable"{{.*}}"index":1,{{.*}}"rank":1
func.func @any_all(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %c = arith.constant 0.0 : f32
    %is = arith.cmpf ogt, %xe, %c : f32
    %is1 = arith.cmpf olt, %xe, %c : f32
    %all = cascade.reduce and %is over (l) : i1
    %both = arith.andi %is1, %all : i1
    %any = cascade.reduce or %both over (l) : i1
    %float = arith.uitofp %any : i1 to f32
    cascade.yield %float : f32
  }
  return %r0 : tensor<?xf32>
}

// JSON: "name": "any_all_bf16"{{.*}}"passes":{"l":1}
func.func @any_all_bf16(%x: tensor<?x?xbf16>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %c = arith.constant 0.0 : f32
    %is = arith.cmpf ogt, %xe, %c : f32
    %is1 = arith.cmpf olt, %xe, %c : f32
    %all = cascade.reduce and %is over (l) : i1
    %both = arith.andi %is1, %all : i1
    %any = cascade.reduce or %both over (l) : i1
    %float = arith.uitofp %any : i1 to f32
    cascade.yield %float : f32
  }
  return %r0 : tensor<?xf32>
}

// Minimum and plus.
// JSON: "name": "min_plus"{{.*}}"passes":{"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"separable"{{.*}}"index":1,{{.*}}"rank":1
func.func @min_plus(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %y[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32, %ye: f32):
    %max = cascade.reduce max %xe over (l) : f32
    %plus = arith.addf %ye, %max : f32
    %min = cascade.reduce min %plus over (l) : f32
    cascade.yield %min : f32
  }
  return %r0 : tensor<?xf32>
}

// JSON: "name": "min_plus_bf16"{{.*}}"passes":{"l":1}
func.func @min_plus_bf16(%x: tensor<?x?xbf16>, %y: tensor<?x?xbf16>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>, %y[i, l] : tensor<?x?xbf16>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16, %yeh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %ye = arith.extf %yeh : bf16 to f32
    %max = cascade.reduce max %xe over (l) : f32
    %plus = arith.addf %ye, %max : f32
    %min = cascade.reduce min %plus over (l) : f32
    cascade.yield %min : f32
  }
  return %r0 : tensor<?xf32>
}

// Maximum and minimum: the largest of min(y, m).
// JSON: "name": "max_min"{{.*}}"passes":{"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"separable"{{.*}}"index":1,{{.*}}"legality":"bit-exact"
func.func @max_min(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %y[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32, %ye: f32):
    %min = cascade.reduce min %xe over (l) : f32
    %smaller = arith.minimumf %ye, %min : f32
    %max = cascade.reduce max %smaller over (l) : f32
    cascade.yield %max : f32
  }
  return %r0 : tensor<?xf32>
}

// JSON: "name": "max_min_bf16"{{.*}}"passes":{"l":1}
func.func @max_min_bf16(%x: tensor<?x?xbf16>, %y: tensor<?x?xbf16>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>, %y[i, l] : tensor<?x?xbf16>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16, %yeh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %ye = arith.extf %yeh : bf16 to f32
    %min = cascade.reduce min %xe over (l) : f32
    %smaller = arith.minimumf %ye, %min : f32
    %max = cascade.reduce max %smaller over (l) : f32
    cascade.yield %max : f32
  }
  return %r0 : tensor<?xf32>
}

// A user's monoid: (mean, count) pairs.
// JSON: "name": "mean_count"{{.*}}"passes":{"l":1}
// JSON-NEXT: "class":"payload"{{.*}}"index":0,
func.func @mean_count(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %r0, %r1 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>, [i] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %c = arith.constant 1.0 : f32
    %c1 = arith.constant 0.0 : f32
    %state:2 = cascade.reduce combine %xe, %c over (l) init(%c1, %c1) with {
    ^bb0(%a0: f32, %a1: f32, %b0: f32, %b1: f32):
      %plus = arith.addf %a1, %b1 : f32
      %larger = arith.maximumf %plus, %c : f32
      %times = arith.mulf %a0, %a1 : f32
      %times1 = arith.mulf %b0, %b1 : f32
      %plus1 = arith.addf %times, %times1 : f32
      %over = arith.divf %plus1, %larger : f32
      cascade.yield %over, %plus : f32, f32
    } : f32, f32
    cascade.yield %state#0, %state#1 : f32, f32
  }
  return %r0, %r1 : tensor<?xf32>, tensor<?xf32>
}

// JSON: "name": "mean_count_bf16"{{.*}}"passes":{"l":1}
func.func @mean_count_bf16(%x: tensor<?x?xbf16>) -> (tensor<?xf32>, tensor<?xf32>) {
  %r0, %r1 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>)
      outs([i] : tensor<?xf32>, [i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %c = arith.constant 1.0 : f32
    %c1 = arith.constant 0.0 : f32
    %state:2 = cascade.reduce combine %xe, %c over (l) init(%c1, %c1) with {
    ^bb0(%a0: f32, %a1: f32, %b0: f32, %b1: f32):
      %plus = arith.addf %a1, %b1 : f32
      %larger = arith.maximumf %plus, %c : f32
      %times = arith.mulf %a0, %a1 : f32
      %times1 = arith.mulf %b0, %b1 : f32
      %plus1 = arith.addf %times, %times1 : f32
      %over = arith.divf %plus1, %larger : f32
      cascade.yield %over, %plus : f32, f32
    } : f32, f32
    cascade.yield %state#0, %state#1 : f32, f32
  }
  return %r0, %r1 : tensor<?xf32>, tensor<?xf32>
}

// A user's monoid: the product of complex numbers.
// JSON: "name": "complex_product"{{.*}}"passes":{"l":1}
// JSON-NEXT: "class":"payload"{{.*}}"index":0,
func.func @complex_product(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %r0, %r1 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %y[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>, [i] : tensor<?xf32>) {
  ^bb0(%xe: f32, %ye: f32):
    %c = arith.constant 1.0 : f32
    %c1 = arith.constant 0.0 : f32
    %state:2 = cascade.reduce combine %xe, %ye over (l) init(%c, %c1) with {
    ^bb0(%a0: f32, %a1: f32, %b0: f32, %b1: f32):
      %times = arith.mulf %a0, %b0 : f32
      %times1 = arith.mulf %a1, %b1 : f32
      %minus = arith.subf %times, %times1 : f32
      %times2 = arith.mulf %a0, %b1 : f32
      %times3 = arith.mulf %a1, %b0 : f32
      %plus = arith.addf %times2, %times3 : f32
      cascade.yield %minus, %plus : f32, f32
    } : f32, f32
    cascade.yield %state#0, %state#1 : f32, f32
  }
  return %r0, %r1 : tensor<?xf32>, tensor<?xf32>
}

// JSON: "name": "complex_product_bf16"{{.*}}"passes":{"l":1}
func.func @complex_product_bf16(%x: tensor<?x?xbf16>, %y: tensor<?x?xbf16>) -> (tensor<?xf32>, tensor<?xf32>) {
  %r0, %r1 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>, %y[i, l] : tensor<?x?xbf16>)
      outs([i] : tensor<?xf32>, [i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16, %yeh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %ye = arith.extf %yeh : bf16 to f32
    %c = arith.constant 1.0 : f32
    %c1 = arith.constant 0.0 : f32
    %state:2 = cascade.reduce combine %xe, %ye over (l) init(%c, %c1) with {
    ^bb0(%a0: f32, %a1: f32, %b0: f32, %b1: f32):
      %times = arith.mulf %a0, %b0 : f32
      %times1 = arith.mulf %a1, %b1 : f32
      %minus = arith.subf %times, %times1 : f32
      %times2 = arith.mulf %a0, %b1 : f32
      %times3 = arith.mulf %a1, %b0 : f32
      %plus = arith.addf %times2, %times3 : f32
      cascade.yield %minus, %plus : f32, f32
    } : f32, f32
    cascade.yield %state#0, %state#1 : f32, f32
  }
  return %r0, %r1 : tensor<?xf32>, tensor<?xf32>
}
