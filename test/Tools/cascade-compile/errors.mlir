// Bad input: one error that names the thing, exit status 2, and nothing written.
// DEFINE: %{bad} = sh %S/../cascade-launch/Inputs/exits.sh 2 cascade-compile

// RUN: rm -rf %t && mkdir %t

// RUN: %{bad} %t/missing.mlir -o %t/a | FileCheck %s --check-prefix=MISSING
// MISSING: error: cannot open input file '{{.*}}missing.mlir': No such file or directory

// RUN: echo 'func.func @f(' > %t.syntax
// RUN: %{bad} %t.syntax -o %t/a | FileCheck %s --check-prefix=SYNTAX
// SYNTAX: .syntax:{{[0-9]+}}:{{[0-9]+}}: error:

// RUN: %{bad} | FileCheck %s --check-prefix=FILE
// FILE: FILE is required
// RUN: %{bad} %s -o %t/a --frobnicate | FileCheck %s --check-prefix=FLAG
// FLAG: not expected: --frobnicate

// RUN: %{bad} %s -o %t/a --cluster=17 | FileCheck %s --check-prefix=CLUSTER17
// CLUSTER17: error: a cluster has 1 to 16 blocks, not 17
// RUN: %{bad} %s -o %t/a --cluster=0 | FileCheck %s --check-prefix=CLUSTER0
// CLUSTER0: error: --cluster takes auto or 1 to 16, not '0'
// RUN: %{bad} %s -o %t/a --cluster=many | FileCheck %s --check-prefix=CLUSTERWORD
// CLUSTERWORD: error: --cluster takes auto or 1 to 16, not 'many'

// RUN: %{bad} %s -o %t/a --emit=sass | FileCheck %s --check-prefix=EMIT
// EMIT: error: 'sass' cannot be emitted; use one of chains, fused, mapped, cluster, expanded, nvvm, llvm, ptx, cubin, launcher
// RUN: %{bad} %s -o %t/a --emit=object | FileCheck %s --check-prefix=OBJECT
// OBJECT: error: --emit=object is not available yet
// RUN: %{bad} %s -o %t/a --stop-after=sass | FileCheck %s --check-prefix=PHASE
// PHASE: error: unknown phase 'sass'; use input, chains, fused, mapped, cluster, expanded, nvvm or ptx
// RUN: %{bad} %s -o %t/a --explain=yaml | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: error: --explain takes text or json, not 'yaml'
// RUN: %{bad} %s -o %t/a --chip=sm_80 | FileCheck %s --check-prefix=CHIP
// CHIP: error: unknown chip 'sm_80'; use sm_90 or sm_90a
// RUN: %{bad} %s -o %t/a --target=a100 | FileCheck %s --check-prefix=TARGET
// TARGET: error: unknown target 'a100'; use h200 or h100
// RUN: %{bad} %s -o %t/a --input-type=linalg | FileCheck %s --check-prefix=INPUT
// INPUT: error: --input-type=linalg is not available yet; write the chain in the cascade dialect

// RUN: %{bad} %s -o %t/a --mapping=foo | FileCheck %s --check-prefix=MAPPING
// MAPPING: error: 'foo' is not a #cascade.mapping<...> attribute
// RUN: %{bad} %s -o %t/a '--mapping=#cascade.mapping<i: grid, l: reg(2) x lane(32)>' | FileCheck %s --check-prefix=COVER
// COVER: error: {{.*}}the mapping covers 64 of the 4096 iterations of axis 'l'

// RUN: sed 's/f32/f8E4M3/g' %s > %t.fp8
// RUN: %{bad} %t.fp8 -o %t/a | FileCheck %s --check-prefix=TYPE
// TYPE: error: {{.*}}uses a value of a type that the split test does not know; use f64

// RUN: echo 'func.func private @f(f32)' > %t.nothing
// RUN: %{bad} %t.nothing -o %t/a | FileCheck %s --check-prefix=NOTHING
// NOTHING: error: {{.*}} holds no cascade.chain

// RUN: %{bad} %s -o %t/no/such/folder/a | FileCheck %s --check-prefix=FOLDER
// FOLDER: error: cannot write {{.*}}: No such file or directory

// RUN: ls %t | count 0
func.func @sum(%x: tensor<8x4096xf32>) -> tensor<8xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([i] : tensor<8xf32>) {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %y : tensor<8xf32>
}
