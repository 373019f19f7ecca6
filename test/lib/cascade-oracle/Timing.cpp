//===- Timing.cpp - How long the split test takes -------------------------===//

#include "Timing.h"
#include "Chain.h"

#include <chrono>
#include <cstdio>
#include <sys/resource.h>

namespace cascade::algebra {

namespace {

struct Shape {
  const char *name;
  Expr (*build)(Chain &chain, unsigned nodes);
};

/// The result that every large expression depends on.
Expr mean(Chain &chain) {
  return chain.context.div(
      chain.reduce(MonoidKind::Add, chain.context.element(0)), chain.extent());
}

Expr element(Chain &chain, unsigned i) { return chain.context.element(i % 8); }

Expr sumChain(Chain &chain, unsigned nodes) {
  Expr mu = mean(chain), value = chain.context.sub(element(chain, 0), mu);
  for (unsigned i = 0; i < nodes; ++i)
    value = chain.context.add(value, element(chain, i));
  return value;
}

/// x0 mu + x1 mu + ..., a sum of products.
Expr sumOfProducts(Chain &chain, unsigned nodes) {
  Expr mu = mean(chain), value = chain.context.mul(element(chain, 0), mu);
  for (unsigned i = 0; i < nodes / 2; ++i)
    value = chain.context.add(value, chain.context.mul(element(chain, i), mu));
  return value;
}

/// (x0 - mu) x1 x2 ...
Expr productChain(Chain &chain, unsigned nodes) {
  Expr mu = mean(chain), value = chain.context.sub(element(chain, 0), mu);
  for (unsigned i = 0; i < nodes; ++i)
    value = chain.context.mul(value, element(chain, i));
  return value;
}

/// A power of (x0 - mu) as a product, beyond the limit.
Expr powerChain(Chain &chain, unsigned nodes) {
  Expr mu = mean(chain), d = chain.context.sub(element(chain, 0), mu);
  Expr value = d;
  for (unsigned i = 0; i < nodes; ++i)
    value = chain.context.mul(value, d);
  return value;
}

Expr nested(Chain &chain, unsigned nodes) {
  Expr value = chain.context.mul(chain.context.abs(element(chain, 0)),
                                 chain.context.abs(mean(chain)));
  for (unsigned i = 0; i < nodes; ++i)
    value = i % 2 ? chain.context.abs(value) : chain.context.sqrt(value);
  return value;
}

Expr nestedExp(Chain &chain, unsigned nodes) {
  Expr value = chain.context.sub(element(chain, 0), mean(chain));
  for (unsigned i = 0; i < nodes; ++i)
    value = i % 2 ? chain.context.exp(value) : chain.context.sqrt(value);
  return value;
}

Expr balanced(Chain &chain, unsigned nodes) {
  Expr mu = mean(chain);
  std::vector<Expr> level;
  for (unsigned i = 0; i < nodes / 2; ++i)
    level.push_back(chain.context.mul(
        chain.context.mul(element(chain, i), chain.context.constant(i)), mu));
  while (level.size() > 1) {
    std::vector<Expr> next;
    for (size_t i = 0; i + 1 < level.size(); i += 2)
      next.push_back(chain.context.add(level[i], level[i + 1]));
    if (level.size() % 2)
      next.push_back(level.back());
    level = std::move(next);
  }
  return level[0];
}

} // namespace

/// Softmaxes and moments by turns, each with its predecessors.
static void buildChain(Chain &chain, unsigned length) {
  ExprContext &c = chain.context;
  Expr x = c.element(0), y = c.element(1), last = nullptr;
  for (unsigned i = 0; i < length; ++i) {
    Expr e = last ? c.exp(c.sub(c.mul(x, c.constant(i)), last)) : nullptr;
    switch (i % 4) {
    case 0:
      last = chain.reduce(MonoidKind::Max, c.mul(x, c.constant(i + 1)));
      break;
    case 1:
      last = chain.reduce(MonoidKind::Add, e);
      break;
    case 2: {
      Expr d = c.sub(x, c.div(last, chain.extent()));
      last = chain.reduce(MonoidKind::Add, c.mul(d, d));
      break;
    }
    default:
      last = chain.reduce(MonoidKind::Add, c.mul(c.div(x, last), y));
    }
  }
}

static double milliseconds(Chain &chain) {
  auto start = std::chrono::steady_clock::now();
  chain.fuse();
  std::chrono::duration<double, std::milli> time =
      std::chrono::steady_clock::now() - start;
  return time.count();
}

static long megabytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

static void printRow(const char *name, unsigned size, Chain &chain) {
  double time = milliseconds(chain);
  const SplitResult &v = chain.stages().back().verdict;
  std::printf("%-18s %8u %10.2f %8ld  %s\n", name, size, time, megabytes(),
              v.refusal ? v.refusal->rule.c_str()
                        : std::string(spelling(v.cls)).c_str());
  std::fflush(stdout);
}

void timeSplits() {
  std::printf("%-18s %8s %10s %8s  %s\n", "shape", "size", "ms", "peak MB",
              "verdict");
  for (unsigned length : {2u, 8u, 32u}) {
    Chain chain;
    buildChain(chain, length);
    printRow("chain", length, chain);
  }
  const Shape shapes[] = {
      {"sum", sumChain},         {"sum of products", sumOfProducts},
      {"product", productChain}, {"power", powerChain},
      {"nested roots", nested},  {"nested exp", nestedExp},
      {"balanced", balanced}};
  for (const Shape &shape : shapes)
    for (unsigned nodes : {2500u, 5000u, 10000u, 20000u})
      for (MonoidKind kind : {MonoidKind::Add, MonoidKind::Max}) {
        Chain chain;
        Expr value = shape.build(chain, nodes);
        chain.reduce(kind, value);
        std::string name =
            std::string(shape.name) + (kind == MonoidKind::Max ? ", max" : "");
        printRow(name.c_str(), nodes, chain);
      }
}

} // namespace cascade::algebra
