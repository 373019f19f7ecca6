// The Bhattacharyya coefficient of two softmaxes: two references at once.
// RUN: cascade-sweep %s --lengths=0,1,2,7,31,32,33,96,127 --rows=1,3,20 \
// RUN:   --segments=1,2,3,8 --patterns=rand,special | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed

func.func @bhattacharyya(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
  %r = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %y[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %ma = cascade.reduce max %a over (l) : f32
    %da = arith.subf %a, %ma : f32
    %ea = math.exp %da : f32
    %ta = cascade.reduce add %ea over (l) : f32
    %pa = arith.divf %ea, %ta : f32
    %mb = cascade.reduce max %b over (l) : f32
    %db = arith.subf %b, %mb : f32
    %eb = math.exp %db : f32
    %tb = cascade.reduce add %eb over (l) : f32
    %pb = arith.divf %eb, %tb : f32
    %pq = arith.mulf %pa, %pb : f32
    %root = math.sqrt %pq : f32
    %s = cascade.reduce add %root over (l) : f32
    cascade.yield %s : f32
  }
  return %r : tensor<?xf32>
}
