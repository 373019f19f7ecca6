// An integer division that the domain keeps from dividing by zero.
// RUN: cascade-run %s --device=cpu --dim=i=1 --dim=l=4 \
// RUN:   --input='1x4xi32=7 9 -8 5' --input='1x4xi32=2 0 -4 0' \
// RUN:   --expected-output='1xi32=5'
// RUN: cascade-sweep %s --lengths=0,1,7,33 --rows=1,3 --segments=1,3 \
// RUN:   --patterns=rand | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed
//
// On a GPU the division is done everywhere and left out outside of the domain:
// its divisor may not be zero there, or the kernel is undefined.
// RUN: cascade-compile %s --emit=llvm | FileCheck %s --check-prefix=LLVM
// LLVM: select i1 {{.*}}, i32 1, i32
// LLVM: sdiv i32
// LLVM: select i1

func.func @masked_division(%x: tensor<?x?xi32>, %y: tensor<?x?xi32>) -> tensor<?xi32> {
  %r = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xi32>, %y[i, l] : tensor<?x?xi32>)
      outs([i] : tensor<?xi32>) {
  ^bb0(%a: i32, %b: i32):
    %z = arith.constant 0 : i32
    %in = arith.cmpi ne, %b, %z : i32
    %q = arith.divsi %a, %b : i32
    %s = cascade.reduce add %q over (l) where %in : i32
    cascade.yield %s : i32
  }
  return %r : tensor<?xi32>
}
