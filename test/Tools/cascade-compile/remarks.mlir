// What the schedule could not do is said on standard error, once, with and
// without --explain; of a mapping that is given there is nothing to say.
// RUN: cascade-compile %s -o %t --with-reference 2>&1 | FileCheck %s
// RUN: cascade-compile %s -o %t --explain=text 2>&1 >%t.txt | FileCheck %s
// RUN: cascade-compile %s --explain=json 2>&1 >%t.txt | FileCheck %s
// RUN: cascade-compile %s -o %t --tune-space=2 2>&1 | FileCheck %s
// RUN: cascade-compile %s -o %t --mapping='#cascade.mapping<i: loop, l: loop x reg(4) x lane(32)>' 2>&1 | count 0

// CHECK-NOT: remark:
// CHECK:     remarks.mlir:[[#@LINE+4]]:8: remark: axis 'l' is reduced inside axis 'i' and is more than the registers of a warp hold
// CHECK-NEXT:  %y = cascade.chain (i, l)
// CHECK-NOT: remark:
func.func @long_inner_axis(%x: tensor<8x4096xf32>) -> tensor<f32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x4096xf32>) outs([] : tensor<f32>) {
  ^bb0(%e: f32):
    %s = cascade.reduce add %e over (l) : f32
    %m = cascade.reduce max %s over (i) : f32
    cascade.yield %m : f32
  }
  return %y : tensor<f32>
}
