// Orders of mapped values: the elements are the keys, the map comes after.
// RUN: cascade-opt %s --cascade-fuse --verify-roundtrip | FileCheck %s
// RUN: cascade-compile %s --explain=json | FileCheck %s --check-prefix=JSON

// The entry of an index of -1 is missing and keeps the identity.
// CHECK-LABEL: func.func @gate
// CHECK:       ^bb0(%[[X:.*]]: f32, %[[V:.*]]: f32):
// CHECK:         %[[AT:.*]] = cascade.index l : i32
// CHECK:         %[[M:.*]] = cascade.reduce max %[[X]] over (l) : f32
// CHECK:         %[[T:.*]] = cascade.reduce add
// CHECK:         %[[TOP:.*]]:3 = cascade.reduce topk %[[X]], %[[AT]], %[[V]] over (l) into (k) : f32, i32, f32
// CHECK:         %[[D:.*]] = arith.subf %[[TOP]]#0, %[[M]] : f32
// CHECK:         %[[E:.*]] = math.exp %[[D]] : f32
// CHECK:         %[[P:.*]] = arith.divf %[[E]], %[[T]] : f32
// CHECK:         %[[NONE:.*]] = arith.cmpi eq, %[[TOP]]#1, %c-1_i32 : i32
// CHECK:         %[[FINE:.*]] = arith.select %[[NONE]], %{{.*}}, %[[E]] : f32
// CHECK:         %[[INF:.*]] = arith.constant 0xFF800000 : f32
// CHECK:         %[[KEY:.*]] = arith.select %[[NONE]], %[[INF]], %[[P]] : f32
// CHECK:         math.absf %[[T]]
// CHECK:         arith.cmpf oge, %[[FINE]], %{{.*}} : f32
// CHECK:         cascade.yield %[[KEY]], %[[TOP]]#1, %[[TOP]]#2 replay %{{.*}} : f32, i32, f32
// CHECK:       } source {
// JSON: "name": "gate"
// JSON-SAME: "passes":{"l":1}
// JSON-SAME: "accumulators":3,"class":"separable","index":2,"kind":"topk","legality":"reassociating"
// JSON-SAME: "rank":1,"refs":[],"terms":[{"G":"x0","H":"exp(acc0 - r0) / r1","combine":"map","form":"deferred"
func.func @gate(%x: tensor<?x?xf32>, %v: tensor<?xf32>) -> (tensor<?x2xf32>, tensor<?x2xi32>, tensor<?x2xf32>) {
  %p, %j, %u = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<?x?xf32>, %v[l] : tensor<?xf32>)
      outs([i, k] : tensor<?x2xf32>, [i, k] : tensor<?x2xi32>, [i, k] : tensor<?x2xf32>) {
  ^bb0(%e: f32, %c: f32):
    %at = cascade.index l : i32
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) : f32
    %q = arith.divf %w, %t : f32
    %key, %index, %payload = cascade.reduce topk %q, %at, %c over (l) into (k) : f32, i32, f32
    cascade.yield %key, %index, %payload : f32, i32, f32
  }
  return %p, %j, %u : tensor<?x2xf32>, tensor<?x2xi32>, tensor<?x2xf32>
}

// A falling map: the keys are negated.
// CHECK-LABEL: func.func @furthest
// CHECK:         %[[KEY:.*]] = arith.negf %{{.*}} : f32
// CHECK:         %[[BEST:.*]]:2 = cascade.reduce argmax %[[KEY]], %{{.*}} over (l) : f32, index
// CHECK:         arith.addf %[[BEST]]#0, %{{.*}} : f32
// JSON: "name": "furthest"
// JSON-SAME: "passes":{"l":1}
func.func @furthest(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xindex>) {
  %a, %b = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>, [i] : tensor<?xindex>) {
  ^bb0(%e: f32):
    %at = cascade.index l : index
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %m, %e : f32
    %key, %index = cascade.reduce argmax %d, %at over (l) : f32, index
    cascade.yield %key, %index : f32, index
  }
  return %a, %b : tensor<?xf32>, tensor<?xindex>
}

// A payload that uses an earlier result is refused.
// CHECK-LABEL: func.func @payload
// CHECK:         cascade.reduce argmax %{{.*}}, %{{.*}}, %{{.*}} over (l) : f32, i32, f32
// CHECK-NOT:     replay
// JSON: "name": "payload"
// JSON-SAME: "passes":{"l":2}
// JSON-SAME: "at":"x0 * r0","class":"refused","index":1
// JSON-SAME: "pass":1,"reason":"the value carried with the key uses an earlier result","rule":"not-separable"
func.func @payload(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %a = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %at = cascade.index l : i32
    %s = cascade.reduce add %e over (l) : f32
    %w = arith.mulf %e, %s : f32
    %key, %index, %payload = cascade.reduce argmax %e, %at, %w over (l) : f32, i32, f32
    cascade.yield %payload : f32
  }
  return %a : tensor<?xf32>
}

// Entries of a list, and what goes with a key, are known when their pass is
// done: nothing is held against them, factors are.
// CHECK-LABEL: func.func @after
// CHECK:         cascade.reduce topk
// CHECK:         %[[SUM:.*]] = cascade.reduce add %{{.*}} over (l) : f32
// CHECK:         arith.mulf %[[SUM]], %{{.*}} : f32
// CHECK-NOT:     refs(
// CHECK:       } source {
// JSON: "name": "after"
// JSON-SAME: "passes":{"l":2}
// JSON-SAME: "class":"separable","index":1,{{[^}]*}}"pass":0
// JSON-SAME: "at":"r0","class":"refused","index":2
// JSON-SAME: "pass":1,"reason":"it is known only when the pass is done
// JSON-SAME: "at":"r7","class":"refused","index":4
func.func @after(%x: tensor<?x?xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>, tensor<?xf32>) {
  %a, %b, %c = cascade.chain (i, l, k)
      ins(%x[i, l] : tensor<?x?xf32>)
      outs([i, k] : tensor<?x2xf32>, [i, k] : tensor<?x2xf32>, [i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %at = cascade.index l : i32
    %key, %index = cascade.reduce topk %e, %at over (l) into (k) : f32, i32
    %p = arith.mulf %e, %key : f32
    %s = cascade.reduce add %p over (l) : f32
    %d = arith.subf %e, %key : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) : f32
    %best, %where, %also = cascade.reduce argmax %e, %at, %e over (l) : f32, i32, f32
    %f = arith.subf %e, %also : f32
    %g = arith.mulf %f, %f : f32
    %u = cascade.reduce add %g over (l) : f32
    cascade.yield %s, %t, %u : f32, f32, f32
  }
  return %a, %b, %c : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?xf32>
}
