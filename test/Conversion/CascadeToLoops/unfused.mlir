// RUN: cascade-opt %s --convert-cascade-to-loops --canonicalize --cse | FileCheck %s

// Every reduction is a loop of its own and stands outside of the loop that uses
// it; results that share their outer axis share its loop.
// CHECK-LABEL: func.func @softmax(
// CHECK-SAME:    %[[X:.*]]: memref<?x?xf32>, %[[Y:.*]]: memref<?x?xf32>, %[[LSE:.*]]: memref<?xf32>)
// CHECK-DAG:     %[[NEG:.*]] = arith.constant 0xFF800000 : f32
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         scf.for %[[I:.*]] =
// CHECK:           %[[M:.*]] = scf.for %[[L0:.*]] = {{.*}} iter_args(%[[A:.*]] = %[[NEG]])
// CHECK:             %[[E0:.*]] = memref.load %[[X]][%[[I]], %[[L0]]]
// CHECK:             arith.maximumf %[[A]], %[[E0]]
// CHECK:           %[[T:.*]] = scf.for {{.*}} iter_args(%[[B:.*]] = %[[ZERO]])
// CHECK:             %[[D:.*]] = arith.subf %{{.*}}, %[[M]]
// CHECK:             %[[W:.*]] = math.exp %[[D]]
// CHECK:             arith.addf %[[B]], %[[W]]
// CHECK:           math.log %[[T]]
// CHECK:           memref.store %{{.*}}, %[[LSE]][%[[I]]]
// CHECK:           scf.for %[[L2:.*]] =
// CHECK:             memref.store %{{.*}}, %[[Y]][%[[I]], %[[L2]]]
// CHECK:         return
func.func @softmax(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %y, %lse = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i, l] : tensor<?x?xf32>, [i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) : f32
    %p = arith.divf %w, %t : f32
    %g = math.log %t : f32
    %s = arith.addf %m, %g : f32
    cascade.yield %p, %s : f32, f32
  }
  return %y, %lse : tensor<?x?xf32>, tensor<?xf32>
}

// Narrow accumulators are f32; the result rounds once.
// CHECK-LABEL: func.func @sum_bf16
// CHECK:         %[[S:.*]] = scf.for {{.*}} -> (f32)
// CHECK:           arith.extf %{{.*}} : bf16 to f32
// CHECK:         arith.truncf %[[S]] : f32 to bf16
func.func @sum_bf16(%x: tensor<8xbf16>) -> tensor<bf16> {
  %y = cascade.chain (l) ins(%x[l] : tensor<8xbf16>) outs([] : tensor<bf16>) {
  ^bb0(%e: bf16):
    %s = cascade.reduce add %e over (l) : bf16
    cascade.yield %s : bf16
  }
  return %y : tensor<bf16>
}

// Several axes are one nest; composite indices are expanded.
// CHECK-LABEL: func.func @two_axes
// CHECK:         scf.for %[[A:.*]] = {{.*}} iter_args
// CHECK:           scf.for %[[B:.*]] = {{.*}} iter_args
// CHECK:             %[[AB:.*]] = arith.addi %[[A]], %[[B]]
// CHECK:             memref.load %{{.*}}[%[[AB]]]
func.func @two_axes(%x: tensor<8xi32>, %u: tensor<4xi32>, %v: tensor<5xi32>) -> tensor<i32> {
  %y = cascade.chain (a, b)
      ins(%x[a + b] : tensor<8xi32>, %u[a] : tensor<4xi32>, %v[b] : tensor<5xi32>)
      outs([] : tensor<i32>) {
  ^bb0(%e: i32, %p: i32, %q: i32):
    %s = cascade.reduce add %e over (a, b) : i32
    cascade.yield %s : i32
  }
  return %y : tensor<i32>
}

// A chain that reads another one: the intermediate is allocated and freed.
// CHECK-LABEL: func.func @two_chains
// CHECK-SAME:    %[[X:.*]]: memref<?xf32>, %[[OUT:.*]]: memref<?xf32>)
// CHECK:         %[[TMP:.*]] = memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK:         memref.store %{{.*}}, %[[TMP]]
// CHECK:         memref.load %[[TMP]]
// CHECK:         memref.store %{{.*}}, %[[OUT]]
// CHECK:         memref.dealloc %[[TMP]]
func.func @two_chains(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (l) ins(%x[l] : tensor<?xf32>) outs([l] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %a = math.absf %e : f32
    cascade.yield %a : f32
  }
  %z = cascade.chain (l) ins(%y[l] : tensor<?xf32>) outs([l] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %a = math.sqrt %e : f32
    cascade.yield %a : f32
  }
  return %z : tensor<?xf32>
}

// An argument that is returned is copied.
// CHECK-LABEL: func.func @returned_argument
// CHECK-SAME:    %[[X:.*]]: memref<4xf32>, %[[R0:.*]]: memref<4xf32>, %[[R1:.*]]: memref<4xf32>, %[[R2:.*]]: memref<4xf32>)
// CHECK:         memref.copy %[[X]], %[[R0]]
// CHECK:         memref.copy %[[R1]], %[[R2]]
func.func @returned_argument(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %y = cascade.chain (l) ins(%x[l] : tensor<4xf32>) outs([l] : tensor<4xf32>) {
  ^bb0(%e: f32):
    %a = math.absf %e : f32
    cascade.yield %a : f32
  }
  return %x, %y, %y : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A function without chains is left alone.
// CHECK-LABEL: func.func @noop(%{{.*}}: tensor<4xf32>) -> tensor<4xf32>
func.func @noop(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
