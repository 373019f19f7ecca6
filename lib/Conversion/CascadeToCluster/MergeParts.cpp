//===- MergeParts.cpp - Large states, merged in parts ---------------------===//

#include "MergeParts.h"
#include "GridMerge.h"
#include "cascade/Dialect/Cluster/IR/Cluster.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace cascade;

using State = ThreadState::State;

/// Values of a state that collectives merge as fast as a whole.
static constexpr size_t mostWhole = 4;

bool cascade::isMergedInParts(const ThreadState &states,
                              const RowThreads &threads) {
  SmallVector<Type> types = states.getTypes();
  return (threads.warps > 1 || threads.blocks > 1) &&
         types.size() > mostWhole &&
         llvm::none_of(types, [](Type type) { return type.isInteger(1); });
}

namespace {

/// An axis of which a warp takes one of `count` parts of a thread's positions.
struct PartedAxis {
  unsigned axis;
  int64_t count;
};

/// The merge of one pass.
class PartMerge {
public:
  PartMerge(OpBuilder &b, const KernelContext &context,
            const ThreadState &states, const RowThreads &threads,
            ThreadState::Scope scope);
  State run(State state, bool forFirstBlock, GridMerge *grid);

private:
  /// The values of one result of a reduction in the shared memory of the block,
  /// by position, place (`numPlaces` of them) and lane group.
  struct Column {
    ReduceOp reduce;
    unsigned offset;  ///< of its first value in a state
    unsigned spacing; ///< of its values at two positions
    Value buffer;
  };

  void chooseParts();
  bool variesOtherwise(ReduceOp reduce, unsigned axis) const;
  SmallVector<Column> addColumns(int64_t numPlaces) const;
  Value placeOf(const Column &column, ArrayRef<unsigned> position, Int place,
                int64_t numPlaces, bool ofPart) const;
  void store(const Column &column, const ThreadLayout &from, ValueRange state,
             Int place, int64_t numPlaces, bool ofPart) const;
  State load(ArrayRef<Column> columns, const ThreadLayout &to, Int place,
             int64_t numPlaces, bool ofPart) const;
  State mergeWarps(ValueRange state);
  State mergeBlocks(const State &part, bool forFirstBlock);
  State joinParts(const State &part);
  ThreadColumn columnOfPart() const;
  static Type storageOf(OpBuilder &b, Type type) {
    return type.isIndex() ? b.getI64Type() : type;
  }
  Value convert(Value value, Type type) const {
    return value.getType() == type
               ? value
               : Value(arith::IndexCastOp::create(b, context.loc, type, value));
  }

  OpBuilder &b;
  const KernelContext &context;
  const ThreadState &states;
  const RowThreads &threads;
  ThreadState::Scope scope;
  IntBuilder ints;

  SmallVector<PartedAxis> parted;
  KernelContext partContext;
  std::optional<ThreadLayout> partLayout;
  std::optional<ThreadState> partStates;
  llvm::DenseMap<unsigned, Int> firstOfPart; ///< position, by axis
  int64_t laneGroups;
  Int laneGroup;   ///< of this thread
  Int firstWarp;   ///< of its row
  Value isSpeaker; ///< whether it is the first of its lane group; null if all
  Value keepsPart; ///< whether no warp before has the same part; null if none
};

} // namespace

PartMerge::PartMerge(OpBuilder &b, const KernelContext &context,
                     const ThreadState &states, const RowThreads &threads,
                     ThreadState::Scope scope)
    : b(b), context(context), states(states), threads(threads), scope(scope),
      ints(b, context.loc), partContext(context) {
  Int lane = context.ids.lane, warp = context.ids.warp;
  int64_t run = int64_t(threads.lanes) * threads.laneStride;
  laneGroups = MappingPlan::warpSize / threads.lanes;
  laneGroup = ints.add(ints.mul(ints.divUI(lane, ints.constant(run)),
                                ints.constant(threads.laneStride)),
                       ints.remUI(lane, ints.constant(threads.laneStride)));
  if (threads.lanes > 1)
    isSpeaker = ints.lessThan(ints.remUI(lane, ints.constant(run)),
                              ints.constant(threads.laneStride));
  Int inRow = ints.remUI(warp, ints.constant(threads.warps));
  firstWarp = ints.sub(warp, inRow);

  chooseParts();
  int64_t parts = 1;
  for (const PartedAxis &axis : parted)
    parts *= axis.count;
  if (parts < threads.warps)
    keepsPart = ints.lessThan(inRow, ints.constant(parts));
  Int number = inRow;
  for (const PartedAxis &axis : parted) {
    SmallVector<int64_t> &offsets = partContext.axes[axis.axis].offsets;
    int64_t size = int64_t(offsets.size()) / axis.count;
    firstOfPart[axis.axis] = ints.mul(
        ints.remUI(number, ints.constant(axis.count)), ints.constant(size));
    number = ints.divUI(number, ints.constant(axis.count));
    offsets.resize(size);
  }
  partLayout.emplace(partContext, states.getLayout().getAxes());
  partStates.emplace(states.getPass(), *partLayout);
}

/// Whether what merges states of `reduce` reads values that vary over `axis`
/// and are no states of the pass: these are known for the positions of the
/// thread, not for those of a part.
bool PartMerge::variesOtherwise(ReduceOp reduce, unsigned axis) const {
  SmallVector<Value> worklist(reduce.getRefs());
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(reduce->getRegions(), captured);
  llvm::append_range(worklist, captured);
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second ||
        !states.getLayout().getAxes().of(value).test(axis))
      continue;
    auto other = value.getDefiningOp<ReduceOp>();
    if (other && llvm::is_contained(states.getPass().reduces, other))
      continue;
    if (other || !value.getDefiningOp())
      return true;
    llvm::append_range(worklist, value.getDefiningOp()->getOperands());
  }
  return false;
}

/// Axes that all reductions have states along come first: along others every
/// part repeats the states that it is relative to.
void PartMerge::chooseParts() {
  if (threads.warps == 1)
    return;
  ArrayRef<ReduceOp> reduces = states.getPass().reduces;
  AxisSet all(context.axes.size(), true), any(context.axes.size());
  for (ReduceOp reduce : reduces) {
    all &= states.getLayout().ofStates(reduce);
    any |= states.getLayout().ofStates(reduce);
  }
  int64_t left = threads.warps;
  auto choose = [&](unsigned axis) {
    if (llvm::any_of(reduces, [&](ReduceOp reduce) {
          return variesOtherwise(reduce, axis);
        }))
      return;
    int64_t size = int64_t(context.axes[axis].offsets.size());
    int64_t count = std::min(size, left);
    while (size % count != 0)
      --count;
    if (count > 1)
      parted.push_back({axis, count});
    left /= count;
  };
  for (unsigned axis : all.set_bits())
    choose(axis);
  for (unsigned axis : any.set_bits())
    if (!all.test(axis))
      choose(axis);
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

SmallVector<PartMerge::Column> PartMerge::addColumns(int64_t numPlaces) const {
  SmallVector<Column> columns;
  unsigned offset = 0;
  for (ReduceOp reduce : states.getPass().reduces) {
    unsigned spacing = PassState::getNumValues(reduce);
    int64_t positions =
        states.getLayout().count(states.getLayout().ofStates(reduce));
    SmallVector<Type> types = states.getTypes();
    for (unsigned value = 0; value < spacing; ++value)
      columns.push_back(
          {reduce, offset + value, spacing,
           addSharedBuffer(b, context.loc, positions * numPlaces * laneGroups,
                           storageOf(b, types[offset + value]))});
    offset += states.getNumValues(reduce);
  }
  return columns;
}

/// The element of `column` for `position`, one of this thread's part or of all.
Value PartMerge::placeOf(const Column &column, ArrayRef<unsigned> position,
                         Int place, int64_t numPlaces, bool ofPart) const {
  const ThreadLayout &layout = states.getLayout();
  AxisSet axes = layout.ofStates(column.reduce);
  Int index = ints.constant(layout.indexOf(axes, position));
  for (const PartedAxis &axis : parted) {
    if (!ofPart || !axes.test(axis.axis))
      continue;
    Position neighbour(position);
    neighbour[axis.axis] += 1;
    int64_t distance = int64_t(layout.indexOf(axes, neighbour)) -
                       int64_t(layout.indexOf(axes, position));
    index = ints.add(index, ints.mul(firstOfPart.lookup(axis.axis),
                                     ints.constant(distance)));
  }
  index = ints.add(ints.mul(index, ints.constant(numPlaces)), place);
  index = ints.add(ints.mul(index, ints.constant(laneGroups)), laneGroup);
  return arith::IndexCastUIOp::create(b, context.loc, b.getIndexType(),
                                      ints.materialise(index));
}

void PartMerge::store(const Column &column, const ThreadLayout &from,
                      ValueRange state, Int place, int64_t numPlaces,
                      bool ofPart) const {
  for (auto [copy, position] :
       llvm::enumerate(from.positions(from.ofStates(column.reduce)))) {
    Value value = state[copy * column.spacing];
    memref::StoreOp::create(
        b, context.loc, convert(value, storageOf(b, value.getType())),
        column.buffer, placeOf(column, position, place, numPlaces, ofPart));
  }
}

State PartMerge::load(ArrayRef<Column> columns, const ThreadLayout &to,
                      Int place, int64_t numPlaces, bool ofPart) const {
  State state;
  for (size_t first = 0; first < columns.size();
       first += columns[first].spacing) {
    ReduceOp reduce = columns[first].reduce;
    for (const Position &position : to.positions(to.ofStates(reduce)))
      for (unsigned value = 0; value < columns[first].spacing; ++value) {
        const Column &column = columns[first + value];
        Value loaded = memref::LoadOp::create(
            b, context.loc, column.buffer,
            placeOf(column, position, place, numPlaces, ofPart));
        state.push_back(convert(loaded, states.getTypes()[column.offset]));
      }
  }
  return state;
}

//===----------------------------------------------------------------------===//
// The merge
//===----------------------------------------------------------------------===//

/// This warp's part of the states of all warps of its row.
State PartMerge::mergeWarps(ValueRange state) {
  int64_t numPlaces = context.plan.warps;
  SmallVector<Column> columns = addColumns(numPlaces);
  auto storeAll = [&] {
    for (const Column &column : columns)
      store(column, states.getLayout(), state.drop_front(column.offset),
            context.ids.warp, numPlaces, /*ofPart=*/false);
  };
  if (isSpeaker) {
    auto branch = scf::IfOp::create(b, context.loc, isSpeaker);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(branch.thenYield());
    storeAll();
  } else {
    storeAll();
  }
  return partStates->mergeMany(
      b, context.loc, threads.warps,
      [&](unsigned warp) {
        return load(columns, *partLayout,
                    ints.add(firstWarp, ints.constant(warp)), numPlaces,
                    /*ofPart=*/true);
      },
      scope);
}

/// The same part of all blocks.
State PartMerge::mergeBlocks(const State &part, bool forFirstBlock) {
  MLIRContext *context = b.getContext();
  Location loc = this->context.loc;
  SmallVector<Value> values;
  SmallVector<Type> gathered;
  for (Value value : part) {
    values.push_back(convert(value, storageOf(b, value.getType())));
    gathered.push_back(
        VectorType::get({threads.blocks}, values.back().getType()));
  }
  auto scopeAttr = cluster::ScopeAttr::get(context, cluster::Scope::Cluster);
  auto algorithm =
      cluster::AlgorithmAttr::get(context, cluster::Algorithm::Auto);
  IntegerAttr lanes = b.getI32IntegerAttr(threads.lanes);
  IntegerAttr stride = b.getI32IntegerAttr(threads.laneStride);
  IntegerAttr warps = b.getI32IntegerAttr(1);
  ValueRange vectors;
  if (forFirstBlock)
    vectors = cluster::GatherOp::create(b, loc, gathered, values, Value(),
                                        scopeAttr, algorithm, lanes, stride,
                                        warps, b.getI32IntegerAttr(0))
                  .getResults();
  else
    vectors =
        cluster::AllGatherOp::create(b, loc, gathered, values, Value(),
                                     scopeAttr, algorithm, lanes, stride, warps)
            .getResults();
  SmallVector<State> ofBlocks(threads.blocks);
  for (auto [value, vector] : llvm::zip_equal(part, vectors))
    for (auto [block, state] : llvm::enumerate(ofBlocks))
      state.push_back(
          convert(vector::ExtractOp::create(b, loc, vector, int64_t(block)),
                  value.getType()));
  return partStates->mergeMany(
      b, loc, ofBlocks.size(), [&](unsigned block) { return ofBlocks[block]; },
      scope);
}

/// The whole state, of which every warp has a part.
State PartMerge::joinParts(const State &part) {
  int64_t numPlaces = context.plan.warps / threads.warps;
  Int place = ints.divUI(firstWarp, ints.constant(threads.warps));
  SmallVector<Column> columns = addColumns(numPlaces);
  // What does not vary over a parted axis, the warp of part 0 stores.
  auto storeAll = [&] {
    unsigned offset = 0;
    for (size_t first = 0; first < columns.size();
         first += columns[first].spacing) {
      ReduceOp reduce = columns[first].reduce;
      Value isOwner;
      for (const PartedAxis &axis : parted)
        if (!states.getLayout().ofStates(reduce).test(axis.axis))
          isOwner =
              ints.both(isOwner, ints.lessThan(firstOfPart.lookup(axis.axis),
                                               ints.constant(1)));
      auto storeColumns = [&] {
        for (unsigned value = 0; value < columns[first].spacing; ++value)
          store(columns[first + value], *partLayout,
                ValueRange(part).drop_front(offset + value), place, numPlaces,
                /*ofPart=*/true);
      };
      if (isOwner) {
        auto branch = scf::IfOp::create(b, context.loc, isOwner);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(branch.thenYield());
        storeColumns();
      } else {
        storeColumns();
      }
      offset += partStates->getNumValues(reduce);
    }
  };
  if (Value stores = ints.both(isSpeaker, keepsPart)) {
    auto branch = scf::IfOp::create(b, context.loc, stores);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(branch.thenYield());
    storeAll();
  } else {
    storeAll();
  }
  return load(columns, states.getLayout(), place, numPlaces, /*ofPart=*/false);
}

/// Who leaves a part for the last cluster: as many warps as there are parts.
ThreadColumn PartMerge::columnOfPart() const {
  ThreadColumn column = ThreadColumn::create(
      b, context, unsigned((threads.lanes - 1) * threads.laneStride),
      /*sharedWarps=*/1);
  if (!keepsPart)
    return column;
  // Another warp has the same part.
  int64_t parts = 1;
  for (const PartedAxis &axis : parted)
    parts *= axis.count;
  Int own =
      ints.remUI(ints.sub(context.ids.warp, firstWarp), ints.constant(parts));
  Int others = ints.sub(ints.sub(context.ids.warp, firstWarp), own);
  int64_t ofWarp = column.count / context.plan.warps;
  column.number =
      ints.sub(column.number, ints.mul(others, ints.constant(ofWarp)));
  column.isFirst = ints.both(column.isFirst, keepsPart);
  return column;
}

State PartMerge::run(State state, bool forFirstBlock, GridMerge *grid) {
  markUniform(b);
  if (threads.warps > 1)
    state = mergeWarps(state);
  if (threads.blocks > 1)
    state = mergeBlocks(state, forFirstBlock);
  if (grid)
    state = grid->merge(b, *partStates, state, columnOfPart(), scope);
  return parted.empty() ? state : joinParts(state);
}

State cascade::mergeParts(OpBuilder &b, const KernelContext &context,
                          const ThreadState &states, const RowThreads &threads,
                          State state, bool forFirstBlock,
                          ThreadState::Scope scope, GridMerge *grid) {
  return PartMerge(b, context, states, threads, scope)
      .run(std::move(state), forFirstBlock, grid);
}
