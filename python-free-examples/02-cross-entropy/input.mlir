// Cross-entropy of each row of logits against a label. Both extents are known at
// run time.
func.func @cross_entropy(%logits: tensor<?x?xbf16> {cascade.name = "logits"},
                         %label: tensor<?xi32> {cascade.name = "label"})
    -> (tensor<?xf32> {cascade.name = "loss"}) {
  %loss = cascade.chain (i, l)
      ins(%logits[i, l] : tensor<?x?xbf16>, %label[i] : tensor<?xi32>)
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
    %logit = cascade.reduce add %e over (l) where %hit : f32
    %nll = arith.subf %lse, %logit : f32
    cascade.yield %nll : f32
  }
  return %loss : tensor<?xf32>
}
