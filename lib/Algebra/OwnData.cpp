//===- OwnData.cpp - Exponents that stay at or below 0 --------------------===//
//
// In exp(x - m), m may be the maximum of just these x. Then no exponential is
// above 1 while the pass runs. Against a maximum of other data it may be of any
// size on its way.
//
//===----------------------------------------------------------------------===//

#include "SplitDetail.h"

#include <algorithm>
#include <cmath>

namespace cascade::algebra::detail {

std::vector<SignedLeaf> leavesOfSum(Expr root,
                                    const std::unordered_set<Expr> &whole) {
  std::vector<SignedLeaf> leaves, pending{{root, false}};
  while (!pending.empty() && leaves.size() <= kMaxTerms) {
    auto [node, negative] = pending.back();
    pending.pop_back();
    if (whole.count(node)) {
      leaves.push_back({node, negative});
      continue;
    }
    switch (node->kind) {
    case Kind::Add:
    case Kind::Sub:
      pending.push_back({node->operand(1), negative != node->is(Kind::Sub)});
      pending.push_back({node->operand(0), negative});
      break;
    case Kind::Neg:
      pending.push_back({node->operand(0), !negative});
      break;
    case Kind::Widen:
      pending.push_back({node->operand(0), negative});
      break;
    default:
      leaves.push_back({node, negative});
    }
  }
  return leaves;
}

/// Whether `leaf` is `value` times `scale` (null: 1).
static bool isScaled(Expr leaf, Expr value, Expr scale) {
  value = skipWidening(value);
  if (!scale)
    return skipWidening(leaf) == value;
  if (!leaf->is(Kind::Mul) && !leaf->is(Kind::Div))
    return false;
  Expr a = skipWidening(leaf->operand(0)), b = skipWidening(leaf->operand(1));
  scale = skipWidening(scale);
  if (leaf->is(Kind::Mul))
    return (a == value && b == scale) || (b == value && a == scale);
  return a == value && scale->is(Kind::Div) &&
         isConstantEqual(scale->operand(0), 1) &&
         skipWidening(scale->operand(1)) == b;
}

/// The results of which `e` is the maximum (or, `wantMax` false, the minimum).
static std::vector<Expr> extremaIn(Expr e, bool wantMax) {
  std::vector<Expr> found, pending{e};
  while (!pending.empty()) {
    Expr node = skipWidening(pending.back());
    pending.pop_back();
    if (node->is(Kind::Result))
      found.push_back(node);
    else if (node->is(wantMax ? Kind::Max : Kind::Min))
      pending.insert(pending.end(), node->operands.begin(),
                     node->operands.end());
  }
  return found;
}

/// What earlier reductions of the pass reduce.
std::unordered_set<Expr> SplitTester::valuesOfResults() {
  std::unordered_set<Expr> values;
  for (const ResultInfo &result : problem.results) {
    if (!result.samePass || !result.value)
      continue;
    values.insert(skipWidening(result.value));
    for (auto [factor, power] : factorsOf(result.value).powers)
      values.insert(factor);
  }
  return values;
}

bool SplitTester::isBounded(const MixedSum &sum) {
  if (!sum.g)
    return false;
  std::vector<SignedLeaf> leaves = leavesOfSum(sum.g, valuesOfResults());
  for (const Addend &addend : sum.addends) {
    int direction = addend.negative ? 1 : -1;
    auto covers = [&](const SignedLeaf &leaf) {
      return leaf.negative != addend.negative &&
             isExtremum(addend, leaf.value, direction);
    };
    auto match = std::find_if(leaves.begin(), leaves.end(), covers);
    if (match == leaves.end())
      return false;
    leaves.erase(match);
  }
  return std::all_of(leaves.begin(), leaves.end(), [&](const SignedLeaf &leaf) {
    return dependence.neutral(leaf.value);
  });
}

/// Whether `addend` is the maximum (1) or minimum (-1) over all of `leaf`.
bool SplitTester::isExtremum(const Addend &addend, Expr leaf,
                             int direction) const {
  for (Expr symbol : extremaIn(addend.value, direction > 0)) {
    if (symbol->id >= problem.results.size())
      continue;
    const ResultInfo &result = problem.results[symbol->id];
    if (result.value && result.coversDomain && result.accumulatesPlainly &&
        info(result.kind).direction == direction &&
        isScaled(leaf, result.value, addend.scale))
      return true;
  }
  return false;
}

} // namespace cascade::algebra::detail
