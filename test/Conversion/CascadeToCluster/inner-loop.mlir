// A reduction inside the row that loops over tiles of its axis: what does not vary
// over the axis is outside of the loop, and the last tile may overhang the axis.
// RUN: cascade-opt %s --convert-cascade-to-cluster | FileCheck %s

// CHECK-LABEL: gpu.func @dots(
// CHECK-SAME: !llvm.ptr<1> {{.*}}, %[[Z:arg[0-9]+]]: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %{{.*}}: !llvm.ptr<1> {llvm.noalias}
// The tiles of the row, then those of the inner axis.
// CHECK: scf.for
// CHECK: llvm.getelementptr inbounds %[[Z]]
// CHECK: %[[SCALE:.*]] = llvm.load
// CHECK: %[[DOT:.*]]:2 = scf.for
// CHECK: arith.cmpi slt
// CHECK: llvm.load
// CHECK: arith.mulf %{{.*}}, %[[SCALE]]
// CHECK: scf.yield
// CHECK: cluster.all_reduce(%[[DOT]]#0, %[[DOT]]#1) scope(warp) kind(add, add)
func.func @dots(%x: tensor<64x1000xf32>, %y: tensor<1000xf32>, %z: tensor<64xf32>) -> tensor<f32> {
  %r = cascade.chain (l, d)
      ins(%x[l, d] : tensor<64x1000xf32>, %y[d] : tensor<1000xf32>, %z[l] : tensor<64xf32>) outs([] : tensor<f32>)
      attributes {mapping = #cascade.mapping<l: loop x reg(2), d: loop x reg(3) x lane(32)>} {
  ^bb0(%e: f32, %w: f32, %c: f32):
    %p = arith.mulf %e, %w : f32
    %pc = arith.mulf %p, %c : f32
    %s = cascade.reduce add %pc over (d) : f32
    %m = cascade.reduce max %s over (l) : f32
    cascade.yield %m : f32
  }
  return %r : tensor<f32>
}
