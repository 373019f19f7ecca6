//===- Case.cpp - One collective to test ----------------------------------===//

#include "Case.h"
#include "llvm/Support/raw_ostream.h"

using namespace cascade::test;
using namespace cascade;
using cluster::Algorithm;
using cluster::Kind;
using cluster::Scope;
using runtime::ElementType;

int64_t Case::ranks() const {
  switch (scope) {
  case Scope::Warp:
    return lanes;
  case Scope::Block:
    return warpsOfGroup();
  case Scope::Cluster:
    return clusterSize();
  }
  return 0;
}

int64_t Case::resultCount(size_t k) const {
  int64_t count = operands[k].count();
  if (isSlice)
    return count;
  switch (collective) {
  case Collective::ReduceScatter:
    return count / ranks();
  case Collective::AllGather:
  case Collective::Gather:
    return count * ranks();
  default:
    return count;
  }
}

std::string Case::name() const {
  static const char *const names[] = {"all_reduce", "reduce", "reduce-scatter",
                                      "all_gather", "gather", "broadcast"};
  std::string text;
  llvm::raw_string_ostream out(text);
  out << (isSlice ? "slice." : "") << names[static_cast<int>(collective)] << ' '
      << cluster::stringifyScope(scope);
  if (algorithm != Algorithm::Auto)
    out << ' ' << cluster::stringifyAlgorithm(algorithm);
  out << " cluster " << cluster[0] << 'x' << cluster[1] << 'x' << cluster[2]
      << " threads " << threads;
  if (!isSlice)
    out << " lanes " << lanes << '@' << stride << " warps " << warpsOfGroup();
  out << " root " << root << " rounds " << rounds << ' ';
  for (const Operand &operand : operands) {
    out << runtime::nameOf(operand.type);
    if (operand.length)
      out << 'x' << operand.length;
    out << ',';
  }
  out << (hasRegion ? "region" : "kinds");
  return text;
}

std::vector<Algorithm> cascade::test::algorithmsOf(Collective collective,
                                                   bool isSlice) {
  using A = Algorithm;
  switch (collective) {
  case Collective::AllReduce:
    if (isSlice)
      return {A::Scatter, A::Ring};
    return {A::Mailbox, A::Tree, A::Ring, A::Scatter, A::Global};
  case Collective::Reduce:
    if (isSlice)
      return {A::Scatter, A::Mailbox};
    return {A::Mailbox, A::Tree, A::Global};
  case Collective::ReduceScatter:
    if (isSlice)
      return {A::Scatter};
    return {A::Mailbox, A::Global};
  case Collective::AllGather:
    if (isSlice)
      return {A::Mailbox, A::Ring};
    return {A::Mailbox, A::Ring, A::Global};
  case Collective::Gather:
    if (isSlice)
      return {A::Mailbox};
    return {A::Mailbox, A::Global};
  case Collective::Broadcast:
    if (isSlice)
      return {A::Mailbox, A::Tree};
    return {A::Mailbox, A::Tree, A::Global};
  }
  return {};
}

/// A reduction whose result of small integers is exact in the type.
static Kind kindOf(ElementType type, std::mt19937_64 &random) {
  if (type == ElementType::I1)
    return random() % 2 ? Kind::Xor : Kind::Or;
  if (type == ElementType::BF16 || type == ElementType::F16)
    return random() % 2 ? Kind::Max : Kind::MinNum;
  if (runtime::isFloat(type))
    return random() % 3 ? Kind::Add : Kind::Max;
  return random() % 3 ? Kind::Add : Kind::MaxSI;
}

void cascade::test::drawRest(Case &c, std::mt19937_64 &random) {
  auto pick = [&](auto... values) {
    std::array<int64_t, sizeof...(values)> list = {int64_t(values)...};
    return list[random() % list.size()];
  };
  c.threads = c.scope == Scope::Block ? pick(32, 96, 128, 192)
              : c.clusterSize() > 4   ? pick(32, 64)
                                      : pick(32, 64, 128);
  if (!c.isSlice) {
    c.lanes = pick(32, 32, 16, 8, 4, 2, 1);
    c.stride = int64_t(1) << random() % 6;
    while (c.stride * c.lanes > 32)
      c.stride /= 2;
    int64_t warps = c.threads / 32;
    if (c.scope != Scope::Warp && random() % 2) {
      c.warps = 1 + random() % warps;
      while (warps % c.warps != 0)
        --c.warps;
    }
  }
  int64_t ranks = c.ranks();
  if (c.isToRoot() || c.collective == Collective::Broadcast)
    c.root = random() % ranks;
  c.rounds = pick(1, 1, 2, 5);

  std::array<ElementType, 7> types = {
      ElementType::F64, ElementType::F32, ElementType::F16, ElementType::BF16,
      ElementType::I32, ElementType::I64, ElementType::I1};
  auto drawType = [&] { return types[random() % types.size()]; };
  if (c.isSlice) {
    ElementType type =
        c.isReduction() && random() % 3 == 0 ? ElementType::I32 : drawType();
    int64_t unit = 16 / runtime::byteSize(type);
    c.operands = {
        {type, unit * ranks * pick(1, 1, 2, 5), kindOf(type, random)}};
    return;
  }
  bool isCut = c.collective == Collective::ReduceScatter ||
               c.algorithm == Algorithm::Scatter;
  c.hasRegion =
      c.isReduction() && c.algorithm != Algorithm::Scatter && random() % 2;
  auto drawLength = [&]() -> int64_t {
    if (isCut)
      return ranks * pick(1, 1, 2);
    return random() % 3 == 0 ? pick(2, 3, 5) : 0;
  };
  if (c.hasRegion) {
    int64_t length = isCut ? drawLength() : 0;
    c.operands = {{ElementType::I64, length, Kind::Add},
                  {ElementType::I64, length, Kind::Add}};
    return;
  }
  int64_t count = isCut ? pick(1, 2) : pick(1, 1, 2, 3, 4);
  for (int64_t k = 0; k < count; ++k) {
    ElementType type = drawType();
    c.operands.push_back({type, drawLength(), kindOf(type, random)});
  }
}
