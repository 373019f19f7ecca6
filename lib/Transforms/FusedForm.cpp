//===- FusedForm.cpp - What a verdict makes of a reduction ----------------===//
//
// The core of a separable reduction becomes its value, with references and a
// correction where the core still depends on earlier results; what is deferred
// becomes arithmetic after the reduction; and what has to hold for the row to
// stand is noted.
//
//===----------------------------------------------------------------------===//

#include "ChainFuser.h"
#include "KeyedReductions.h"
#include "llvm/ADT/SetVector.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace cascade;
namespace alg = cascade::algebra;

static ReferenceGuard guardOf(alg::ReferenceGuard guard) {
  switch (guard) {
  case alg::ReferenceGuard::Exponent:
    return ReferenceGuard::Exponent;
  case alg::ReferenceGuard::Divisor:
    return ReferenceGuard::Divisor;
  case alg::ReferenceGuard::Centre:
    return ReferenceGuard::Centre;
  case alg::ReferenceGuard::None:
    return ReferenceGuard::None;
  }
  return ReferenceGuard::None;
}

/// Makes the counts and extents that `split` refers to.
void ChainFuser::makeSymbols(OpBuilder &b, Location loc, Group &group,
                             const alg::SplitResult &split) {
  llvm::DenseSet<unsigned> results, parameters;
  auto look = [&](alg::Expr expr) {
    if (!expr)
      return;
    for (unsigned id : alg::symbolsOf(expr, alg::Kind::Result))
      results.insert(id);
    for (unsigned id : alg::symbolsOf(expr, alg::Kind::Parameter))
      parameters.insert(id);
  };
  for (alg::Expr core : split.cores)
    look(core);
  for (const alg::Reference &ref : split.references)
    look(ref.value);
  for (alg::Expr scale : split.scales)
    look(scale);
  look(split.finish);
  for (unsigned id : results)
    if (id < symbols.size())
      group.bridge->translate(resultOf(symbols[id]));
  SmallVector<Attribute> over;
  for (unsigned axis : group.over.set_bits())
    over.push_back(b.getStringAttr(chain.getAxisName(axis)));
  for (auto [number, count] : llvm::enumerate(counts)) {
    unsigned id = symbols.size() + number;
    if (count.made || count.group != &group || !results.contains(id))
      continue;
    count.made = true;
    Type type = fromAlgebra(count.type, b.getContext());
    Value one = arith::ConstantOp::create(b, loc, b.getFloatAttr(type, 1));
    auto reduce =
        ReduceOp::create(b, loc, TypeRange{type}, ReductionKind::Add,
                         ValueRange{one}, count.predicate, ValueRange(),
                         ValueRange(), b.getArrayAttr(over), nullptr, nullptr);
    group.bridge->define(exprs.result(id, count.type), reduce.getResult(0));
  }
  for (auto &[key, symbol] : group.extents) {
    if (!parameters.contains(symbol->id) || group.bridge->knows(symbol))
      continue;
    // At the beginning, as every reduction of the group may use it.
    OpBuilder top = OpBuilder::atBlockBegin(chain.getBodyBlock());
    Value extent;
    for (unsigned axis : group.over.set_bits()) {
      Value one = ExtentOp::create(top, loc, top.getIndexType(),
                                   chain.getAxisName(axis));
      extent =
          extent ? Value(arith::MulIOp::create(top, loc, extent, one)) : one;
    }
    Value number =
        arith::IndexCastOp::create(top, loc, top.getI64Type(), extent);
    group.bridge->define(
        symbol,
        arith::SIToFPOp::create(
            top, loc, fromAlgebra(symbol->type, b.getContext()), number));
  }
}

ReduceOp ChainFuser::buildReduction(OpBuilder &b, ReduceOp old, Group &group,
                                    const alg::SplitResult &split) {
  Location loc = old.getLoc();
  SmallVector<Value> values, refs;
  SmallVector<int32_t> guards;
  for (alg::Expr core : split.cores)
    values.push_back(group.bridge->materialise(b, loc, core));
  llvm::append_range(values, old.getValues().drop_front()); // With a key.
  for (const alg::Reference &ref : split.references) {
    refs.push_back(group.bridge->materialise(b, loc, ref.value));
    guards.push_back(static_cast<int32_t>(guardOf(ref.guard)));
  }
  auto reduce = ReduceOp::create(
      b, loc, ValueRange(values).getTypes(), old.getKind(), values,
      old.getPredicate(), ValueRange(), refs, old.getOver(), old.getIntoAttr(),
      guards.empty() ? nullptr : b.getDenseI32ArrayAttr(guards));
  if (!split.corrections.empty())
    buildCorrection(reduce, group, split);
  return reduce;
}

void ChainFuser::rewrite(Member &member, Group &group,
                         const alg::SplitResult &split) {
  ReduceOp old = member.reduce;
  OpBuilder b(old);
  Location loc = old.getLoc();
  makeSymbols(b, loc, group, split);
  // The deferred factors, in the source's own operations.
  ExprBridge finishBridge = *group.bridge;
  ReduceOp reduce;
  if (!split.cores.empty()) {
    reduce = buildReduction(b, old, group, split);
    for (auto [number, value] :
         llvm::enumerate(reduce.getResults().take_front(split.cores.size())))
      finishBridge.define(
          exprs.accumulator(number, *toAlgebra(value.getType())), value);
  }
  alg::Expr result = exprs.castFloat(split.finish, member.value->type);
  Value finish = finishBridge.materialise(b, loc, result);
  for (alg::Expr part : split.parts)
    replay.requireComparable(finishBridge.materialise(b, loc, split.finish),
                             finishBridge.materialise(b, loc, part),
                             alg::kCancellation);
  if (isKeyed(old.getKind())) {
    finish = mapKey(b, reduce, finishBridge, split, finish);
    replacements.emplace_back(old.getResult(0), finish);
    for (auto [before, after] : llvm::drop_begin(
             llvm::zip_equal(old.getResults(), reduce.getResults())))
      replacements.emplace_back(before, after);
  } else {
    replacements.emplace_back(old.getResult(0), finish);
    if (reduce)
      for (Value value :
           llvm::concat<Value>(reduce.getResults(), reduce.getRefs()))
        replay.requireFinite(value);
  }
  watch(b, group, member, split);
}

/// The key of `reduce` once it is mapped: an entry that is missing keeps the
/// identity, which is no key.
Value ChainFuser::mapKey(OpBuilder &b, ReduceOp reduce, ExprBridge &bridge,
                         const alg::SplitResult &split, Value mapped) {
  Location loc = reduce.getLoc();
  Value missing = isMissing(b, loc, reduce.getResult(1));
  for (const alg::KeyCheck &check : split.keyChecks) {
    Value value = bridge.materialise(b, loc, check.value);
    Value fine = arith::ConstantOp::create(
        b, loc, b.getFloatAttr(value.getType(), check.high));
    replay.requireBetween(arith::SelectOp::create(b, loc, missing, fine, value),
                          check.low, check.high);
  }
  Value identity = arith::ConstantOp::create(
      b, loc, keyIdentity(reduce.getKind(), mapped.getType()));
  return arith::SelectOp::create(b, loc, missing, identity, mapped);
}

void ChainFuser::buildCorrection(ReduceOp reduce, Group &group,
                                 const alg::SplitResult &split) {
  OpBuilder b(reduce.getContext());
  Location loc = reduce.getLoc();
  Block *block = b.createBlock(&reduce.getCorrection());
  ExprBridge bridge = *group.bridge; // Its values stay in this block.
  for (auto [number, result] : llvm::enumerate(reduce.getResults())) {
    alg::Type type = *toAlgebra(result.getType());
    bridge.define(exprs.accumulator(number, type),
                  block->addArgument(result.getType(), loc));
  }
  for (bool isNew : {false, true})
    for (auto [k, ref] : llvm::enumerate(reduce.getRefs())) {
      alg::Type type = *toAlgebra(ref.getType());
      bridge.define(isNew ? exprs.newRef(k, type) : exprs.oldRef(k, type),
                    block->addArgument(ref.getType(), loc));
    }
  SmallVector<Value> corrected;
  for (alg::Expr correction : split.corrections)
    corrected.push_back(bridge.materialise(b, loc, correction));
  YieldOp::create(b, loc, corrected);
}

/// Notes what must be finite, or in range, for the fused row to stand.
void ChainFuser::watch(OpBuilder &b, Group &group, Member &member,
                       const alg::SplitResult &split) {
  Location loc = member.reduce.getLoc();
  auto value = [&](alg::Expr expr) {
    return group.bridge->materialise(b, loc, expr);
  };
  if (split.deferred && split.deferredCombine == "mul")
    replay.requireModerate(value(split.deferred));
  else if (split.deferred)
    replay.requireFinite(value(split.deferred));
  for (alg::Expr factor :
       llvm::concat<const alg::Expr>(split.joined, split.multipliers))
    replay.requireModerate(value(factor));
  for (alg::Expr addend : split.addends)
    replay.requireFinite(value(addend));
  for (alg::Expr scale : split.scales)
    replay.requireNotLarge(value(scale));
  for (alg::Expr sign : split.nonNegative)
    replay.requireBetween(value(sign), 0,
                          std::numeric_limits<double>::infinity());
  watchRanges(b, group, member, split);
}

/// Finds the extremes of what a range check is about by reductions of their
/// own.
void ChainFuser::watchRanges(OpBuilder &b, Group &group, Member &member,
                             const alg::SplitResult &split) {
  Location loc = member.reduce.getLoc();
  for (const alg::RangeCheck &check : split.rangeChecks) {
    Value g = group.bridge->materialise(b, loc, check.g);
    for (bool isLow : {true, false}) {
      double bound = isLow ? check.low : check.high;
      if (std::isinf(bound))
        continue;
      auto extreme = ReduceOp::create(
          b, loc, TypeRange{g.getType()},
          isLow ? ReductionKind::Min : ReductionKind::Max, ValueRange{g},
          member.reduce.getPredicate(), ValueRange(), ValueRange(),
          member.reduce.getOver(), nullptr, nullptr);
      Value value = extreme.getResult(0);
      if (check.h)
        value = arith::AddFOp::create(
            b, loc, value,
            group.bridge->materialise(b, loc,
                                      exprs.castFloat(check.h, check.g->type)));
      double none = std::numeric_limits<double>::infinity();
      replay.requireBetween(value, isLow ? bound : -none, isLow ? none : bound);
    }
  }
}

/// Puts the fused results in the place of those as written, and the condition
/// to replay on the terminator.
void ChainFuser::finish() {
  auto yield = cast<YieldOp>(chain.getBodyBlock()->getTerminator());
  OpBuilder b(yield);
  if (Value condition = replay.build(b))
    yield.getReplayMutable().assign(condition);
  llvm::SetVector<Operation *> replaced;
  for (auto [old, replacement] : replacements) {
    old.replaceAllUsesWith(replacement);
    replaced.insert(old.getDefiningOp());
  }
  for (Operation *op : replaced)
    op->erase();
}
