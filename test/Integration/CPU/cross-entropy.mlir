// Cross-entropy: the logit of the label is picked by a select on the index.
// RUN: cascade-sweep %s --lengths=0,1,2,7,31,32,33,96,127 --rows=1,3,20 \
// RUN:   --segments=1,2,3,8 --patterns=rand,special | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed

func.func @cross_entropy(%x: tensor<?x?xbf16>, %label: tensor<?xi32>) -> tensor<?xf32> {
  %loss = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xbf16>, %label[i] : tensor<?xi32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%h: bf16, %target: i32):
    %e = arith.extf %h : bf16 to f32
    %m = cascade.reduce max %e over (l) : f32
    %d = arith.subf %e, %m : f32
    %w = math.exp %d : f32
    %t = cascade.reduce add %w over (l) : f32
    %g = math.log %t : f32
    %lse = arith.addf %m, %g : f32
    %j = cascade.index l : i32
    %hit = arith.cmpi eq, %j, %target : i32
    %zero = arith.constant 0.0 : f32
    %picked = arith.select %hit, %e, %zero : f32
    %logit = cascade.reduce add %picked over (l) : f32
    %nll = arith.subf %lse, %logit : f32
    cascade.yield %nll : f32
  }
  return %loss : tensor<?xf32>
}
