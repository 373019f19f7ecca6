// Inputs in fp8, accumulation typed bf16 and f16: accumulators are f32 and round
// once.
// RUN: cascade-sweep %s --lengths=0,1,2,7,33,577 --rows=1,3,20 \
// RUN:   --segments=1,2,3,8 --patterns=rand,special | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed

// Each 0.5 added on its own would be lost in bf16.
// RUN: cascade-run %s --device=cpu --entry=sum_bf16 --input='1x5xbf16=256 0.5 0.5 0.5 0.5' | FileCheck %s --check-prefix=SUM
// SUM: result0: 1xbf16=258

func.func @sum_bf16(%x: tensor<?x?xbf16>) -> tensor<?xbf16> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>) outs([i] : tensor<?xbf16>) {
  ^bb0(%e: bf16):
    %s = cascade.reduce add %e over (l) : bf16
    cascade.yield %s : bf16
  }
  return %y : tensor<?xbf16>
}

func.func @softmax_fp8(%x: tensor<?x?xf8E4M3FN>) -> tensor<?x?xf16> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf8E4M3FN>) outs([i, l] : tensor<?x?xf16>) {
  ^bb0(%h: f8E4M3FN):
    %e = arith.extf %h : f8E4M3FN to f32
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) : f32
    %p = arith.divf %w, %t : f32
    %o = arith.truncf %p : f32 to f16
    cascade.yield %o : f16
  }
  return %y : tensor<?x?xf16>
}

// Arithmetic written in f16 is done in f16.
func.func @max_product_f16(%x: tensor<?x?xf16>, %y: tensor<?x?xf16>) -> tensor<?xf16> {
  %z = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf16>, %y[i, l] : tensor<?x?xf16>)
      outs([i] : tensor<?xf16>) {
  ^bb0(%a: f16, %b: f16):
    %p = arith.mulf %a, %b : f16
    %m = cascade.reduce max %p over (l) : f16
    cascade.yield %m : f16
  }
  return %z : tensor<?xf16>
}
