//===- Templates.cpp - Chains that are known to split, in disguise --------===//

#include "Generator.h"

namespace cascade::algebra {

namespace {

/// Short names for a template.
struct Builder {
  Chain &chain;
  Random &random;
  ExprContext &e = chain.context;

  Expr x(unsigned i) { return e.element(i); }
  Expr c(double v) { return e.constant(v); }
  Expr n() { return e.parameter(2); }
  Expr sum(Expr v) { return chain.reduce(MonoidKind::Add, v); }
  Expr max(Expr v) { return chain.reduce(MonoidKind::Max, v); }
  Expr mean(Expr v) { return e.div(sum(v), n()); }
  Expr square(Expr v) { return e.mul(v, v); }
  Expr centred(unsigned i) { return e.sub(x(i), mean(x(i))); }
  Expr narrow(unsigned i) {
    return e.widen(e.element(i, Type::BF16), Type::F32);
  }
  /// Weights exp(v - max v) and their sum.
  std::pair<Expr, Expr> softmax(Expr v) {
    Expr w = e.exp(e.sub(v, max(v)));
    return {w, sum(w)};
  }
  Expr probability(Expr v) {
    auto [w, t] = softmax(v);
    return e.div(w, t);
  }
  /// The last stage, disguised.
  void last(Expr value, MonoidKind kind = MonoidKind::Add) {
    chain.reduce(kind, disguise(e, value, random, random.below(5)));
  }
};

void attention(Builder b) { b.last(b.e.mul(b.probability(b.x(0)), b.x(1))); }
void renyi(Builder b) { b.last(b.square(b.probability(b.x(0)))); }
void softcap(Builder b) {
  Expr s = b.e.mul(b.c(30), b.e.tanh(b.e.div(b.x(0), b.c(30))));
  b.last(b.e.mul(b.probability(s), b.x(1)));
}
void masked(Builder b) {
  Expr keep =
      b.e.cmp(Predicate::IntSLT, b.e.element(2, Type::I32), b.e.integer(4));
  Expr m = b.chain.reduce(MonoidKind::Max, b.x(0), keep);
  Expr w = b.e.exp(b.e.sub(b.x(0), m));
  Expr t = b.chain.reduce(MonoidKind::Add, w, keep);
  Expr v = b.e.mul(b.e.div(w, t), b.x(1));
  b.chain.reduce(MonoidKind::Add, disguise(b.e, v, b.random, b.random.below(4)),
                 keep);
}
void variance(Builder b) { b.last(b.square(b.centred(0))); }
void covariance(Builder b) {
  Expr d = b.centred(0);
  b.last(b.e.mul(d, b.centred(1)));
}
void moment(Builder b) {
  b.last(b.e.pow(b.centred(0), b.c(3 + b.random.below(2))));
}
void weightedVariance(Builder b) {
  Expr w = b.e.exp(b.narrow(3)), total = b.sum(w);
  Expr mu = b.e.div(b.sum(b.e.mul(w, b.x(0))), total);
  b.last(b.e.mul(w, b.square(b.e.sub(b.x(0), mu))));
}
void inertia(Builder b) {
  Expr m = b.e.abs(b.narrow(3)), total = b.sum(m), sum = nullptr;
  for (unsigned i : {0u, 1u}) {
    Expr mu = b.e.div(b.sum(b.e.mul(m, b.x(i))), total);
    Expr d = b.square(b.e.sub(b.x(i), mu));
    sum = sum ? b.e.add(sum, d) : d;
  }
  b.last(b.e.mul(m, sum));
}
void divergence(Builder b) {
  Expr mp = b.max(b.x(0)), p0 = b.e.sub(b.x(0), mp), wp = b.e.exp(p0);
  Expr tp = b.sum(wp), mq = b.max(b.x(1)), q0 = b.e.sub(b.x(1), mq);
  Expr tq = b.sum(b.e.exp(q0));
  Expr difference = b.e.sub(b.e.sub(p0, b.e.log(tp)), b.e.sub(q0, b.e.log(tq)));
  b.last(b.e.mul(b.e.div(wp, tp), difference));
}
void entropy(Builder b) {
  Expr p = b.probability(b.x(0));
  b.last(b.e.neg(b.e.mul(p, b.e.log(p))));
}
void gaussian(Builder b) {
  Expr d = b.centred(0);
  Expr v = b.e.add(b.e.div(b.sum(b.square(d)), b.n()), b.c(1e-5));
  Expr quotient = b.e.div(b.square(d), b.e.mul(b.c(2), v));
  b.last(b.e.sub(b.e.neg(quotient), b.e.mul(b.c(0.5), b.e.log(v))));
}
void layerNorm(Builder b) {
  Expr d = b.centred(0);
  Expr v = b.e.div(b.sum(b.square(d)), b.n());
  b.last(b.e.mul(b.e.mul(d, b.e.rsqrt(b.e.add(v, b.c(1e-5)))), b.x(1)));
}
void softmaxBackward(Builder b) {
  Expr p = b.probability(b.x(0));
  Expr d = b.sum(b.e.mul(p, b.x(1)));
  b.last(b.e.mul(b.e.mul(p, b.e.sub(b.x(1), d)), b.narrow(3)));
}
void brier(Builder b) {
  Expr p = b.probability(b.x(0));
  b.last(b.square(b.e.sub(p, b.x(1))));
}
void minMax(Builder b) {
  Expr lo = b.chain.reduce(MonoidKind::Min, b.x(0)), hi = b.max(b.x(0));
  b.last(b.square(b.e.div(b.e.sub(b.x(0), lo), b.e.sub(hi, lo))));
}
void rmsNorm(Builder b) {
  Expr r = b.e.rsqrt(b.e.add(b.mean(b.square(b.x(0))), b.c(1e-5)));
  b.last(b.e.mul(b.e.mul(b.x(0), r), b.x(1)));
}
void cosine(Builder b) {
  Expr nx = b.e.sqrt(b.sum(b.square(b.x(0))));
  Expr ny = b.e.sqrt(b.sum(b.square(b.x(1))));
  b.last(b.e.div(b.e.mul(b.x(0), b.x(1)), b.e.mul(nx, ny)));
}
void scaledNorm(Builder b) {
  b.last(b.square(b.e.div(b.x(0), b.max(b.e.abs(b.x(0))))));
}
void bhattacharyya(Builder b) {
  Expr p = b.probability(b.x(0)), q = b.probability(b.x(1));
  b.last(b.e.sqrt(b.e.mul(p, q)));
}
void centredMaximum(Builder b) { b.last(b.centred(0), MonoidKind::Max); }
void normedMaximum(Builder b) {
  Expr r = b.e.rsqrt(b.e.add(b.mean(b.square(b.x(0))), b.c(1e-5)));
  b.last(b.e.mul(b.e.abs(b.e.mul(b.x(0), b.x(1))), r), MonoidKind::Max);
}
void crossEntropy(Builder b) {
  Expr m = b.max(b.x(0)), t = b.sum(b.e.exp(b.e.sub(b.x(0), m)));
  b.last(b.e.mul(b.x(1), b.e.sub(b.e.sub(b.x(0), m), b.e.log(t))));
}
void lseReference(Builder b) {
  Expr m = b.max(b.x(0)), t = b.sum(b.e.exp(b.e.sub(b.x(0), m)));
  b.last(b.e.mul(b.e.exp(b.e.sub(b.x(0), b.e.add(m, b.e.log(t)))), b.x(1)));
}
void residual(Builder b) {
  Expr d = b.centred(0), my = b.mean(b.x(1));
  Expr slope = b.e.div(b.sum(b.e.mul(d, b.x(1))), b.sum(b.square(d)));
  Expr r = b.e.sub(b.e.sub(b.x(1), my), b.e.mul(slope, d));
  b.last(b.square(r));
}

} // namespace

template <void (*build)(Builder)>
static void run(Chain &chain, Random &random) {
  build(Builder{chain, random});
}

const std::vector<Template> &templates() {
  static const std::vector<Template> table = {
      {"attention", run<attention>},
      {"renyi", run<renyi>},
      {"softcap", run<softcap>},
      {"masked", run<masked>},
      {"variance", run<variance>},
      {"covariance", run<covariance>},
      {"moment", run<moment>},
      {"weighted variance", run<weightedVariance>},
      {"inertia", run<inertia>},
      {"divergence", run<divergence>},
      {"entropy", run<entropy>},
      {"gaussian", run<gaussian>},
      {"layer norm", run<layerNorm>},
      {"softmax backward", run<softmaxBackward>},
      {"brier", run<brier>},
      {"min-max", run<minMax>},
      {"rms norm", run<rmsNorm>},
      {"cosine", run<cosine>},
      {"scaled norm", run<scaledNorm>},
      {"bhattacharyya", run<bhattacharyya>},
      {"centred maximum", run<centredMaximum>},
      {"normed maximum", run<normedMaximum>},
      {"cross-entropy", run<crossEntropy>},
      {"lse reference", run<lseReference>},
      {"residual", run<residual>},
  };
  return table;
}

} // namespace cascade::algebra
