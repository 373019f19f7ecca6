//===- PassState.cpp - The state of a running pass ------------------------===//

#include "cascade/Transforms/PassState.h"
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

unsigned PassState::offsetOf(ReduceOp reduce) const {
  unsigned offset = 0;
  for (ReduceOp member : pass.reduces) {
    if (member == reduce)
      return offset;
    offset += member.getNumResults();
  }
  return offset;
}

SmallVector<Type> PassState::getTypes() const {
  SmallVector<Type> types;
  for (ReduceOp reduce : pass.reduces)
    llvm::append_range(types, reduce->getResultTypes());
  return types;
}

//===----------------------------------------------------------------------===//
// argmax and argmin: (key, index, payload...)
//===----------------------------------------------------------------------===//

static bool isArgument(ReductionKind kind) {
  return kind == ReductionKind::Argmax || kind == ReductionKind::Argmin;
}

/// The key that every other one beats, index -1 and a payload of zeros.
static SmallVector<Value> argumentIdentity(OpBuilder &b, Location loc,
                                           ReduceOp reduce) {
  bool isMax = reduce.getKind() == ReductionKind::Argmax;
  SmallVector<Value> values;
  for (auto [position, type] : llvm::enumerate(reduce->getResultTypes())) {
    ReductionKind like = ReductionKind::Add; // The identity of a sum is 0.
    if (position == 0 && isa<FloatType>(type))
      like = isMax ? ReductionKind::Max : ReductionKind::Min;
    else if (position == 0)
      like = isMax ? ReductionKind::Maxsi : ReductionKind::Minsi;
    else if (position == 1)
      like = ReductionKind::And; // That of a conjunction is -1.
    values.push_back(arith::ConstantOp::create(b, loc, identityOf(like, type)));
  }
  return values;
}

/// Takes the tuple with the better key; a NaN is better than any number, and of
/// equal keys the lower index wins. Indices compare unsigned, so that the -1 of
/// the identity loses to every iteration.
static SmallVector<Value> argumentCombine(OpBuilder &b, Location loc,
                                          ReduceOp reduce, ValueRange lhs,
                                          ValueRange rhs) {
  bool isMax = reduce.getKind() == ReductionKind::Argmax;
  Value better, tied;
  if (isa<FloatType>(lhs[0].getType())) {
    auto compare = [&](arith::CmpFPredicate predicate, Value x, Value y) {
      return arith::CmpFOp::create(b, loc, predicate, x, y).getResult();
    };
    using arith::CmpFPredicate;
    Value lhsNaN = compare(CmpFPredicate::UNO, lhs[0], lhs[0]);
    Value rhsNaN = compare(CmpFPredicate::UNO, rhs[0], rhs[0]);
    // Unordered or greater, but not where the left key is the NaN.
    Value wins = compare(isMax ? CmpFPredicate::UGT : CmpFPredicate::ULT,
                         rhs[0], lhs[0]);
    Value one = arith::ConstantIntOp::create(b, loc, 1, 1);
    Value lhsNumber = arith::XOrIOp::create(b, loc, lhsNaN, one);
    better = arith::AndIOp::create(b, loc, wins, lhsNumber);
    tied = arith::OrIOp::create(b, loc,
                                compare(CmpFPredicate::OEQ, lhs[0], rhs[0]),
                                arith::AndIOp::create(b, loc, lhsNaN, rhsNaN));
  } else {
    better = arith::CmpIOp::create(
        b, loc, isMax ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt,
        rhs[0], lhs[0]);
    tied =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lhs[0], rhs[0]);
  }
  Value lower =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, rhs[1], lhs[1]);
  Value takeRight = arith::OrIOp::create(
      b, loc, better, arith::AndIOp::create(b, loc, tied, lower));
  SmallVector<Value> results;
  for (auto [left, right] : llvm::zip_equal(lhs, rhs))
    results.push_back(arith::SelectOp::create(b, loc, takeRight, right, left));
  return results;
}

SmallVector<Value> PassState::identity(OpBuilder &b, Location loc,
                                       ReduceOp reduce,
                                       IRMapping &outer) const {
  SmallVector<Value> values;
  if (isArgument(reduce.getKind()))
    return argumentIdentity(b, loc, reduce);
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
    for (Value result : member->getResults())
      mapping.map(result, state[offset++]);
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
  SmallVector<Value> arguments(accumulators);
  llvm::append_range(arguments, oldRefs);
  llvm::append_range(arguments, newRefs);
  return inlineRegion(b, reduce.getCorrection(), arguments, outer);
}

SmallVector<Value> PassState::combine(OpBuilder &b, Location loc,
                                      ReduceOp reduce, ValueRange lhs,
                                      ValueRange rhs,
                                      const IRMapping &outer) const {
  if (isArgument(reduce.getKind()))
    return argumentCombine(b, loc, reduce, lhs, rhs);
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

SmallVector<Value> PassState::merge(OpBuilder &b, Location loc, ValueRange lhs,
                                    ValueRange rhs,
                                    const IRMapping &outer) const {
  SmallVector<Value> merged;
  unsigned offset = 0;
  for (ReduceOp reduce : pass.reduces) {
    unsigned count = reduce.getNumResults();
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
