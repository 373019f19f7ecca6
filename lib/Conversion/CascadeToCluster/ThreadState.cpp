//===- ThreadState.cpp - The state of a pass in one thread ----------------===//

#include "ThreadState.h"
#include "cascade/Dialect/Cascade/IR/ReductionKind.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace cascade;

using State = ThreadState::State;

unsigned ThreadState::getNumValues(ReduceOp reduce) const {
  return layout.count(layout.ofStates(reduce)) *
         PassState::getNumValues(reduce);
}

SmallVector<Type> ThreadState::getTypes() const {
  SmallVector<Type> types;
  for (ReduceOp reduce : pass.reduces)
    for (unsigned left = getNumValues(reduce); left > 0;
         left -= reduce.getNumResults())
      llvm::append_range(types, reduce->getResultTypes());
  return types;
}

State ThreadState::stateAt(ValueRange state,
                           ArrayRef<unsigned> position) const {
  State values;
  unsigned offset = 0;
  for (ReduceOp reduce : pass.reduces) {
    if (offset == state.size())
      break;
    unsigned count = PassState::getNumValues(reduce);
    unsigned copy = layout.indexOf(layout.ofStates(reduce), position);
    llvm::append_range(values, state.slice(offset + copy * count, count));
    offset += getNumValues(reduce);
  }
  return values;
}

/// The positions that this thread holds of the list axis `axis`, of the
/// `entries` that all threads have.
static State ownEntries(OpBuilder &b, const KernelContext &context,
                        unsigned axis, ArrayRef<Value> entries) {
  IntBuilder ints(b, context.loc);
  const AxisPlace &place = context.axes[axis];
  State own;
  for (int64_t offset : place.offsets) {
    Int position = ints.add(place.base, ints.constant(offset));
    int64_t lanes = context.plan.axes[axis].sizeAt(Level::Lane);
    Value mine = entries[offset];
    for (int64_t lane = 1;
         lane < lanes && offset + lane < int64_t(entries.size()); ++lane)
      mine = arith::SelectOp::create(
          b, context.loc,
          arith::CmpIOp::create(b, context.loc, arith::CmpIPredicate::eq,
                                ints.materialise(position),
                                ints.materialise(ints.constant(offset + lane))),
          entries[offset + lane], mine);
    own.push_back(mine);
  }
  return own;
}

State ThreadState::elementsOf(OpBuilder &b, OpResult result,
                              ValueRange state) const {
  auto reduce = cast<ReduceOp>(result.getOwner());
  AxisSet axes = layout.of(result);
  AxisSet entries = axes;
  entries.reset(layout.ofStates(reduce));
  State elements;
  for (const Position &position : layout.positions(axes)) {
    State values = one.valuesOf(result, stateAt(state, position));
    if (auto into = reduce.getInto())
      values = ownEntries(
          b, layout.getContext(),
          ChainOp(layout.getAxes().getChain()).getAxisNumber(*into), values);
    elements.push_back(values[layout.indexOf(entries, position)]);
  }
  return elements;
}

State ThreadState::identity(OpBuilder &b, Location loc, Scope scope) const {
  State state;
  for (ReduceOp reduce : pass.reduces)
    for (const Position &position : layout.positions(layout.ofStates(reduce))) {
      IRMapping outer = scope(position);
      llvm::append_range(state, one.identity(b, loc, reduce, outer));
    }
  return state;
}

AxisSet ThreadState::axesOfReferences(ReduceOp reduce) const {
  AxisSet states = layout.ofStates(reduce);
  AxisSet used(states.size());
  for (Value ref : reduce.getRefs())
    used |= layout.of(ref);
  return used &= states;
}

References ThreadState::references(OpBuilder &b, Location loc, ReduceOp reduce,
                                   ValueRange state, Scope scope) const {
  References result;
  result.axes = axesOfReferences(reduce);
  for (const Position &position : layout.positions(result.axes))
    result.values.push_back(one.references(
        b, loc, reduce, stateAt(state, position), scope(position)));
  return result;
}

State ThreadState::elementsOf(ReduceOp reduce, unsigned index,
                              const References &references) const {
  State elements;
  for (const Position &position :
       layout.positions(layout.of(reduce.getRefs()[index])))
    elements.push_back(
        references.values[layout.indexOf(references.axes, position)][index]);
  return elements;
}

State ThreadState::correct(OpBuilder &b, Location loc, ReduceOp reduce,
                           ValueRange values, const References &oldRefs,
                           const References &newRefs, Scope scope) const {
  unsigned count = PassState::getNumValues(reduce);
  State corrected;
  for (auto [copy, position] :
       llvm::enumerate(layout.positions(layout.ofStates(reduce)))) {
    unsigned ref = layout.indexOf(oldRefs.axes, position);
    llvm::append_range(
        corrected,
        one.correct(b, loc, reduce, values.slice(copy * count, count),
                    oldRefs.values[ref], newRefs.values[ref], scope(position)));
  }
  return corrected;
}

bool cascade::isProductOfSum(Operation *op) {
  return isa<arith::MulFOp>(op) && !op->use_empty() &&
         llvm::all_of(op->getUsers(), [](Operation *user) {
           auto reduce = dyn_cast<ReduceOp>(user);
           return reduce && reduce.getKind() == ReductionKind::Add &&
                  reduce.getNumResults() == 1;
         });
}

/// The sum of `start`, which may be null, and the products that are the values
/// of the iterations, one after another: a fused multiply-add each. The
/// rounding that it leaves out is one of those that the order of a sum is free
/// in, and what overflows only before it is added is as in wider arithmetic.
static Value addProducts(OpBuilder &b, Location loc, Value start,
                         const ThreadState::Iterations &iterations) {
  for (const SmallVector<Value> &values : iterations.values)
    start = start ? Value(arith::AddFOp::create(b, loc, start, values.front(),
                                                arith::FastMathFlags::contract))
                  : values.front();
  return start;
}

State ThreadState::insert(
    OpBuilder &b, Location loc, ReduceOp reduce, ValueRange values,
    function_ref<Iterations(ArrayRef<unsigned>)> iterations,
    Scope scope) const {
  unsigned count = PassState::getNumValues(reduce);
  SmallVector<Position> copies = layout.positions(layout.ofStates(reduce));
  // Sums of one after another wait for each other: there must be several.
  constexpr size_t fewestChains = 2;
  Operation *value = reduce.getValues()[0].getDefiningOp();
  bool addsProducts = reduce.getKind() == ReductionKind::Add &&
                      copies.size() >= fewestChains && value &&
                      isProductOfSum(value);
  State state;
  for (auto [copy, position] : llvm::enumerate(copies)) {
    Iterations more = iterations(position);
    State before;
    if (!values.empty())
      before = State(values.slice(copy * count, count));
    if (addsProducts && llvm::none_of(more.domains, [](Value domain) {
          return bool(domain);
        })) {
      state.push_back(
          addProducts(b, loc, before.empty() ? Value() : before.front(), more));
      continue;
    }
    IRMapping outer = scope(position);
    if (before.empty())
      before = one.identity(b, loc, reduce, outer);
    llvm::append_range(state, one.insertAll(b, loc, reduce, before, more.values,
                                            more.domains, outer));
  }
  return state;
}

State ThreadState::combine(OpBuilder &b, Location loc, ReduceOp reduce,
                           ArrayRef<State> all, Scope scope) const {
  unsigned count = PassState::getNumValues(reduce);
  State combined;
  for (auto [copy, position] :
       llvm::enumerate(layout.positions(layout.ofStates(reduce)))) {
    IRMapping outer = scope(position);
    // Neighbours first: log2 steps deep.
    SmallVector<State> left;
    for (ValueRange state : all)
      left.push_back(State(state.slice(copy * count, count)));
    for (; left.size() > 1; left.resize((left.size() + 1) / 2))
      for (size_t pair = 0; pair < left.size(); pair += 2)
        left[pair / 2] =
            pair + 1 < left.size()
                ? one.combine(b, loc, reduce, left[pair], left[pair + 1], outer)
                : left[pair];
    llvm::append_range(combined, left.front());
  }
  return combined;
}

State ThreadState::merge(OpBuilder &b, Location loc, ArrayRef<State> all,
                         Scope scope) const {
  State merged;
  unsigned offset = 0;
  for (ReduceOp reduce : pass.reduces) {
    unsigned total = getNumValues(reduce);
    References target = references(b, loc, reduce, merged, scope);
    SmallVector<State> corrected;
    for (ValueRange state : all)
      corrected.push_back(correct(b, loc, reduce, state.slice(offset, total),
                                  references(b, loc, reduce, state, scope),
                                  target, scope));
    llvm::append_range(merged, combine(b, loc, reduce, corrected, scope));
    offset += total;
  }
  return merged;
}

/// `join` of `count` states of `size` values, so many at a time as registers
/// hold.
static State joinMany(unsigned count, size_t size,
                      function_ref<State(unsigned)> stateOf,
                      function_ref<State(ArrayRef<State>)> join) {
  constexpr size_t mostValues = 64;
  size_t together = std::max<size_t>(2, mostValues / size);
  SmallVector<State> group;
  for (unsigned i = 0; i < count; ++i) {
    group.push_back(stateOf(i));
    if (group.size() == together || i + 1 == count)
      group = {join(group)};
  }
  return group.front();
}

State ThreadState::mergeMany(OpBuilder &b, Location loc, unsigned count,
                             function_ref<State(unsigned)> stateOf,
                             Scope scope) const {
  return joinMany(count, getTypes().size(), stateOf, [&](ArrayRef<State> all) {
    return merge(b, loc, all, scope);
  });
}

State ThreadState::combineMany(OpBuilder &b, Location loc, ReduceOp reduce,
                               unsigned count,
                               function_ref<State(unsigned)> valuesOf,
                               Scope scope) const {
  return joinMany(
      count, getNumValues(reduce), valuesOf,
      [&](ArrayRef<State> all) { return combine(b, loc, reduce, all, scope); });
}
