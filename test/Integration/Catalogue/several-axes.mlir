// Reductions over more than one axis.
// RUN: cascade-sweep %s --lengths=0,1,2,7,33 --rows=1,3 \
// RUN:   --segments=1,2,3,8 --patterns=rand,special | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed
// RUN: cascade-compile %s --explain=json | sed 's/{"name"/\n&/g; s/{"F"/\n&/g' \
// RUN:   | FileCheck %s --check-prefix=JSON

// GroupNorm statistics, over two axes.
// JSON: "name": "group_norm"{{.*}}"passes":{"k,l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"separable"{{.*}}"index":1,{{.*}}"rank":3
func.func @group_norm(%x: tensor<?x?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %r0, %r1 = cascade.chain (i, k, l)
      ins(%x[i, k, l] : tensor<?x?x?xf32>)
      outs([i] : tensor<?xf32>, [i] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %n = cascade.extent l : i32
    %count = arith.sitofp %n : i32 to f32
    %n1 = cascade.extent k : i32
    %count1 = arith.sitofp %n1 : i32 to f32
    %times = arith.mulf %count, %count1 : f32
    %sum = cascade.reduce add %xe over (k, l) : f32
    %over = arith.divf %sum, %times : f32
    %minus = arith.subf %xe, %over : f32
    %times1 = arith.mulf %minus, %minus : f32
    %sum1 = cascade.reduce add %times1 over (k, l) : f32
    %over1 = arith.divf %sum1, %times : f32
    cascade.yield %over, %over1 : f32, f32
  }
  return %r0, %r1 : tensor<?xf32>, tensor<?xf32>
}

// JSON: "name": "group_norm_bf16"{{.*}}"passes":{"k,l":1}
func.func @group_norm_bf16(%x: tensor<?x?x?xbf16>) -> (tensor<?xf32>, tensor<?xf32>) {
  %r0, %r1 = cascade.chain (i, k, l)
      ins(%x[i, k, l] : tensor<?x?x?xbf16>)
      outs([i] : tensor<?xf32>, [i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %n = cascade.extent l : i32
    %count = arith.sitofp %n : i32 to f32
    %n1 = cascade.extent k : i32
    %count1 = arith.sitofp %n1 : i32 to f32
    %times = arith.mulf %count, %count1 : f32
    %sum = cascade.reduce add %xe over (k, l) : f32
    %over = arith.divf %sum, %times : f32
    %minus = arith.subf %xe, %over : f32
    %times1 = arith.mulf %minus, %minus : f32
    %sum1 = cascade.reduce add %times1 over (k, l) : f32
    %over1 = arith.divf %sum1, %times : f32
    cascade.yield %over, %over1 : f32, f32
  }
  return %r0, %r1 : tensor<?xf32>, tensor<?xf32>
}

// Rows, then columns: one pass an axis.
// JSON: "name": "sinkhorn_step"{{.*}}"passes":{"i":1,"j":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"separable"{{.*}}"index":1,{{.*}}"rank":1
// JSON-NEXT: "class":"independent"{{.*}}"index":2,
// JSON-NEXT: "class":"separable"{{.*}}"index":3,{{.*}}"rank":1
func.func @sinkhorn_step(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, j)
      ins(%x[i, j] : tensor<?x?xf32>)
      outs([j] : tensor<?xf32>) {
  ^bb0(%xe: f32):
    %max = cascade.reduce max %xe over (j) : f32
    %minus = arith.subf %xe, %max : f32
    %exp = math.exp %minus : f32
    %sum = cascade.reduce add %exp over (j) : f32
    %log = math.log %sum : f32
    %plus = arith.addf %max, %log : f32
    %minus1 = arith.subf %xe, %plus : f32
    %max1 = cascade.reduce max %minus1 over (i) : f32
    %minus2 = arith.subf %minus1, %max1 : f32
    %exp1 = math.exp %minus2 : f32
    %sum1 = cascade.reduce add %exp1 over (i) : f32
    %log1 = math.log %sum1 : f32
    %plus1 = arith.addf %max1, %log1 : f32
    cascade.yield %plus1 : f32
  }
  return %r0 : tensor<?xf32>
}

// JSON: "name": "sinkhorn_step_bf16"{{.*}}"passes":{"i":1,"j":1}
func.func @sinkhorn_step_bf16(%x: tensor<?x?xbf16>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, j)
      ins(%x[i, j] : tensor<?x?xbf16>)
      outs([j] : tensor<?xf32>) {
  ^bb0(%xeh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %max = cascade.reduce max %xe over (j) : f32
    %minus = arith.subf %xe, %max : f32
    %exp = math.exp %minus : f32
    %sum = cascade.reduce add %exp over (j) : f32
    %log = math.log %sum : f32
    %plus = arith.addf %max, %log : f32
    %minus1 = arith.subf %xe, %plus : f32
    %max1 = cascade.reduce max %minus1 over (i) : f32
    %minus2 = arith.subf %minus1, %max1 : f32
    %exp1 = math.exp %minus2 : f32
    %sum1 = cascade.reduce add %exp1 over (i) : f32
    %log1 = math.log %sum1 : f32
    %plus1 = arith.addf %max1, %log1 : f32
    cascade.yield %plus1 : f32
  }
  return %r0 : tensor<?xf32>
}
