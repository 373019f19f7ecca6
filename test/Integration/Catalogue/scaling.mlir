// Norms and scales that multiply the elements of a later sum or maximum.
// RUN: cascade-sweep %s --lengths=0,1,2,7,33,127 --rows=1,3 \
// RUN:   --segments=1,2,3,8 --patterns=rand,special | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed
// RUN: cascade-compile %s --explain=json | sed 's/{"name"/\n&/g; s/{"F"/\n&/g' \
// RUN:   | FileCheck %s --check-prefix=JSON

// The factor r is deferred: no inverse of it is taken.
// JSON: "name": "rmsnorm_backward"{{.*}}"passes":{"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"separable"{{.*}}"index":1,{{.*}}"rank":1
func.func @rmsnorm_backward(%x: tensor<?x?xf32>, %dy: tensor<?x?xf32>, %g: tensor<?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %dy[i, l] : tensor<?x?xf32>, %g[l] : tensor<?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32, %dye: f32, %ge: f32):
    %times = arith.mulf %xe, %xe : f32
    %sum = cascade.reduce add %times over (l) : f32
    %n = cascade.extent l : i32
    %count = arith.sitofp %n : i32 to f32
    %over = arith.divf %sum, %count : f32
    %c = arith.constant 1.0e-05 : f32
    %plus = arith.addf %over, %c : f32
    %rsqrt = math.rsqrt %plus : f32
    %times1 = arith.mulf %dye, %ge : f32
    %times2 = arith.mulf %times1, %xe : f32
    %times3 = arith.mulf %times2, %rsqrt : f32
    %sum1 = cascade.reduce add %times3 over (l) : f32
    cascade.yield %sum1 : f32
  }
  return %r0 : tensor<?xf32>
}

// JSON: "name": "rmsnorm_backward_bf16"{{.*}}"passes":{"l":1}
func.func @rmsnorm_backward_bf16(%x: tensor<?x?xbf16>, %dy: tensor<?x?xbf16>, %g: tensor<?xbf16>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>, %dy[i, l] : tensor<?x?xbf16>, %g[l] : tensor<?xbf16>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16, %dyeh: bf16, %geh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %dye = arith.extf %dyeh : bf16 to f32
    %ge = arith.extf %geh : bf16 to f32
    %times = arith.mulf %xe, %xe : f32
    %sum = cascade.reduce add %times over (l) : f32
    %n = cascade.extent l : i32
    %count = arith.sitofp %n : i32 to f32
    %over = arith.divf %sum, %count : f32
    %c = arith.constant 1.0e-05 : f32
    %plus = arith.addf %over, %c : f32
    %rsqrt = math.rsqrt %plus : f32
    %times1 = arith.mulf %dye, %ge : f32
    %times2 = arith.mulf %times1, %xe : f32
    %times3 = arith.mulf %times2, %rsqrt : f32
    %sum1 = cascade.reduce add %times3 over (l) : f32
    cascade.yield %sum1 : f32
  }
  return %r0 : tensor<?xf32>
}

// min(1, c / n) has no inverse and needs none.
// JSON: "name": "clip_by_norm"{{.*}}"passes":{"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"separable"{{.*}}"index":1,{{.*}}"rank":1
func.func @clip_by_norm(%x: tensor<?x?xf32>, %w: tensor<?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %w[l] : tensor<?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32, %we: f32):
    %times = arith.mulf %xe, %xe : f32
    %sum = cascade.reduce add %times over (l) : f32
    %root = math.sqrt %sum : f32
    %times1 = arith.mulf %xe, %we : f32
    %c = arith.constant 1.0 : f32
    %over = arith.divf %c, %root : f32
    %smaller = arith.minimumf %over, %c : f32
    %times2 = arith.mulf %times1, %smaller : f32
    %sum1 = cascade.reduce add %times2 over (l) : f32
    cascade.yield %sum1 : f32
  }
  return %r0 : tensor<?xf32>
}

// JSON: "name": "clip_by_norm_bf16"{{.*}}"passes":{"l":1}
func.func @clip_by_norm_bf16(%x: tensor<?x?xbf16>, %w: tensor<?xbf16>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>, %w[l] : tensor<?xbf16>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16, %weh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %we = arith.extf %weh : bf16 to f32
    %times = arith.mulf %xe, %xe : f32
    %sum = cascade.reduce add %times over (l) : f32
    %root = math.sqrt %sum : f32
    %times1 = arith.mulf %xe, %we : f32
    %c = arith.constant 1.0 : f32
    %over = arith.divf %c, %root : f32
    %smaller = arith.minimumf %over, %c : f32
    %times2 = arith.mulf %times1, %smaller : f32
    %sum1 = cascade.reduce add %times2 over (l) : f32
    cascade.yield %sum1 : f32
  }
  return %r0 : tensor<?xf32>
}

// r is proved not negative.
// JSON: "name": "rmsnorm_absmax"{{.*}}"passes":{"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"separable"{{.*}}"index":1,{{.*}}"rank":1
func.func @rmsnorm_absmax(%x: tensor<?x?xf32>, %g: tensor<?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %g[l] : tensor<?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32, %ge: f32):
    %times = arith.mulf %xe, %xe : f32
    %sum = cascade.reduce add %times over (l) : f32
    %n = cascade.extent l : i32
    %count = arith.sitofp %n : i32 to f32
    %over = arith.divf %sum, %count : f32
    %c = arith.constant 1.0e-05 : f32
    %plus = arith.addf %over, %c : f32
    %rsqrt = math.rsqrt %plus : f32
    %times1 = arith.mulf %xe, %ge : f32
    %abs = math.absf %times1 : f32
    %times2 = arith.mulf %abs, %rsqrt : f32
    %max = cascade.reduce max %times2 over (l) : f32
    cascade.yield %max : f32
  }
  return %r0 : tensor<?xf32>
}

// JSON: "name": "rmsnorm_absmax_bf16"{{.*}}"passes":{"l":1}
func.func @rmsnorm_absmax_bf16(%x: tensor<?x?xbf16>, %g: tensor<?xbf16>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>, %g[l] : tensor<?xbf16>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16, %geh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %ge = arith.extf %geh : bf16 to f32
    %times = arith.mulf %xe, %xe : f32
    %sum = cascade.reduce add %times over (l) : f32
    %n = cascade.extent l : i32
    %count = arith.sitofp %n : i32 to f32
    %over = arith.divf %sum, %count : f32
    %c = arith.constant 1.0e-05 : f32
    %plus = arith.addf %over, %c : f32
    %rsqrt = math.rsqrt %plus : f32
    %times1 = arith.mulf %xe, %ge : f32
    %abs = math.absf %times1 : f32
    %times2 = arith.mulf %abs, %rsqrt : f32
    %max = cascade.reduce max %times2 over (l) : f32
    cascade.yield %max : f32
  }
  return %r0 : tensor<?xf32>
}

// Scale by the largest magnitude, without rounding.
// JSON: "name": "absmax_dot"{{.*}}"passes":{"l":1}
// JSON-NEXT: "class":"independent"{{.*}}"index":0,
// JSON-NEXT: "class":"separable"{{.*}}"index":1,{{.*}}"rank":1
func.func @absmax_dot(%x: tensor<?x?xf32>, %w: tensor<?xf32>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %w[l] : tensor<?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xe: f32, %we: f32):
    %abs = math.absf %xe : f32
    %max = cascade.reduce max %abs over (l) : f32
    %c = arith.constant 448.0 : f32
    %over = arith.divf %c, %max : f32
    %times = arith.mulf %xe, %over : f32
    %times1 = arith.mulf %times, %we : f32
    %sum = cascade.reduce add %times1 over (l) : f32
    cascade.yield %sum : f32
  }
  return %r0 : tensor<?xf32>
}

// JSON: "name": "absmax_dot_bf16"{{.*}}"passes":{"l":1}
func.func @absmax_dot_bf16(%x: tensor<?x?xbf16>, %w: tensor<?xbf16>) -> tensor<?xf32> {
  %r0 = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>, %w[l] : tensor<?xbf16>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%xeh: bf16, %weh: bf16):
    %xe = arith.extf %xeh : bf16 to f32
    %we = arith.extf %weh : bf16 to f32
    %abs = math.absf %xe : f32
    %max = cascade.reduce max %abs over (l) : f32
    %c = arith.constant 448.0 : f32
    %over = arith.divf %c, %max : f32
    %times = arith.mulf %xe, %over : f32
    %times1 = arith.mulf %times, %we : f32
    %sum = cascade.reduce add %times1 over (l) : f32
    cascade.yield %sum : f32
  }
  return %r0 : tensor<?xf32>
}
