// The verdict of well-known chains: how many passes over the data. A refused chain
// passes every numeric test, so verdicts have tests of their own.
// RUN: cascade-compile %s --explain=json | sed 's/{"name"/\n&/g' | FileCheck %s
// RUN: cascade-opt %s --cascade-fuse --verify-roundtrip -o /dev/null

// The sink takes part in the maximum and is counted once.
// CHECK: "name": "attention_sink"{{.*}}"passes":{"l":1}
func.func @attention_sink(%x_in: tensor<?x?xf32>, %v_in: tensor<?x?xf32>, %sink_in: f32) -> tensor<?xf32> {
  %out = cascade.chain (i, l)
      ins(%x_in[i, l] : tensor<?x?xf32>,
          %v_in[i, l] : tensor<?x?xf32>,
          %sink_in[] : f32)
      outs([i] : tensor<?xf32>) {
  ^bb0(%x: f32, %v: f32, %sink: f32):
    %m0 = cascade.reduce max %x over (l) : f32
    %m = arith.maximumf %m0, %sink : f32
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    %t0 = cascade.reduce add %e over (l) : f32
    %ds = arith.subf %sink, %m : f32
    %es = math.exp %ds : f32
    %t = arith.addf %t0, %es : f32
    %p = arith.divf %e, %t : f32
    %pv = arith.mulf %p, %v : f32
    %s = cascade.reduce add %pv over (l) : f32
    cascade.yield %s : f32
  }
  return %out : tensor<?xf32>
}

// Sum of squared weights: H = exp(-2 m) / t^2.
// CHECK: "name": "renyi_2"{{.*}}"passes":{"l":1}
func.func @renyi_2(%x_in: tensor<?x?xf32>) -> tensor<?xf32> {
  %out = cascade.chain (i, l)
      ins(%x_in[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%x: f32):
    %m = cascade.reduce max %x over (l) : f32
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    %t = cascade.reduce add %e over (l) : f32
    %p = arith.divf %e, %t : f32
    %q = arith.mulf %p, %p : f32
    %s = cascade.reduce add %q over (l) : f32
    cascade.yield %s : f32
  }
  return %out : tensor<?xf32>
}

// A softcap belongs to the elements.
// CHECK: "name": "softcap"{{.*}}"passes":{"l":1}
func.func @softcap(%x_in: tensor<?x?xf32>, %v_in: tensor<?x?xf32>) -> tensor<?xf32> {
  %out = cascade.chain (i, l)
      ins(%x_in[i, l] : tensor<?x?xf32>,
          %v_in[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%x: f32, %v: f32):
    %c = arith.constant 30.0 : f32
    %z = arith.divf %x, %c : f32
    %h = math.tanh %z : f32
    %u = arith.mulf %h, %c : f32
    %m = cascade.reduce max %u over (l) : f32
    %d = arith.subf %u, %m : f32
    %e = math.exp %d : f32
    %t = cascade.reduce add %e over (l) : f32
    %p = arith.divf %e, %t : f32
    %pv = arith.mulf %p, %v : f32
    %s = cascade.reduce add %pv over (l) : f32
    cascade.yield %s : f32
  }
  return %out : tensor<?xf32>
}

// A bias that depends on the index.
// CHECK: "name": "alibi"{{.*}}"passes":{"l":1}
func.func @alibi(%x_in: tensor<?x?xf32>, %slope_in: tensor<?xf32>) -> tensor<?xf32> {
  %out = cascade.chain (i, l)
      ins(%x_in[i, l] : tensor<?x?xf32>,
          %slope_in[i] : tensor<?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%x: f32, %slope: f32):
    %j = cascade.index l : i32
    %jf = arith.sitofp %j : i32 to f32
    %b = arith.mulf %jf, %slope : f32
    %u = arith.addf %x, %b : f32
    %m = cascade.reduce max %u over (l) : f32
    %d = arith.subf %u, %m : f32
    %e = math.exp %d : f32
    %t = cascade.reduce add %e over (l) : f32
    cascade.yield %t : f32
  }
  return %out : tensor<?xf32>
}

// r is deferred.
// CHECK: "name": "rmsnorm_backward"{{.*}}"passes":{"l":1}
func.func @rmsnorm_backward(%x_in: tensor<?x?xf32>, %dy_in: tensor<?x?xf32>, %g_in: tensor<?xf32>) -> tensor<?xf32> {
  %out = cascade.chain (i, l)
      ins(%x_in[i, l] : tensor<?x?xf32>,
          %dy_in[i, l] : tensor<?x?xf32>,
          %g_in[l] : tensor<?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%x: f32, %dy: f32, %g: f32):
    %xx = arith.mulf %x, %x : f32
    %sum = cascade.reduce add %xx over (l) : f32
    %n = cascade.extent l : i32
    %nf = arith.sitofp %n : i32 to f32
    %ms = arith.divf %sum, %nf : f32
    %eps = arith.constant 1.0e-5 : f32
    %me = arith.addf %ms, %eps : f32
    %r = math.rsqrt %me : f32
    %a = arith.mulf %dy, %g : f32
    %b = arith.mulf %a, %x : f32
    %c = arith.mulf %b, %r : f32
    %s = cascade.reduce add %c over (l) : f32
    cascade.yield %s : f32
  }
  return %out : tensor<?xf32>
}

// The factor min(1, c / n) has no inverse and needs none.
// CHECK: "name": "clip_by_norm"{{.*}}"passes":{"l":1}
func.func @clip_by_norm(%x_in: tensor<?x?xf32>, %w_in: tensor<?xf32>) -> tensor<?xf32> {
  %out = cascade.chain (i, l)
      ins(%x_in[i, l] : tensor<?x?xf32>,
          %w_in[l] : tensor<?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%x: f32, %w: f32):
    %xx = arith.mulf %x, %x : f32
    %sum = cascade.reduce add %xx over (l) : f32
    %n = math.sqrt %sum : f32
    %c = arith.constant 1.0 : f32
    %q = arith.divf %c, %n : f32
    %one = arith.constant 1.0 : f32
    %k = arith.minimumf %q, %one : f32
    %xw = arith.mulf %x, %w : f32
    %u = arith.mulf %xw, %k : f32
    %s = cascade.reduce add %u over (l) : f32
    cascade.yield %s : f32
  }
  return %out : tensor<?xf32>
}

// Scale by the largest magnitude, without rounding.
// CHECK: "name": "absmax_dot"{{.*}}"passes":{"l":1}
func.func @absmax_dot(%x_in: tensor<?x?xf32>, %w_in: tensor<?xf32>) -> tensor<?xf32> {
  %out = cascade.chain (i, l)
      ins(%x_in[i, l] : tensor<?x?xf32>,
          %w_in[l] : tensor<?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%x: f32, %w: f32):
    %abs = math.absf %x : f32
    %a = cascade.reduce max %abs over (l) : f32
    %c = arith.constant 448.0 : f32
    %sc = arith.divf %c, %a : f32
    %u = arith.mulf %x, %sc : f32
    %p = arith.mulf %u, %w : f32
    %s = cascade.reduce add %p over (l) : f32
    cascade.yield %s : f32
  }
  return %out : tensor<?xf32>
}

// The same rounded to fp8: two passes.
// CHECK: "name": "absmax_dot_fp8"{{.*}}"passes":{"l":2}
func.func @absmax_dot_fp8(%x_in: tensor<?x?xf32>, %w_in: tensor<?xf32>) -> tensor<?xf32> {
  %out = cascade.chain (i, l)
      ins(%x_in[i, l] : tensor<?x?xf32>,
          %w_in[l] : tensor<?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%x: f32, %w: f32):
    %abs = math.absf %x : f32
    %a = cascade.reduce max %abs over (l) : f32
    %c = arith.constant 448.0 : f32
    %sc = arith.divf %c, %a : f32
    %u = arith.mulf %x, %sc : f32
    %q = arith.truncf %u : f32 to f8E4M3FN
    %qe = arith.extf %q : f8E4M3FN to f32
    %p = arith.mulf %qe, %w : f32
    %s = cascade.reduce add %p over (l) : f32
    cascade.yield %s : f32
  }
  return %out : tensor<?xf32>
}

// max |x g| r with r proved not negative.
// CHECK: "name": "rmsnorm_absmax"{{.*}}"passes":{"l":1}
func.func @rmsnorm_absmax(%x_in: tensor<?x?xf32>, %g_in: tensor<?xf32>) -> tensor<?xf32> {
  %out = cascade.chain (i, l)
      ins(%x_in[i, l] : tensor<?x?xf32>,
          %g_in[l] : tensor<?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%x: f32, %g: f32):
    %xx = arith.mulf %x, %x : f32
    %sum = cascade.reduce add %xx over (l) : f32
    %n = cascade.extent l : i32
    %nf = arith.sitofp %n : i32 to f32
    %ms = arith.divf %sum, %nf : f32
    %eps = arith.constant 1.0e-5 : f32
    %me = arith.addf %ms, %eps : f32
    %r = math.rsqrt %me : f32
    %xg = arith.mulf %x, %g : f32
    %b = math.absf %xg : f32
    %c = arith.mulf %b, %r : f32
    %s = cascade.reduce max %c over (l) : f32
    cascade.yield %s : f32
  }
  return %out : tensor<?xf32>
}

// Nothing to fuse.
// CHECK: "name": "sigmoid_attention"{{.*}}"passes":{"l":1}
func.func @sigmoid_attention(%x_in: tensor<?x?xf32>, %v_in: tensor<?x?xf32>) -> tensor<?xf32> {
  %out = cascade.chain (i, l)
      ins(%x_in[i, l] : tensor<?x?xf32>,
          %v_in[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%x: f32, %v: f32):
    %one = arith.constant 1.0 : f32
    %neg = arith.negf %x : f32
    %e = math.exp %neg : f32
    %d = arith.addf %e, %one : f32
    %p = arith.divf %one, %d : f32
    %pv = arith.mulf %p, %v : f32
    %s = cascade.reduce add %pv over (l) : f32
    cascade.yield %s : f32
  }
  return %out : tensor<?xf32>
}

// Independent: the product in log space.
// CHECK: "name": "log_likelihood"{{.*}}"passes":{"l":1}
func.func @log_likelihood(%x_in: tensor<?x?xf32>) -> tensor<?xf32> {
  %out = cascade.chain (i, l)
      ins(%x_in[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%x: f32):
    %g = math.log %x : f32
    %s = cascade.reduce add %g over (l) : f32
    cascade.yield %s : f32
  }
  return %out : tensor<?xf32>
}

// The log-sum-exp of -(q - x)^2 / (2 h^2).
// CHECK: "name": "kernel_density"{{.*}}"passes":{"l":1}
func.func @kernel_density(%x_in: tensor<?x?xf32>, %q_in: tensor<?xf32>) -> tensor<?xf32> {
  %out = cascade.chain (i, l)
      ins(%x_in[i, l] : tensor<?x?xf32>,
          %q_in[i] : tensor<?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%x: f32, %q: f32):
    %z = arith.subf %q, %x : f32
    %zz = arith.mulf %z, %z : f32
    %h = arith.constant -2.0 : f32
    %u = arith.mulf %zz, %h : f32
    %m = cascade.reduce max %u over (l) : f32
    %d = arith.subf %u, %m : f32
    %e = math.exp %d : f32
    %t = cascade.reduce add %e over (l) : f32
    cascade.yield %t : f32
  }
  return %out : tensor<?xf32>
}

// Two independent sums and a finish.
// CHECK: "name": "linear_attention"{{.*}}"passes":{"l":1}
func.func @linear_attention(%x_in: tensor<?x?xf32>, %v_in: tensor<?x?xf32>) -> tensor<?xf32> {
  %out = cascade.chain (i, l)
      ins(%x_in[i, l] : tensor<?x?xf32>,
          %v_in[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%x: f32, %v: f32):
    %fv = arith.mulf %x, %v : f32
    %num = cascade.reduce add %fv over (l) : f32
    %den = cascade.reduce add %x over (l) : f32
    %s = arith.divf %num, %den : f32
    cascade.yield %s : f32
  }
  return %out : tensor<?xf32>
}

// Boolean: or over (g and h) is (or over g) and h.
// CHECK: "name": "any_all"{{.*}}"passes":{"l":1}
func.func @any_all(%x_in: tensor<?x?xf32>) -> tensor<?xf32> {
  %out = cascade.chain (i, l)
      ins(%x_in[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%x: f32):
    %zero = arith.constant 0.0 : f32
    %pos = arith.cmpf ogt, %x, %zero : f32
    %neg = arith.cmpf olt, %x, %zero : f32
    %all = cascade.reduce and %pos over (l) : i1
    %both = arith.andi %neg, %all : i1
    %any = cascade.reduce or %both over (l) : i1
    %s = arith.uitofp %any : i1 to f32
    cascade.yield %s : f32
  }
  return %out : tensor<?xf32>
}

// Rank 2.
// CHECK: "name": "layernorm_matrix"{{.*}}"passes":{"l":1}
func.func @layernorm_matrix(%x_in: tensor<?x?xf32>, %w_in: tensor<?xf32>) -> tensor<?xf32> {
  %out = cascade.chain (i, l)
      ins(%x_in[i, l] : tensor<?x?xf32>,
          %w_in[l] : tensor<?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%x: f32, %w: f32):
    %sum = cascade.reduce add %x over (l) : f32
    %n = cascade.extent l : i32
    %nf = arith.sitofp %n : i32 to f32
    %mu = arith.divf %sum, %nf : f32
    %d = arith.subf %x, %mu : f32
    %p = arith.mulf %d, %w : f32
    %s = cascade.reduce add %p over (l) : f32
    cascade.yield %s : f32
  }
  return %out : tensor<?xf32>
}

// A hinge of an earlier result.
// CHECK: "name": "sparsemax"{{.*}}"passes":{"l":2}
func.func @sparsemax(%x_in: tensor<?x?xf32>) -> tensor<?xf32> {
  %out = cascade.chain (i, l)
      ins(%x_in[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%x: f32):
    %sum = cascade.reduce add %x over (l) : f32
    %n = cascade.extent l : i32
    %nf = arith.sitofp %n : i32 to f32
    %mu = arith.divf %sum, %nf : f32
    %d = arith.subf %x, %mu : f32
    %zero = arith.constant 0.0 : f32
    %h = arith.maximumf %d, %zero : f32
    %s = cascade.reduce add %h over (l) : f32
    cascade.yield %s : f32
  }
  return %out : tensor<?xf32>
}

// An earlier result multiplies x inside the exponential.
// CHECK: "name": "scaled_exponent"{{.*}}"passes":{"l":2}
func.func @scaled_exponent(%x_in: tensor<?x?xf32>) -> tensor<?xf32> {
  %out = cascade.chain (i, l)
      ins(%x_in[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%x: f32):
    %abs = math.absf %x : f32
    %a = cascade.reduce max %abs over (l) : f32
    %z = arith.divf %x, %a : f32
    %e = math.exp %z : f32
    %s = cascade.reduce add %e over (l) : f32
    cascade.yield %s : f32
  }
  return %out : tensor<?xf32>
}

// D = sum p dp, then sum p (dp - D) k: the second sum is of rank 2.
// CHECK: "name": "softmax_backward"{{.*}}"passes":{"l":1}
func.func @softmax_backward(%x_in: tensor<?x?xf32>, %dp_in: tensor<?x?xf32>, %k_in: tensor<?x?xf32>) -> tensor<?xf32> {
  %out = cascade.chain (i, l)
      ins(%x_in[i, l] : tensor<?x?xf32>,
          %dp_in[i, l] : tensor<?x?xf32>,
          %k_in[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%x: f32, %dp: f32, %k: f32):
    %m = cascade.reduce max %x over (l) : f32
    %d = arith.subf %x, %m : f32
    %e = math.exp %d : f32
    %t = cascade.reduce add %e over (l) : f32
    %p = arith.divf %e, %t : f32
    %pd = arith.mulf %p, %dp : f32
    %D = cascade.reduce add %pd over (l) : f32
    %c = arith.subf %dp, %D : f32
    %pc = arith.mulf %p, %c : f32
    %u = arith.mulf %pc, %k : f32
    %s = cascade.reduce add %u over (l) : f32
    cascade.yield %s : f32
  }
  return %out : tensor<?xf32>
}

// A payload, then nothing that depends on it.
// CHECK: "name": "gather_after_argmax"{{.*}}"passes":{"l":1}
func.func @gather_after_argmax(%x_in: tensor<?x?xf32>, %v_in: tensor<?x?xf32>) -> tensor<?xf32> {
  %out = cascade.chain (i, l)
      ins(%x_in[i, l] : tensor<?x?xf32>,
          %v_in[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%x: f32, %v: f32):
    %j = cascade.index l : i32
    %key, %at, %val = cascade.reduce argmax %x, %j, %v over (l) : f32, i32, f32
    cascade.yield %val : f32
  }
  return %out : tensor<?xf32>
}

// Rank 3.
// CHECK: "name": "min_max_sum"{{.*}}"passes":{"l":1}
func.func @min_max_sum(%x_in: tensor<?x?xf32>) -> tensor<?xf32> {
  %out = cascade.chain (i, l)
      ins(%x_in[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%x: f32):
    %hi = cascade.reduce max %x over (l) : f32
    %lo = cascade.reduce min %x over (l) : f32
    %a = arith.subf %x, %lo : f32
    %b = arith.subf %hi, %lo : f32
    %u = arith.divf %a, %b : f32
    %q = arith.mulf %u, %u : f32
    %s = cascade.reduce add %q over (l) : f32
    cascade.yield %s : f32
  }
  return %out : tensor<?xf32>
}

// A function that passes no addend through.
// CHECK: "name": "gelu_of_centred"{{.*}}"passes":{"l":2}
func.func @gelu_of_centred(%x_in: tensor<?x?xf32>) -> tensor<?xf32> {
  %out = cascade.chain (i, l)
      ins(%x_in[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%x: f32):
    %sum = cascade.reduce add %x over (l) : f32
    %n = cascade.extent l : i32
    %nf = arith.sitofp %n : i32 to f32
    %mu = arith.divf %sum, %nf : f32
    %d = arith.subf %x, %mu : f32
    %h = math.tanh %d : f32
    %s = cascade.reduce add %h over (l) : f32
    cascade.yield %s : f32
  }
  return %out : tensor<?xf32>
}
