// Sums of several products: the accumulators move together with a running centre.
// Elements far from 0 (mean 1e4, deviation 1) are where raw power sums fail.
// RUN: cascade-sweep %s --lengths=0,1,2,7,32,33,127 --rows=1,3 \
// RUN:   --segments=1,2,3,8 --patterns=rand,special | FileCheck %s
// CHECK: {{[1-9][0-9]*}} passed, 0 failed
// RUN: cascade-compile %s --explain=json | sed 's/{"name"/\n&/g' \
// RUN:   | FileCheck %s --check-prefix=JSON

// JSON: "name": "far_variance"{{.*}}"passes":{"l":1}{{.*}}"accumulators":3,{{.*}}"index":1{{.*}}"rank":3
func.func @far_variance(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %far = arith.constant 1.0e4 : f32
    %y = arith.addf %e, %far : f32
    %n = cascade.extent l : i32
    %nf = arith.sitofp %n : i32 to f32
    %s = cascade.reduce add %y over (l) : f32
    %mu = arith.divf %s, %nf : f32
    %u = arith.subf %y, %mu : f32
    %uu = arith.mulf %u, %u : f32
    %m2 = cascade.reduce add %uu over (l) : f32
    cascade.yield %m2 : f32
  }
  return %r : tensor<?xf32>
}

// JSON: "name": "weighted_variance"{{.*}}"passes":{"l":1}{{.*}}"rank":3
func.func @weighted_variance(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>) -> tensor<?xf32> {
  %r = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %w[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32, %v: f32):
    %p = math.absf %v : f32
    %sw = cascade.reduce add %p over (l) : f32
    %px = arith.mulf %p, %e : f32
    %sx = cascade.reduce add %px over (l) : f32
    %mu = arith.divf %sx, %sw : f32
    %u = arith.subf %e, %mu : f32
    %uu = arith.mulf %u, %u : f32
    %t = arith.mulf %p, %uu : f32
    %s = cascade.reduce add %t over (l) : f32
    cascade.yield %s : f32
  }
  return %r : tensor<?xf32>
}

// Three coordinates share the moment itself and the mass: 1 + 3 + 1 accumulators.
// JSON: "name": "inertia"{{.*}}"passes":{"l":1}{{.*}}"rank":5
func.func @inertia(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %z: tensor<?x?xf32>, %m: tensor<?x?xf32>) -> tensor<?xf32> {
  %r = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %y[i, l] : tensor<?x?xf32>, %z[i, l] : tensor<?x?xf32>, %m[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%px: f32, %py: f32, %pz: f32, %v: f32):
    %w = math.absf %v : f32
    %mass = cascade.reduce add %w over (l) : f32
    %wx = arith.mulf %w, %px : f32
    %wy = arith.mulf %w, %py : f32
    %wz = arith.mulf %w, %pz : f32
    %sx = cascade.reduce add %wx over (l) : f32
    %sy = cascade.reduce add %wy over (l) : f32
    %sz = cascade.reduce add %wz over (l) : f32
    %cx = arith.divf %sx, %mass : f32
    %cy = arith.divf %sy, %mass : f32
    %cz = arith.divf %sz, %mass : f32
    %dx = arith.subf %px, %cx : f32
    %dy = arith.subf %py, %cy : f32
    %dz = arith.subf %pz, %cz : f32
    %qx = arith.mulf %dx, %dx : f32
    %qy = arith.mulf %dy, %dy : f32
    %qz = arith.mulf %dz, %dz : f32
    %qxy = arith.addf %qx, %qy : f32
    %q = arith.addf %qxy, %qz : f32
    %t = arith.mulf %w, %q : f32
    %s = cascade.reduce add %t over (l) : f32
    cascade.yield %s : f32
  }
  return %r : tensor<?xf32>
}

// The Kullback-Leibler divergence of two softmaxes keeps two accumulators.
// JSON: "name": "kl"{{.*}}"passes":{"l":1}{{.*}}"rank":2
func.func @kl(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?xf32> {
  %r = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %y[i, l] : tensor<?x?xf32>)
      outs([i] : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %ma = cascade.reduce max %a over (l) : f32
    %da = arith.subf %a, %ma : f32
    %ea = math.exp %da : f32
    %ta = cascade.reduce add %ea over (l) : f32
    %la = math.log %ta : f32
    %lp = arith.subf %da, %la : f32
    %mb = cascade.reduce max %b over (l) : f32
    %db = arith.subf %b, %mb : f32
    %eb = math.exp %db : f32
    %tb = cascade.reduce add %eb over (l) : f32
    %lb = math.log %tb : f32
    %lq = arith.subf %db, %lb : f32
    %p = arith.divf %ea, %ta : f32
    %d = arith.subf %lp, %lq : f32
    %t = arith.mulf %p, %d : f32
    %s = cascade.reduce add %t over (l) : f32
    cascade.yield %s : f32
  }
  return %r : tensor<?xf32>
}

// The entropy of a softmax, written literally: 0 log 0 is a NaN, as written.
// JSON: "name": "entropy"{{.*}}"passes":{"l":1}{{.*}}"rank":2
func.func @entropy(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%a: f32):
    %m = cascade.reduce max %a over (l) : f32
    %d = arith.subf %a, %m : f32
    %e = math.exp %d : f32
    %t = cascade.reduce add %e over (l) : f32
    %p = arith.divf %e, %t : f32
    %lp = math.log %p : f32
    %q = arith.mulf %p, %lp : f32
    %nq = arith.negf %q : f32
    %s = cascade.reduce add %nq over (l) : f32
    cascade.yield %s : f32
  }
  return %r : tensor<?xf32>
}

// JSON: "name": "gaussian_log_likelihood"{{.*}}"passes":{"l":1}
func.func @gaussian_log_likelihood(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %r = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32):
    %half = arith.constant 0.5 : f32
    %n = cascade.extent l : i32
    %nf = arith.sitofp %n : i32 to f32
    %s = cascade.reduce add %e over (l) : f32
    %mu = arith.divf %s, %nf : f32
    %u = arith.subf %e, %mu : f32
    %uu = arith.mulf %u, %u : f32
    %v = cascade.reduce add %uu over (l) : f32
    %s2 = arith.divf %v, %nf : f32
    %z = arith.divf %uu, %s2 : f32
    %hz = arith.mulf %z, %half : f32
    %ls = math.log %s2 : f32
    %hl = arith.mulf %ls, %half : f32
    %t = arith.addf %hz, %hl : f32
    %nt = arith.negf %t : f32
    %l = cascade.reduce add %nt over (l) : f32
    cascade.yield %l : f32
  }
  return %r : tensor<?xf32>
}

// JSON: "name": "layernorm_matrix"{{.*}}"passes":{"l":1}
func.func @layernorm_matrix(%x: tensor<?x?xf32>, %w: tensor<?xf32>) -> tensor<?xf32> {
  %r = cascade.chain (i, l)
      ins(%x[i, l] : tensor<?x?xf32>, %w[l] : tensor<?xf32>) outs([i] : tensor<?xf32>) {
  ^bb0(%e: f32, %g: f32):
    %eps = arith.constant 1.0e-5 : f32
    %n = cascade.extent l : i32
    %nf = arith.sitofp %n : i32 to f32
    %s = cascade.reduce add %e over (l) : f32
    %mu = arith.divf %s, %nf : f32
    %u = arith.subf %e, %mu : f32
    %uu = arith.mulf %u, %u : f32
    %v = cascade.reduce add %uu over (l) : f32
    %var = arith.divf %v, %nf : f32
    %ve = arith.addf %var, %eps : f32
    %rs = math.rsqrt %ve : f32
    %z = arith.mulf %u, %rs : f32
    %t = arith.mulf %z, %g : f32
    %o = cascade.reduce add %t over (l) : f32
    cascade.yield %o : f32
  }
  return %r : tensor<?xf32>
}
