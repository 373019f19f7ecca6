// Functions without chains stay as they are.
// RUN: cascade-opt %s --convert-cascade-to-cluster | FileCheck %s
// CHECK:     func.func @f
// CHECK-NOT: gpu.module
func.func @f(%x: f32) -> f32 {
  %y = arith.addf %x, %x : f32
  return %y : f32
}
