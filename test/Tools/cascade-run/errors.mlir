// Every error is one line that names the thing; the status is 2 for bad input and
// 3 for the device.
// RUN: not cascade-run %s 2>&1 --device=cpu | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: error: {{.*}}errors.mlir: several functions; choose one of f, g with --entry=NAME
// RUN: not cascade-run %s --device=cpu --entry=h 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: error: {{.*}}: no function 'h' with a cascade.chain; there is f, g
// RUN: not cascade-run %s --device=cpu --entry=f 2>&1 | FileCheck %s --check-prefix=DIM
// DIM: error: dimension 'i' of argument 0 of 'f' is dynamic; give it with --dim=i=SIZE
// RUN: not cascade-run %s --device=cpu --entry=f --dim=k=3 2>&1 | FileCheck %s --check-prefix=NODIM
// NODIM: error: --dim=k=3: 'f' has no dynamic dimension 'k'; there is i, l
// RUN: not cascade-run %s --device=cpu --entry=f --dim=i=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: --dim=i=-1 is not NAME=SIZE
// RUN: not cascade-run %s --device=cpu --entry=f --dim=l=4 --input=2x3xf32=rand --dim=i=2 2>&1 | FileCheck %s --check-prefix=CLASH
// CLASH: error: dimension 'l' is 3 in input 0, but 4 in --dim or in an input before it
// RUN: not cascade-run %s --device=cpu --entry=f --input=3xf32=rand 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: error: input 0 is 3, but argument 0 of 'f' has rank 2
// RUN: not cascade-run %s --device=cpu --entry=f --input=2x3xbf16=rand 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error: --input 0: {{.*}}2x3xbf16{{.*}}2x3xf32
// RUN: not cascade-run %s --device=cpu --entry=f --input=2x3xf32=1,2 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: --input 0:
// RUN: not cascade-run %s --device=cpu --entry=g --input=6xf32=rand --input=2x3xf32=rand 2>&1 | FileCheck %s --check-prefix=BOUNDS
// BOUNDS: error: dimension 0 of operand 0 has size 6, but its expression reaches 6
// RUN: not cascade-run %s --device=cpu --entry=f --input=1x1xf32=1 --input=f32=2 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: 2 inputs are given, but 'f' has 1 arguments
// RUN: not cascade-run %s --device=cpu --entry=f --input=2x2xf32=1 --output=y.npy 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: error: --output=y.npy is not a file; write --output=@NAME.npy
// RUN: not cascade-run %s --device=tpu 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: error: --device=tpu is not a device; use cpu, gpu, sim or auto
// RUN: not cascade-run %s --device=cpu --segments=0 2>&1 | FileCheck %s --check-prefix=SEGMENTS
// SEGMENTS: error: --segments must be at least 1, got 0
// RUN: not cascade-run %t.missing --device=cpu 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: cannot read '{{.*}}.missing': No such file or directory
// RUN: sh -c "cascade-run %s --device=cpu --entry=h; echo status \$?" 2>&1 | FileCheck %s --check-prefix=STATUS2
// STATUS2: status 2
// RUN: sh -c "cascade-run %s --flag; echo status \$?" 2>&1 | FileCheck %s --check-prefix=STATUS2
// RUN: sh -c "cascade-run %s --device=cpu --entry=f --input=1x1xf32=1 --expected-output=1xf32=2; echo status \$?" 2>&1 | FileCheck %s --check-prefix=STATUS1
// STATUS1: status 1

func.func @f(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %s = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %sum = cascade.reduce add %e over (l) : f32
    cascade.yield %sum : f32
  }
  return %s : tensor<?xf32>
}

func.func @g(%x: tensor<?xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
  %s = cascade.chain (i, l)
      ins(%x[i * 4 + l] : tensor<?xf32>, %y[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32, %f: f32):
    %p = arith.mulf %e, %f : f32
    %sum = cascade.reduce add %p over (l) : f32
    cascade.yield %sum : f32
  }
  return %s : tensor<?xf32>
}
