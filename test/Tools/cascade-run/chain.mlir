// RUN: cascade-run %s --device=cpu --entry=row_sum --input='2x3xf32=1 2 3 4 5 6' | FileCheck %s --check-prefix=PRINT
// PRINT: result0: 2xf32=6 15
// PRINT: result1: 2x3xf32=0 0 0 0 0 0

// RUN: cascade-run %s --device=cpu --entry=row_sum --dim=i=2 --dim=l=0 | FileCheck %s --check-prefix=EMPTY
// EMPTY: result0: 2xf32=0 0

// Inputs default to rand; --check compares with both unfused evaluations.
// RUN: cascade-run %s --device=cpu --entry=row_sum --dim=i=3 --dim=l=4097 --check --segments=5 | FileCheck %s --check-prefix=CHECKED
// CHECKED: result0: agrees with the unfused evaluation
// CHECKED: result1: agrees with the unfused evaluation

// RUN: cascade-run %s --device=cpu --entry=row_sum --dim=i=3 --dim=l=100 --check-bitwise --repeat=3 | FileCheck %s --check-prefix=BITS
// BITS: result0: agrees with the first run: same bits

// RUN: cascade-run %s --device=cpu --entry=row_sum --input=2x3xf32=iota --output=@%t.npy
// RUN: cascade-run %s --device=cpu --entry=row_sum --input=2x3xf32=iota --expected-output=2xf32=@%t.npy
// RUN: not cascade-run %s --device=cpu --entry=row_sum --input=2x3xf32=iota --expected-output='2xf32=3 13' | FileCheck %s --check-prefix=DIFFERS
// RUN: cascade-run %s --device=cpu --entry=row_sum --input=2x3xf32=iota --expected-output='2xf32=3 13' --rtol=0.2
// DIFFERS: result0: DIFFERS from what is expected: [1] is 12, expected 13

// A scalar, an integer and a narrow type; fp8 saturates.
// RUN: cascade-run %s --device=cpu --entry=scaled --input='4xf32=1 -2 1000 nan' --input=f32=2 | FileCheck %s --check-prefix=FP8
// FP8: result0: 4xf8E4M3FN=2 -4 4.5e+02 nan
// FP8: result1: 4xf8E5M2=2 -4 2e+03 nan

func.func @row_sum(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?x?xf32>) {
  %s, %z = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>, [i, l] : tensor<?x?xf32>) {
  ^bb0(%e: f32):
    %sum = cascade.reduce add %e over (l) : f32
    %zero = arith.subf %sum, %sum : f32
    cascade.yield %sum, %zero : f32, f32
  }
  return %s, %z : tensor<?xf32>, tensor<?x?xf32>
}

func.func @scaled(%x: tensor<4xf32>, %c: f32) -> (tensor<4xf8E4M3FN>, tensor<4xf8E5M2>) {
  %y, %z = cascade.chain (l)
      ins(%x[l] : tensor<4xf32>, %c[] : f32)
      outs([l] : tensor<4xf8E4M3FN>, [l] : tensor<4xf8E5M2>) {
  ^bb0(%e: f32, %k: f32):
    %p = arith.mulf %e, %k : f32
    %a = arith.truncf %p : f32 to f8E4M3FN
    %b = arith.truncf %p : f32 to f8E5M2
    cascade.yield %a, %b : f8E4M3FN, f8E5M2
  }
  return %y, %z : tensor<4xf8E4M3FN>, tensor<4xf8E5M2>
}
