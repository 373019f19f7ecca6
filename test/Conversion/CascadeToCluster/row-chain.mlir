// One block a row: loads of 16 bytes, a balanced tree over the elements of a
// thread, one collective, one store.
// RUN: cascade-opt %s --convert-cascade-to-cluster --canonicalize --cse | FileCheck %s

// Arguments: operands, results; tensors are pointers to global memory.
// CHECK-LABEL: gpu.module @cascade_kernels
// CHECK:         gpu.func @sum(%[[X:.*]]: !llvm.ptr<1> {llvm.noalias, llvm.readonly}, %[[C:.*]]: f32, %[[Y:.*]]: !llvm.ptr<1> {llvm.noalias}) kernel attributes {cluster.dynamic_bytes = 0 : i64, known_block_size = array<i32: 128, 1, 1>} {
// CHECK-DAG:       %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:       %[[LENGTH:.*]] = arith.constant 1024 : i64
// CHECK-NOT:     scf.for

// A 64-bit base a row.
// CHECK:           %[[START:.*]] = arith.muli %{{.*}}, %[[LENGTH]] : i64
// CHECK:           llvm.getelementptr inbounds %[[X]][%[[START]]]
// CHECK-COUNT-2:   llvm.inline_asm {{.*}}"ld.global.nc.L1::no_allocate.v4.b32
// CHECK-COUNT-7:   arith.addf
// CHECK:           %[[T:.*]] = arith.addf %{{.*}}, %[[ZERO]] : f32
// CHECK-NEXT:      %[[S:.*]] = cluster.all_reduce(%[[T]]) scope(block) warps(4) kind(add) : f32
// CHECK-NEXT:      %[[R:.*]] = arith.mulf %[[S]], %[[C]] : f32

// Position 0 of the warps and lanes stores.
// CHECK-NEXT:      scf.if
// CHECK-NEXT:        %[[AT:.*]] = llvm.getelementptr inbounds %[[Y]]
// CHECK-NEXT:        llvm.store %[[R]], %[[AT]] {alignment = 4 : i64} : f32, !llvm.ptr<1>
// CHECK-NEXT:      }
// CHECK-NEXT:      gpu.return
func.func @sum(%x: tensor<8x1024xf32>, %c: f32) -> tensor<8xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<8x1024xf32>, %c[] : f32) outs([i] : tensor<8xf32>)
      attributes {mapping = #cascade.mapping<i: grid, l: reg(2) x warp(4) x lane(32) x vector(4)>} {
  ^bb0(%e: f32, %k: f32):
    %s = cascade.reduce add %e over (l) : f32
    %r = arith.mulf %s, %k : f32
    cascade.yield %r : f32
  }
  return %y : tensor<8xf32>
}
