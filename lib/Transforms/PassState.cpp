//===- PassState.cpp - The state of a running pass ------------------------===//

#include "cascade/Transforms/PassState.h"
#include "KeyedReductions.h"
#include "cascade/Dialect/Cascade/IR/ReductionKind.h"

using namespace mlir;
using namespace cascade;

Value cascade::cloneSlice(OpBuilder &b, Value value, IRMapping &mapping) {
  // Iterative post-order, so that a long body does not exhaust the stack.
  SmallVector<Value> worklist{value};
  while (!worklist.empty()) {
    Value next = worklist.back();
    if (mapping.contains(next)) {
      worklist.pop_back();
      continue;
    }
    Operation *op = next.getDefiningOp();
    assert(op && !isa<ReduceOp>(op) && "unmapped leaf of a slice");
    bool ready = true;
    for (Value operand : op->getOperands())
      if (!mapping.contains(operand)) {
        worklist.push_back(operand);
        ready = false;
      }
    if (ready) {
      b.clone(*op, mapping);
      worklist.pop_back();
    }
  }
  return mapping.lookup(value);
}

unsigned PassState::getNumValues(ReduceOp reduce) {
  return reduce.getNumEntries() * reduce.getNumResults();
}

unsigned PassState::offsetOf(ReduceOp reduce) const {
  unsigned offset = 0;
  for (ReduceOp member : pass.reduces) {
    if (member == reduce)
      return offset;
    offset += getNumValues(member);
  }
  return offset;
}

SmallVector<Value> PassState::valuesOf(OpResult result,
                                       ValueRange state) const {
  auto reduce = cast<ReduceOp>(result.getOwner());
  unsigned position = offsetOf(reduce) + result.getResultNumber();
  SmallVector<Value> values;
  for (int64_t entry = 0; entry < reduce.getNumEntries(); ++entry)
    values.push_back(state[position + entry * reduce.getNumResults()]);
  return values;
}

SmallVector<Type> PassState::getTypes() const {
  SmallVector<Type> types;
  for (ReduceOp reduce : pass.reduces)
    for (int64_t entry = 0; entry < reduce.getNumEntries(); ++entry)
      llvm::append_range(types, reduce->getResultTypes());
  return types;
}

SmallVector<Value> PassState::identity(OpBuilder &b, Location loc,
                                       ReduceOp reduce,
                                       IRMapping &outer) const {
  SmallVector<Value> values;
  if (isKeyed(reduce.getKind()))
    return keyedIdentity(b, loc, reduce);
  if (!isElementwise(reduce.getKind())) {
    for (Value init : reduce.getInits())
      values.push_back(cloneSlice(b, init, outer));
    return values;
  }
  for (Type type : reduce.getResultTypes())
    values.push_back(
        arith::ConstantOp::create(b, loc, identityOf(reduce.getKind(), type)));
  return values;
}

SmallVector<Value> PassState::identity(OpBuilder &b, Location loc,
                                       IRMapping &outer) const {
  SmallVector<Value> state;
  for (ReduceOp reduce : pass.reduces)
    llvm::append_range(state, identity(b, loc, reduce, outer));
  return state;
}

/// Puts a usable number in the place of a reference that cannot be used.
static Value applyGuard(OpBuilder &b, Location loc, ReferenceGuard guard,
                        Value ref) {
  auto type = dyn_cast<FloatType>(ref.getType());
  if (!type || guard == ReferenceGuard::None)
    return ref;
  auto constant = [&](APFloat value) -> Value {
    return arith::ConstantOp::create(b, loc, FloatAttr::get(type, value));
  };
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  if (guard == ReferenceGuard::Centre) {
    Value magnitude = math::AbsFOp::create(b, loc, ref);
    Value finite =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, magnitude,
                              constant(APFloat::getInf(semantics)));
    return arith::SelectOp::create(b, loc, finite, ref,
                                   constant(APFloat::getZero(semantics)));
  }
  if (guard == ReferenceGuard::Exponent) {
    // An infinite reference is taken as 0.
    Value magnitude = math::AbsFOp::create(b, loc, ref);
    Value infinite =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, magnitude,
                              constant(APFloat::getInf(semantics)));
    return arith::SelectOp::create(b, loc, infinite,
                                   constant(APFloat::getZero(semantics)), ref);
  }
  // A zero or infinite reference is taken as 1: nothing may vanish against the
  // -inf of a maximum over nothing so far.
  Value magnitude = math::AbsFOp::create(b, loc, ref);
  Value positive =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UGT, magnitude,
                            constant(APFloat::getZero(semantics)));
  Value finite =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, magnitude,
                            constant(APFloat::getInf(semantics)));
  Value usable = arith::AndIOp::create(b, loc, positive, finite);
  return arith::SelectOp::create(b, loc, usable, ref,
                                 constant(APFloat::getOne(semantics)));
}

SmallVector<Value> PassState::references(OpBuilder &b, Location loc,
                                         ReduceOp reduce, ValueRange state,
                                         const IRMapping &outer) const {
  SmallVector<Value> values;
  if (reduce.getRefs().empty())
    return values;
  IRMapping mapping = outer;
  unsigned offset = 0;
  for (ReduceOp member : pass.reduces) {
    if (member == reduce)
      break;
    // A list is no reference: it has an entry for every position of its axis.
    if (member.getKind() != ReductionKind::Topk)
      mapping.map(member->getResults(),
                  state.slice(offset, member.getNumResults()));
    offset += getNumValues(member);
  }
  for (auto [index, ref] : llvm::enumerate(reduce.getRefs()))
    values.push_back(applyGuard(b, loc, reduce.getGuard(index),
                                cloneSlice(b, ref, mapping)));
  return values;
}

/// Clones the single block of `region` with `arguments` for its arguments; what
/// the region captures is cloned in terms of `outer`.
static SmallVector<Value> inlineRegion(OpBuilder &b, Region &region,
                                       ArrayRef<Value> arguments,
                                       const IRMapping &outer) {
  IRMapping mapping = outer;
  Block &block = region.front();
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator()) {
    for (Value operand : op.getOperands())
      cloneSlice(b, operand, mapping);
    b.clone(op, mapping);
  }
  SmallVector<Value> results;
  for (Value value : cast<YieldOp>(block.getTerminator()).getValues())
    results.push_back(cloneSlice(b, value, mapping));
  return results;
}

SmallVector<Value> PassState::correct(OpBuilder &b, Location loc,
                                      ReduceOp reduce, ValueRange accumulators,
                                      ValueRange oldRefs, ValueRange newRefs,
                                      const IRMapping &outer) const {
  if (reduce.getCorrection().empty())
    return SmallVector<Value>(accumulators);
  unsigned count = reduce.getNumResults();
  SmallVector<Value> corrected;
  for (unsigned first = 0; first < accumulators.size(); first += count) {
    SmallVector<Value> arguments(accumulators.slice(first, count));
    llvm::append_range(arguments, oldRefs);
    llvm::append_range(arguments, newRefs);
    llvm::append_range(
        corrected, inlineRegion(b, reduce.getCorrection(), arguments, outer));
  }
  return corrected;
}

/// Whether `value`, of a correction, is its argument `accumulator` to the bit
/// where every old reference is equal to the new one.
static bool isKeptBetweenEqual(Value value, BlockArgument accumulator,
                               ValueRange oldRefs, ValueRange newRefs) {
  if (value == accumulator)
    return true;
  auto select = value.getDefiningOp<arith::SelectOp>();
  if (!select)
    return false;
  auto isKept = [&](Value chosen) {
    return isKeptBetweenEqual(chosen, accumulator, oldRefs, newRefs);
  };
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  bool isEqual = false;
  if (compare && compare.getPredicate() == arith::CmpFPredicate::OEQ)
    for (auto [before, after] : llvm::zip_equal(oldRefs, newRefs))
      isEqual |= compare.getLhs() == before && compare.getRhs() == after;
  return isKept(select.getTrueValue()) &&
         (isEqual || isKept(select.getFalseValue()));
}

bool PassState::keepsBetweenEqual(ReduceOp reduce) {
  if (reduce.getCorrection().empty())
    return true;
  Block &block = reduce.getCorrection().front();
  unsigned count = reduce.getNumResults(), numRefs = reduce.getRefs().size();
  ArrayRef<BlockArgument> arguments = block.getArguments();
  SmallVector<Value> oldRefs(arguments.slice(count, numRefs));
  SmallVector<Value> newRefs(arguments.slice(count + numRefs, numRefs));
  auto yields = cast<YieldOp>(block.getTerminator()).getValues();
  return llvm::all_of(
      llvm::zip_equal(yields, arguments.take_front(count)), [&](auto pair) {
        return isKeptBetweenEqual(std::get<0>(pair), std::get<1>(pair), oldRefs,
                                  newRefs);
      });
}

SmallVector<Value> PassState::combine(OpBuilder &b, Location loc,
                                      ReduceOp reduce, ValueRange lhs,
                                      ValueRange rhs,
                                      const IRMapping &outer) const {
  if (isKeyed(reduce.getKind()))
    return mergeLists(b, loc, reduce, lhs, rhs);
  if (!isElementwise(reduce.getKind())) {
    SmallVector<Value> arguments(lhs);
    llvm::append_range(arguments, rhs);
    return inlineRegion(b, reduce.getCombiner(), arguments, outer);
  }
  SmallVector<Value> results;
  for (auto [left, right] : llvm::zip_equal(lhs, rhs))
    results.push_back(createCombine(b, loc, reduce.getKind(), left, right));
  return results;
}

SmallVector<Value> PassState::insert(OpBuilder &b, Location loc,
                                     ReduceOp reduce, ValueRange accumulators,
                                     ValueRange values,
                                     const IRMapping &outer) const {
  if (reduce.getKind() == ReductionKind::Topk)
    return insertIntoList(b, loc, reduce, accumulators, values, Value());
  return combine(b, loc, reduce, accumulators, values, outer);
}

SmallVector<Value> PassState::insertAll(OpBuilder &b, Location loc,
                                        ReduceOp reduce,
                                        ValueRange accumulators,
                                        ArrayRef<SmallVector<Value>> elements,
                                        ArrayRef<Value> domains,
                                        IRMapping &outer) const {
  if (reduce.getKind() == ReductionKind::Topk) {
    SmallVector<Value> list(accumulators);
    for (auto [number, element] : llvm::enumerate(elements))
      list = insertIntoList(b, loc, reduce, list, element,
                            domains.empty() ? Value() : domains[number]);
    return list;
  }
  // The elements are combined in a balanced tree.
  SmallVector<SmallVector<Value>> partial(elements);
  SmallVector<Value> none = identity(b, loc, reduce, outer);
  for (auto [number, domain] : llvm::enumerate(domains))
    if (domain)
      for (auto [value, other] : llvm::zip_equal(partial[number], none))
        value = arith::SelectOp::create(b, loc, domain, value, other);
  while (partial.size() > 1) {
    SmallVector<SmallVector<Value>> next;
    for (unsigned i = 0; i + 1 < partial.size(); i += 2)
      next.push_back(
          combine(b, loc, reduce, partial[i], partial[i + 1], outer));
    if (partial.size() % 2)
      next.push_back(partial.back());
    partial = std::move(next);
  }
  return combine(b, loc, reduce, accumulators, partial.front(), outer);
}

SmallVector<Value> PassState::merge(OpBuilder &b, Location loc, ValueRange lhs,
                                    ValueRange rhs,
                                    const IRMapping &outer) const {
  SmallVector<Value> merged;
  unsigned offset = 0;
  for (ReduceOp reduce : pass.reduces) {
    unsigned count = getNumValues(reduce);
    SmallVector<Value> left = references(b, loc, reduce, lhs, outer);
    SmallVector<Value> right = references(b, loc, reduce, rhs, outer);
    SmallVector<Value> target = references(b, loc, reduce, merged, outer);
    llvm::append_range(merged,
                       combine(b, loc, reduce,
                               correct(b, loc, reduce, lhs.slice(offset, count),
                                       left, target, outer),
                               correct(b, loc, reduce, rhs.slice(offset, count),
                                       right, target, outer),
                               outer));
    offset += count;
  }
  return merged;
}
