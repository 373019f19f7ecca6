// The merge of two states follows from the fused form: the references of both
// sides and of the union, one correction a side, then the combination.
// RUN: cascade-opt %s --cascade-fuse --convert-cascade-to-loops=segments=2 --canonicalize --cse | FileCheck %s

// A divisor: a zero reference is taken as 1, and the correction is (old / new)^2.
// CHECK-LABEL: func.func @nrm2
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG:     %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-DAG:     %[[INF:.*]] = arith.constant 0x7F800000 : f32
// CHECK:         scf.for {{.*}} iter_args(%[[LA:.*]] = %{{.*}}, %[[LS:.*]] = %{{.*}}) -> (f32, f32)
// CHECK:           %[[R:.*]]:2 = scf.for
// CHECK:             scf.yield
// CHECK:           %[[A:.*]] = arith.maximumf %[[LA]], %[[R]]#0 : f32
// CHECK-DAG:       %[[LM:.*]] = math.absf %[[LA]] : f32
// CHECK-DAG:       %[[LP:.*]] = arith.cmpf ugt, %[[LM]], %[[ZERO]] : f32
// CHECK-DAG:       %[[LF:.*]] = arith.cmpf une, %[[LM]], %[[INF]] : f32
// CHECK-DAG:       %[[LU:.*]] = arith.andi %[[LP]], %[[LF]] : i1
// CHECK-DAG:       %[[LREF:.*]] = arith.select %[[LU]], %[[LA]], %[[ONE]] : f32
// CHECK-DAG:       %[[RM:.*]] = math.absf %[[R]]#0 : f32
// CHECK-DAG:       %[[RP:.*]] = arith.cmpf ugt, %[[RM]], %[[ZERO]] : f32
// CHECK-DAG:       %[[RF:.*]] = arith.cmpf une, %[[RM]], %[[INF]] : f32
// CHECK-DAG:       %[[RU:.*]] = arith.andi %[[RP]], %[[RF]] : i1
// CHECK-DAG:       %[[RREF:.*]] = arith.select %[[RU]], %[[R]]#0, %[[ONE]] : f32
// CHECK-DAG:       %[[NM:.*]] = math.absf %[[A]] : f32
// CHECK-DAG:       %[[NP:.*]] = arith.cmpf ugt, %[[NM]], %[[ZERO]] : f32
// CHECK-DAG:       %[[NF:.*]] = arith.cmpf une, %[[NM]], %[[INF]] : f32
// CHECK-DAG:       %[[NU:.*]] = arith.andi %[[NP]], %[[NF]] : i1
// CHECK-DAG:       %[[NREF:.*]] = arith.select %[[NU]], %[[A]], %[[ONE]] : f32
// CHECK-DAG:       arith.divf %[[LREF]], %[[NREF]] : f32
// CHECK-DAG:       arith.divf %[[RREF]], %[[NREF]] : f32
// CHECK-DAG:       arith.mulf %[[LS]], %{{.*}} : f32
// CHECK-DAG:       arith.mulf %[[R]]#1, %{{.*}} : f32
// CHECK:           %[[S:.*]] = arith.addf
// CHECK-NEXT:      scf.yield %[[A]], %[[S]] : f32, f32
func.func @nrm2(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %y = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %abs = math.absf %e : f32
    %a = cascade.reduce max %abs over (l) : f32
    %u = arith.divf %e, %a : f32
    %sq = arith.mulf %u, %u : f32
    %s = cascade.reduce add %sq over (l) : f32
    %root = math.sqrt %s : f32
    %norm = arith.mulf %a, %root : f32
    cascade.yield %norm : f32
  }
  return %y : tensor<?xf32>
}

// Without references the merge is the combination alone.
// CHECK-LABEL: func.func @extremes
// CHECK:         scf.for {{.*}} iter_args(%[[LHI:.*]] = %{{.*}}, %[[LLO:.*]] = %{{.*}}) -> (f32, f32)
// CHECK:           %[[R:.*]]:2 = scf.for
// CHECK:             scf.yield
// CHECK:           %[[HI:.*]] = arith.maximumf %[[LHI]], %[[R]]#0 : f32
// CHECK-NEXT:      %[[LO:.*]] = arith.minimumf %[[LLO]], %[[R]]#1 : f32
// CHECK-NEXT:      scf.yield %[[HI]], %[[LO]] : f32, f32
func.func @extremes(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %y, %z = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>, [i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %hi = cascade.reduce max %e over (l) : f32
    %lo = cascade.reduce min %e over (l) : f32
    cascade.yield %hi, %lo : f32, f32
  }
  return %y, %z : tensor<?xf32>, tensor<?xf32>
}
