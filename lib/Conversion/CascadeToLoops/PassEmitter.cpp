//===- PassEmitter.cpp - Emit a pass over the data ------------------------===//
//
// One pass is a loop nest that carries the accumulators of its reductions. For
// each iteration and each reduction in order: the accumulators are brought from
// the old references to the new ones, the value is evaluated at the new ones,
// and the two are combined.
//
//===----------------------------------------------------------------------===//

#include "ChainEvaluator.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace cascade;

//===----------------------------------------------------------------------===//
// What runs together
//===----------------------------------------------------------------------===//

/// The members of `pass` that the references of `reduce` are computed from.
static llvm::SetVector<Operation *> referenced(ReduceOp reduce,
                                               const ReductionPass &pass) {
  llvm::SetVector<Operation *> found;
  llvm::DenseSet<Value> seen;
  SmallVector<Value> worklist(reduce.getRefs());
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!op || !seen.insert(next).second)
      continue;
    if (auto behind = dyn_cast<ReduceOp>(op)) {
      if (llvm::is_contained(pass.reduces, behind) && found.insert(op))
        llvm::append_range(worklist, behind.getRefs());
      continue;
    }
    llvm::append_range(worklist, op->getOperands());
  }
  return found;
}

/// The part of the pass of `reduce` to run for it: the reductions that its
/// references need, and those that vary over the same axes with what they need.
ReductionPass ChainEvaluator::membersFor(ReduceOp reduce) {
  const ReductionPasses &passes = passesOf(reduce->getParentRegion());
  const ReductionPass &whole = passes.getPasses()[passes.passOf(reduce)];
  AxisSet axes = passAxesOf(reduce);
  llvm::DenseSet<Operation *> wanted;
  for (ReduceOp member : whole.reduces) {
    auto needed = referenced(member, whole);
    bool same =
        passAxesOf(member) == axes && llvm::all_of(needed, [&](Operation *op) {
          return !passAxesOf(cast<ReduceOp>(op)).test(axes);
        });
    if (member != reduce && !same)
      continue;
    wanted.insert(member);
    wanted.insert(needed.begin(), needed.end());
  }
  ReductionPass part;
  part.axes = whole.axes;
  for (ReduceOp member : whole.reduces)
    if (wanted.contains(member))
      part.reduces.push_back(member);
  return part;
}

/// Everything in the region that is computed from `roots`.
static llvm::DenseSet<Value> computedFrom(ValueRange roots) {
  llvm::DenseSet<Value> found;
  SmallVector<Value> worklist(roots);
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val().getUsers())
      for (Value result : user->getResults())
        if (found.insert(result).second)
          worklist.push_back(result);
  return found;
}

/// Adds what the combiner and the correction of `reduce` read from outside.
static void appendCaptures(ReduceOp reduce, SmallVector<Value> &values) {
  for (Region *region : {&reduce.getCombiner(), &reduce.getCorrection()})
    region->walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (!region->isAncestor(operand.getParentRegion()))
          values.push_back(operand);
    });
}

/// Emits what the states of `pass` read besides its own results.
FailureOr<IRMapping> ChainEvaluator::emitLeaves(const ReductionPass &pass) {
  SmallVector<Value> results, worklist;
  for (ReduceOp reduce : pass.reduces) {
    llvm::append_range(results, reduce->getResults());
    llvm::append_range(worklist, reduce.getRefs());
    llvm::append_range(worklist, reduce.getInits());
    appendCaptures(reduce, worklist);
  }
  llvm::DenseSet<Value> inside = computedFrom(results);
  llvm::DenseSet<Value> own(results.begin(), results.end());
  IRMapping outer;
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (outer.contains(next) || own.contains(next))
      continue;
    if (inside.contains(next) && !isa<ReduceOp>(next.getDefiningOp())) {
      llvm::append_range(worklist, next.getDefiningOp()->getOperands());
      continue;
    }
    FailureOr<Value> leaf = emit(next);
    if (failed(leaf))
      return failure();
    outer.map(next, *leaf);
  }
  return outer;
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

AxisSet ChainEvaluator::passAxesOf(ReduceOp reduce) const {
  AxisSet axes = axesOf(reduce.getResult(0));
  if (auto into = reduce.getInto())
    axes.reset(ChainOp(chain).getAxisNumber(*into));
  return axes;
}

/// Puts the lists of a topk where a loop over their entries can index them.
void ChainEvaluator::storeLists(const PassState &state, ReduceOp reduce,
                                ValueRange results, unsigned place) {
  Location loc = chain.getLoc();
  for (OpResult result : reduce->getResults()) {
    // Outside of all loops, so that the stack does not grow with them.
    auto type = MemRefType::get({reduce.getNumEntries()}, result.getType());
    Value buffer = memref::AllocaOp::create(frames.builderAt(0), loc, type);
    OpBuilder &b = frames.builderAt(place);
    for (auto [entry, value] :
         llvm::enumerate(state.valuesOf(result, results))) {
      Value index = arith::ConstantIndexOp::create(b, loc, entry);
      memref::StoreOp::create(b, loc, value, buffer, index);
    }
    frames.mapList(place, result, buffer);
  }
}

/// Reads the entry of a topk's result at the index of its axis.
LogicalResult ChainEvaluator::loadEntry(OpResult result, Value buffer) {
  StringRef axis = *cast<ReduceOp>(result.getOwner()).getInto();
  FailureOr<Value> index = axisIndex(chain.getAxisNumber(axis));
  if (failed(index))
    return failure();
  unsigned place = frames.placementOf(result, /*speculatable=*/true);
  OpBuilder &b = frames.builderAt(place);
  frames.map(place, result,
             memref::LoadOp::create(b, chain.getLoc(), buffer, *index));
  return success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

LogicalResult ChainEvaluator::emitReduction(ReduceOp reduce) {
  ReductionPass pass = membersFor(reduce);
  PassState state(pass);
  unsigned place = 0;
  for (ReduceOp member : pass.reduces)
    place = std::max(
        place, frames.placementOfPass(member.getResult(0), passAxesOf(member)));
  auto detached = frames.detachAbove(place);

  FailureOr<IRMapping> outer = emitLeaves(pass);
  if (failed(outer))
    return failure();
  Values identity = state.identity(frames.builder(), chain.getLoc(), *outer);
  FailureOr<Values> results =
      segments > 1 && reduce->getParentRegion() == &chain.getBody()
          ? emitSegments(state, identity, *outer)
          : emitNest(state, 0, identity, *outer);
  if (failed(results))
    return failure();
  for (ReduceOp member : pass.reduces) {
    if (member.getKind() == ReductionKind::Topk) {
      storeLists(state, member, *results, place);
      continue;
    }
    for (OpResult result : member->getResults())
      frames.map(place, result, state.valuesOf(result, *results).front());
  }
  frames.attach(std::move(detached));
  return success();
}

FailureOr<scf::ForOp> ChainEvaluator::openAxis(unsigned axis,
                                               ValueRange inits) {
  Value extent = extentOf(axis);
  OpBuilder &b = frames.builder();
  Location loc = chain.getLoc();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  auto loop = scf::ForOp::create(b, loc, zero, extent, one, inits);
  frames.openLoop(loop);
  frames.bind(axis, loop.getInductionVar());
  return loop;
}

/// The pass as one loop an axis, from the `depth`-th axis on.
FailureOr<SmallVector<Value>> ChainEvaluator::emitNest(const PassState &state,
                                                       unsigned depth,
                                                       Values accumulators,
                                                       const IRMapping &outer) {
  SmallVector<unsigned> axes(state.getPass().axes.set_bits());
  if (depth == axes.size())
    return emitStep(state, accumulators, outer);
  FailureOr<scf::ForOp> loop = openAxis(axes[depth], accumulators);
  if (failed(loop))
    return failure();
  FailureOr<Values> next =
      emitNest(state, depth + 1, Values(loop->getRegionIterArgs()), outer);
  if (failed(next))
    return failure();
  scf::YieldOp::create(frames.builder(), chain.getLoc(), *next);
  frames.close();
  return Values(loop->getResults());
}

/// The pass cut into segments of the linearised iterations: segment s of N runs
/// [s T / N, (s + 1) T / N) of T iterations.
FailureOr<SmallVector<Value>>
ChainEvaluator::emitSegments(const PassState &state, Values identity,
                             const IRMapping &outer) {
  Location loc = chain.getLoc();
  OpBuilder &b = frames.builder();
  Value total = arith::ConstantIndexOp::create(b, loc, 1);
  for (unsigned axis : state.getPass().axes.set_bits())
    total = arith::MulIOp::create(b, loc, total, extentOf(axis));
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value count = arith::ConstantIndexOp::create(b, loc, segments);
  auto loop = scf::ForOp::create(b, loc, zero, count, one, identity);
  frames.openLoop(loop);

  OpBuilder &inner = frames.builder();
  auto bound = [&](Value segment) -> Value {
    Value scaled = arith::MulIOp::create(inner, loc, segment, total);
    return arith::DivUIOp::create(inner, loc, scaled, count);
  };
  Value segment = loop.getInductionVar();
  Value begin = bound(segment);
  Value end = bound(arith::AddIOp::create(inner, loc, segment, one));
  FailureOr<Values> part = emitSegment(state, begin, end, identity, outer);
  if (failed(part))
    return failure();
  Values merged = state.merge(frames.builder(), loc, loop.getRegionIterArgs(),
                              *part, outer);
  scf::YieldOp::create(frames.builder(), loc, merged);
  frames.close();
  return Values(loop.getResults());
}

/// The iterations [begin, end) of a pass, in the order of its axes, last axis
/// fastest.
FailureOr<SmallVector<Value>>
ChainEvaluator::emitSegment(const PassState &state, Value begin, Value end,
                            Values identity, const IRMapping &outer) {
  Location loc = chain.getLoc();
  OpBuilder &b = frames.builder();
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  auto loop = scf::ForOp::create(b, loc, begin, end, one, identity);
  SmallVector<unsigned> axes(state.getPass().axes.set_bits());
  for (unsigned axis : axes)
    extentOf(axis);
  frames.openLoop(loop);
  OpBuilder &inner = frames.builder();
  Value rest = loop.getInductionVar();
  for (unsigned position = axes.size(); position-- > 0;) {
    Value index = rest;
    if (position > 0) {
      Value extent = extentOf(axes[position]);
      index = arith::RemUIOp::create(inner, loc, rest, extent);
      rest = arith::DivUIOp::create(inner, loc, rest, extent);
    }
    frames.bind(axes[position], index);
  }
  FailureOr<Values> next =
      emitStep(state, Values(loop.getRegionIterArgs()), outer);
  if (failed(next))
    return failure();
  scf::YieldOp::create(frames.builder(), loc, *next);
  frames.close();
  return Values(loop.getResults());
}

//===----------------------------------------------------------------------===//
// The step
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>>
ChainEvaluator::emitWhere(Value predicate, Values otherwise,
                          llvm::function_ref<FailureOr<Values>()> bodyOf) {
  FailureOr<Value> condition = emit(predicate);
  if (failed(condition))
    return failure();
  Location loc = chain.getLoc();
  auto branch =
      scf::IfOp::create(frames.builder(), loc, ValueRange(otherwise).getTypes(),
                        *condition, /*withElseRegion=*/true);
  frames.openIf(branch, branch.thenBlock());
  FailureOr<Values> values = bodyOf();
  if (failed(values))
    return failure();
  scf::YieldOp::create(frames.builder(), loc, *values);
  frames.close();
  OpBuilder b = OpBuilder::atBlockEnd(branch.elseBlock());
  scf::YieldOp::create(b, loc, otherwise);
  return Values(branch.getResults());
}

/// Combines the value of `reduce` with its corrected accumulators.
FailureOr<SmallVector<Value>>
ChainEvaluator::emitMember(const PassState &state, ReduceOp reduce,
                           Values accumulators, Value predicate,
                           const IRMapping &outer) {
  if (predicate)
    return emitWhere(predicate, accumulators, [&] {
      return emitMember(state, reduce, accumulators, nullptr, outer);
    });
  FailureOr<Values> values = emitAll(reduce.getValues());
  if (failed(values))
    return failure();
  return state.insert(frames.builder(), chain.getLoc(), reduce, accumulators,
                      *values, outer);
}

/// The predicate that all reductions of a pass share, if they do and it does
/// not read a reference.
static Value sharedPredicate(const ReductionPass &pass) {
  Value predicate = ReduceOp(pass.reduces.front()).getPredicate();
  if (!predicate)
    return nullptr;
  for (ReduceOp reduce : pass.reduces)
    if (reduce.getPredicate() != predicate ||
        computedFrom(reduce.getRefs()).contains(predicate) ||
        llvm::is_contained(reduce.getRefs(), predicate))
      return nullptr;
  return predicate;
}

FailureOr<SmallVector<Value>> ChainEvaluator::emitStep(const PassState &state,
                                                       Values accumulators,
                                                       const IRMapping &outer) {
  Location loc = chain.getLoc();
  Value shared = sharedPredicate(state.getPass());
  auto stepAll = [&]() -> FailureOr<Values> {
    Values next;
    // What was evaluated at one list of references serves every reduction that
    // has the same list.
    SmallVector<std::pair<ReduceOp, Frame>, 0> evaluated;
    for (ReduceOp reduce : state.getPass().reduces) {
      OpBuilder &b = frames.builder();
      Values before = state.references(b, loc, reduce, accumulators, outer);
      Values after = state.references(b, loc, reduce, next, outer);
      Values own = Values(
          ValueRange(accumulators)
              .slice(state.offsetOf(reduce), state.getNumValues(reduce)));
      own = state.correct(b, loc, reduce, own, before, after, outer);

      auto *known = llvm::find_if(evaluated, [&](auto &entry) {
        return entry.first.getRefs() == reduce.getRefs() &&
               entry.first.getGuards() == reduce.getGuards();
      });
      if (known == evaluated.end()) {
        Frame frame;
        for (auto [ref, value] : llvm::zip(reduce.getRefs(), after))
          frame.values[ref] = value;
        frame.tainted = computedFrom(reduce.getRefs());
        evaluated.emplace_back(reduce, std::move(frame));
        known = &evaluated.back();
      }
      frames.openOverride(std::move(known->second));
      FailureOr<Values> combined =
          emitMember(state, reduce, own,
                     shared ? Value() : Value(reduce.getPredicate()), outer);
      known->second = frames.close();
      if (failed(combined))
        return failure();
      llvm::append_range(next, *combined);
    }
    return next;
  };
  return shared ? emitWhere(shared, accumulators, stepAll) : stepAll();
}
