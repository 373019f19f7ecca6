// RUN: not cascade-opt %s --convert-cascade-to-loops=segments=0 2>&1 | FileCheck %s
// CHECK: error: segments must be at least 1, got 0
