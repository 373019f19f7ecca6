//===- Generator.cpp - Random chains and data -----------------------------===//

#include "Generator.h"

#include <algorithm>
#include <cmath>

namespace cascade::algebra {

double Random::normal() {
  double sum = 0;
  for (int i = 0; i < 4; ++i)
    sum += unit();
  return (sum - 2) * std::sqrt(3.0);
}

//===----------------------------------------------------------------------===//
// Pure values
//===----------------------------------------------------------------------===//

Expr Generator::reduce(MonoidKind kind, Expr value) {
  return c->reduce(kind, value, random.oneIn(8) ? nullptr : predicate);
}

Expr Generator::numRows() { return c->context.parameter(2); }

Expr Generator::index() {
  return c->context.convert("arith.sitofp", c->context.element(2, Type::I32),
                            Type::F32);
}

Expr Generator::narrowElement() {
  return c->context.widen(c->context.element(3, Type::BF16), Type::F32);
}

Expr Generator::weight() {
  ExprContext &e = c->context;
  switch (random.below(3)) {
  case 0:
    return e.abs(x(1));
  case 1:
    return e.mul(x(1), x(1));
  default:
    return e.exp(narrowElement());
  }
}

Expr Generator::pureLeaf() {
  switch (random.below(8)) {
  case 0:
    return index();
  case 1:
    return narrowElement();
  case 2:
  case 3:
    return x(1);
  default:
    return x(0);
  }
}

Expr Generator::pure(unsigned depth) {
  ExprContext &e = c->context;
  if (depth == 0)
    return random.oneIn(6) ? e.parameter(random.below(2)) : pureLeaf();
  auto next = [&] { return pure(depth - 1); };
  switch (random.below(9)) {
  case 0:
    return e.add(next(), next());
  case 1:
    return e.sub(next(), next());
  case 2:
  case 3:
    return e.mul(next(), next());
  case 4:
    return e.abs(next());
  case 5:
    return e.tanh(next());
  case 6:
    return e.max(next(), next());
  case 7:
    return e.select(e.cmp(Predicate::OLT, x(0), x(1)), next(), next());
  default:
    return e.opaque("math.sin", {next()}, Type::F32);
  }
}

//===----------------------------------------------------------------------===//
// Earlier reductions
//===----------------------------------------------------------------------===//

Expr Generator::scalar() {
  if (scalars.empty())
    return c->context.parameter(0);
  return scalars[random.below(scalars.size())];
}

void Generator::addEarlier() {
  ExprContext &e = c->context;
  auto keep = [&](Expr s) { scalars.push_back(s); };
  switch (random.below(12)) {
  case 0: { // a mean
    Expr g = random.oneIn(3) ? pure(1) : pureLeaf();
    Expr s = reduce(MonoidKind::Add, g);
    Expr mu = e.div(s, random.oneIn(3) ? constant(7) : numRows());
    keep(random.oneIn(3) ? s : mu);
    centred.emplace_back(g, mu);
    break;
  }
  case 1: { // a weighted mean
    Expr w = weight(), g = pureLeaf();
    Expr total = reduce(MonoidKind::Add, w);
    Expr mu = e.div(reduce(MonoidKind::Add, e.mul(w, g)), total);
    keep(mu);
    keep(total);
    centred.emplace_back(g, mu);
    break;
  }
  case 2: { // a maximum
    Expr g = pureLeaf();
    Expr m = reduce(random.oneIn(8) ? MonoidKind::MaxNum : MonoidKind::Max, g);
    keep(m);
    softmaxes.push_back({g, m, nullptr});
    break;
  }
  case 3:
    keep(reduce(MonoidKind::Max, e.abs(pureLeaf())));
    break;
  case 4: {
    Expr g = pureLeaf();
    Expr m = reduce(MonoidKind::Min, g);
    keep(m);
    centred.emplace_back(g, m);
    break;
  }
  case 5: { // a norm
    Expr s = reduce(MonoidKind::Add, e.mul(x(0), x(0)));
    keep(e.rsqrt(e.add(e.div(s, numRows()), constant(1e-5))));
    keep(e.sqrt(s));
    break;
  }
  case 6:
  case 7: { // the denominator of a softmax
    Expr g = pureLeaf();
    if (random.oneIn(3))
      g = e.mul(g, random.oneIn(2) ? constant(0.5) : e.parameter(1));
    Expr m = reduce(MonoidKind::Max, g);
    Expr t = reduce(MonoidKind::Add, e.exp(e.sub(g, m)));
    keep(t);
    keep(m);
    keep(e.add(m, e.log(t)));
    softmaxes.push_back({g, m, t});
    break;
  }
  case 8: // a variance
    if (!centred.empty()) {
      auto [g, mu] = centred[random.below(centred.size())];
      Expr d = e.sub(g, mu);
      Expr v = reduce(MonoidKind::Add, e.mul(d, d));
      keep(v);
      keep(e.rsqrt(e.add(e.div(v, numRows()), constant(1e-5))));
    }
    break;
  case 9:
    keep(reduce(MonoidKind::Add, constant(1)));
    break;
  case 10: // an expectation under a softmax
    if (!softmaxes.empty() && softmaxes.back().denominator) {
      const Softmax &s = softmaxes.back();
      Expr p = e.div(e.exp(e.sub(s.logit, s.maximum)), s.denominator);
      Expr d = reduce(MonoidKind::Add, e.mul(p, x(1)));
      keep(d);
      centred.emplace_back(x(1), d);
    }
    break;
  default:
    keep(reduce(MonoidKind::Add, pure(2)));
  }
}

//===----------------------------------------------------------------------===//
// The dependent value
//===----------------------------------------------------------------------===//

Expr Generator::leaf() {
  ExprContext &e = c->context;
  switch (random.below(12)) {
  case 0:
    return e.parameter(random.below(2));
  case 1: {
    static const double numbers[] = {1, -1.5, 2, 0.5, 3, 0};
    return constant(numbers[random.below(6)]);
  }
  case 2:
  case 3:
  case 4:
    return scalar();
  case 5:
  case 6:
    if (!centred.empty()) {
      auto [g, mu] = centred[random.below(centred.size())];
      return e.sub(g, mu);
    }
    return pureLeaf();
  case 7:
    if (!softmaxes.empty()) {
      const Softmax &s = softmaxes[random.below(softmaxes.size())];
      Expr w = e.exp(e.sub(s.logit, s.maximum));
      return s.denominator && random.oneIn(2) ? e.div(w, s.denominator) : w;
    }
    return pureLeaf();
  default:
    return pureLeaf();
  }
}

Expr Generator::condition() {
  ExprContext &e = c->context;
  switch (random.below(6)) {
  case 0:
    return e.element(4, Type::I1);
  case 1:
    return e.cmp(Predicate::OGT, scalar(), constant(0.5));
  case 2:
    return e.cmp(Predicate::OLT, x(0), scalar());
  case 3:
    return e.cmp(Predicate::IntSLT, e.element(2, Type::I32), e.integer(2));
  case 4:
    return e.unary(Kind::Not, e.cmp(Predicate::UGE, x(1), constant(0)));
  default:
    return e.cmp(Predicate::OLT, x(0), x(1));
  }
}

/// Exponentials are not nested, so that values stay in range.
Expr Generator::value(unsigned depth, bool inExponent) {
  ExprContext &e = c->context;
  if (depth == 0 || random.oneIn(8))
    return leaf();
  auto next = [&] { return value(depth - 1, inExponent); };
  switch (random.below(inExponent ? 19 : 22)) {
  case 0:
  case 1:
  case 2:
  case 3:
    return e.mul(next(), next());
  case 4:
  case 5:
    return e.div(next(), next());
  case 6:
    return e.neg(next());
  case 7:
    return e.abs(next());
  case 8:
    return random.oneIn(2) ? e.sqrt(next()) : e.rsqrt(next());
  case 9: {
    static const double powers[] = {2, 3, 2, 0.5, -1, 1.5};
    return e.pow(next(), constant(powers[random.below(6)]));
  }
  case 10:
  case 11:
    return e.add(next(), next());
  case 12:
  case 13:
    return e.sub(next(), next());
  case 14:
  case 15: {
    Expr when = condition(), a = next();
    return e.select(when, a, random.oneIn(2) ? constant(0) : next());
  }
  case 16:
    return random.oneIn(3) ? e.tanh(next()) : e.max(next(), next());
  case 17:
    return e.widen(e.narrow(next(), Type::BF16), Type::F32);
  case 18: {
    Expr a = next(), b = next(); // in double precision
    return e.narrow(e.mul(e.widen(a, Type::F64), e.widen(b, Type::F64)),
                    Type::F32);
  }
  case 19:
    return e.unary(random.oneIn(3) ? Kind::Log2 : Kind::Log, next());
  case 20:
    return e.unary(random.oneIn(3) ? Kind::Exp2 : Kind::Exp,
                   value(depth - 1, true));
  default: {
    Expr w = pureLeaf();
    if (!softmaxes.empty()) {
      const Softmax &s = softmaxes[random.below(softmaxes.size())];
      w = e.exp(e.sub(s.logit, s.maximum));
    }
    return e.mul(w, next());
  }
  }
}

Sample Generator::chain() {
  Sample sample;
  c = &sample.chain;
  c->firstCount = 8;
  c->options.allowMoveRounding = random.oneIn(2);
  ExprContext &e = c->context;
  if (random.oneIn(3)) {
    sample.templateIndex = random.below(templates().size());
    templates()[sample.templateIndex].build(*c, random);
    return sample;
  }
  if (random.oneIn(6))
    predicate = random.oneIn(2) ? e.element(4, Type::I1)
                                : e.cmp(Predicate::OLT, x(0), constant(0.5));
  unsigned wanted = 1 + random.below(4);
  while (c->stages().size() < wanted)
    addEarlier();
  static const MonoidKind kinds[] = {MonoidKind::Add, MonoidKind::Add,
                                     MonoidKind::Add, MonoidKind::Add,
                                     MonoidKind::Max, MonoidKind::Min};
  MonoidKind kind = kinds[random.below(6)];
  reduce(kind, value(1 + random.below(5)));
  return sample;
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

ChainData randomData(Random &random) {
  ChainData data;
  data.rows.resize(1 + random.below(12));
  double shift = random.oneIn(3)   ? 1e4
                 : random.oneIn(2) ? 0
                                   : 3 * random.normal();
  if (shift == 1e4 && !random.oneIn(3))
    shift = 2;
  double spread = random.oneIn(5) ? 20 : 1;
  bool ties = random.oneIn(8);
  for (Row &row : data.rows) {
    row.resize(kNumElements);
    for (unsigned i : {0u, 1u, 3u}) {
      double v = shift + spread * random.normal();
      row[i] = ties ? std::round(v) : v;
    }
    row[2] = static_cast<double>(random.below(9)) - 3;
    row[4] = random.below(2);
    if (random.oneIn(32))
      row[random.below(2)] = 0;
  }
  unsigned order = random.below(4);
  if (order < 2)
    std::sort(data.rows.begin(), data.rows.end(),
              [&](auto &a, auto &b) { return order == 0 ? a < b : b < a; });
  data.parameters = {random.normal(), random.oneIn(4) ? -1.5 : 0.75,
                     static_cast<double>(data.rows.size())};
  return data;
}

Segmentation randomSegmentation(Random &random, size_t rows) {
  Segmentation result;
  size_t left = rows;
  while (left > 0 || result.segments.empty()) {
    auto &segment = result.segments.emplace_back();
    if (random.oneIn(6))
      continue; // an empty one
    size_t size = std::min<size_t>(left, 1 + random.below(8));
    left -= size;
    while (size > 0) {
      unsigned tile = std::min<size_t>(size, 1 + random.below(3));
      segment.push_back(tile);
      size -= tile;
    }
  }
  return result;
}

} // namespace cascade::algebra
