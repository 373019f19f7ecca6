//===- MergeParts.cpp - Large states, merged in parts ---------------------===//

#include "MergeParts.h"
#include "GridMerge.h"
#include "cascade/Dialect/Cluster/IR/Cluster.h"
#include "cascade/Transforms/Cluster/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

using namespace mlir;
using namespace cascade;

using State = ThreadState::State;

/// Values of a state that collectives merge as fast as a whole.
static constexpr size_t mostWhole = 4;

/// The bits of the lane number in which lanes with different states of `reduce`
/// differ.
static unsigned lanesOf(const ThreadState &states, ReduceOp reduce) {
  const ThreadLayout &layout = states.getLayout();
  unsigned bits = 0;
  for (OpResult result : reduce->getResults())
    for (unsigned axis : layout.getAxes().of(result).set_bits())
      for (const DigitPlan &digit : layout.getContext().plan.axes[axis].digits)
        if (digit.level == Level::Lane)
          bits |= unsigned((digit.size - 1) * digit.idStride);
  return bits;
}

unsigned cascade::sharedLanesOf(const ThreadState &states) {
  unsigned bits = MappingPlan::warpSize - 1;
  for (ReduceOp reduce : states.getPass().reduces)
    bits &= ~lanesOf(states, reduce);
  return bits;
}

bool cascade::isMergedInParts(const ThreadState &states,
                              const RowThreads &threads) {
  SmallVector<Type> types = states.getTypes();
  return (threads.warps > 1 || threads.blocks > 1) &&
         types.size() > mostWhole &&
         llvm::none_of(types, [](Type type) { return type.isInteger(1); });
}

namespace {

/// The values of one result of a reduction in the shared memory of the block:
/// of each run of `width` positions the vectors of all places and lane groups.
struct Column {
  ReduceOp reduce;
  unsigned offset;  ///< of its first value in a state
  unsigned spacing; ///< of its values at two positions
  int64_t numPlaces;
  int64_t width;
  LaneGroup lanes;
  Value buffer;

  /// Few groups leave the places next to each other, so that one load can take
  /// several; many groups lie in different banks side by side.
  bool hasPlacesInside() const { return lanes.count <= 4; }
};

/// The merge of one pass.
class PartMerge {
public:
  PartMerge(OpBuilder &b, const KernelContext &context,
            const ThreadState &states, const RowThreads &threads,
            ThreadState::Scope scope);
  State run(State state, bool forFirstBlock, GridMerge *grid, MergedPart *rest);

private:
  SmallVector<Column> addColumns(ReduceOp reduce, int64_t numPlaces) const;
  Value placeOf(const Column &column, unsigned index, Int place,
                bool ofPart) const;
  void store(ArrayRef<Column> columns, const ThreadLayout &from,
             ValueRange values, Int place, bool ofPart) const;
  State load(ArrayRef<Column> columns, const ThreadLayout &to, Int place,
             bool ofPart) const;
  /// Emits stores by different threads to different places, where `condition`.
  void storeIf(Value condition, function_ref<void()> emit);

  SmallVector<ReduceOp> references() const;
  State takePart(ReduceOp reduce, ValueRange values) const;
  State mergeWarps(ValueRange state);
  State mergeAround(ValueRange state, ArrayRef<ReduceOp> references);
  enum class Receivers { First, All, Shared };
  State mergeBlocks(const State &part, Receivers receivers) const;
  State joinParts(const State &part);
  ThreadColumn columnOfPart() const;

  /// The values of `reduce` in `state`, of `of`.
  ValueRange valuesOf(const ThreadState &of, ReduceOp reduce,
                      ValueRange state) const {
    unsigned offset = 0;
    for (ReduceOp other : states.getPass().reduces) {
      if (other == reduce)
        break;
      offset += of.getNumValues(other);
    }
    return state.slice(offset, of.getNumValues(reduce));
  }
  static Type storageOf(OpBuilder &b, Type type) {
    return type.isIndex() ? b.getI64Type() : type;
  }
  Value convert(Value value, Type type) const {
    return value.getType() == type
               ? value
               : Value(arith::IndexCastOp::create(b, context.loc, type, value));
  }
  Int warpOf(unsigned number) const {
    return ints.add(firstWarp, ints.constant(number));
  }

  OpBuilder &b;
  const KernelContext &context;
  const ThreadState &states;
  const RowThreads &threads;
  ThreadState::Scope scope;
  IntBuilder ints;
  std::unique_ptr<StateParts> parts;
  Int firstWarp;      ///< of its row
  Attribute exchange; ///< marks stores that do not conflict
};

} // namespace

PartMerge::PartMerge(OpBuilder &b, const KernelContext &context,
                     const ThreadState &states, const RowThreads &threads,
                     ThreadState::Scope scope)
    : b(b), context(context), states(states), threads(threads), scope(scope),
      ints(b, context.loc),
      parts(std::make_unique<StateParts>(b, context, states, threads)) {
  Int warp = context.ids.warp;
  firstWarp = ints.sub(warp, ints.remUI(warp, ints.constant(threads.warps)));
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

/// Columns for `reduce` of `numPlaces` states of all lane groups.
SmallVector<Column> PartMerge::addColumns(ReduceOp reduce,
                                          int64_t numPlaces) const {
  const ThreadLayout &layout = states.getLayout();
  AxisSet axes = layout.ofStates(reduce);
  int64_t positions = layout.count(axes);
  // Runs that no part cuts.
  int64_t run = positions;
  for (const StateParts::Cut &cut : parts->getCuts())
    if (axes.test(cut.axis)) {
      Position second(context.axes.size(), 0);
      second[cut.axis] = cut.size;
      run = std::gcd(run, int64_t(layout.indexOf(axes, second)));
    }
  unsigned all = MappingPlan::warpSize - 1;
  LaneGroup lanes =
      LaneGroup::create(b, context, all & ~lanesOf(states, reduce));
  unsigned offset = 0;
  for (ReduceOp other : states.getPass().reduces) {
    if (other == reduce)
      break;
    offset += states.getNumValues(other);
  }
  SmallVector<Type> types = states.getTypes();
  SmallVector<Column> columns;
  unsigned spacing = PassState::getNumValues(reduce);
  for (unsigned value = 0; value < spacing; ++value) {
    Type type = storageOf(b, types[offset + value]);
    int64_t bytes = type.getIntOrFloatBitWidth() / 8;
    Column column{reduce, offset + value, spacing, numPlaces, 1, lanes, {}};
    if (bytes >= 4 && !column.hasPlacesInside())
      column.width = std::gcd(run, MappingPlan::accessBytes / bytes);
    Type element =
        column.width == 1 ? type : VectorType::get({column.width}, type);
    column.buffer = addSharedBuffer(
        b, context.loc, positions / column.width * numPlaces * lanes.count,
        element);
    columns.push_back(column);
  }
  return columns;
}

/// The element of `column` for positions from number `index` on, of this
/// thread's part or of all.
Value PartMerge::placeOf(const Column &column, unsigned index, Int place,
                         bool ofPart) const {
  const ThreadLayout &layout = states.getLayout();
  AxisSet axes = layout.ofStates(column.reduce);
  Int run = ints.constant(index / column.width);
  for (const StateParts::Cut &cut : parts->getCuts()) {
    if (!ofPart || !axes.test(cut.axis))
      continue;
    Position second(context.axes.size(), 0);
    second[cut.axis] = cut.size;
    int64_t distance = layout.indexOf(axes, second);
    run = ints.add(
        run, ints.mul(cut.number, ints.constant(distance / column.width)));
  }
  Int groups = ints.constant(column.lanes.count);
  Int places = ints.constant(column.numPlaces);
  Int element;
  if (column.hasPlacesInside())
    element = ints.add(
        ints.mul(ints.add(ints.mul(run, groups), column.lanes.number), places),
        place);
  else
    element = ints.add(ints.mul(ints.add(ints.mul(run, places), place), groups),
                       column.lanes.number);
  return arith::IndexCastUIOp::create(b, context.loc, b.getIndexType(),
                                      ints.materialise(element));
}

/// Stores `values`, of the reduction of `columns` at the positions of `from`.
void PartMerge::store(ArrayRef<Column> columns, const ThreadLayout &from,
                      ValueRange values, Int place, bool ofPart) const {
  const ThreadLayout &whole = states.getLayout();
  AxisSet axes = whole.ofStates(columns.front().reduce);
  SmallVector<Position> positions =
      from.positions(from.ofStates(columns.front().reduce));
  for (auto [number, column] : llvm::enumerate(columns))
    for (size_t first = 0; first < positions.size(); first += column.width) {
      SmallVector<Value> run;
      for (int64_t i = 0; i < column.width; ++i) {
        Value value = values[(first + i) * column.spacing + number];
        run.push_back(convert(value, storageOf(b, value.getType())));
      }
      Value stored = run.front();
      if (column.width > 1)
        stored = vector::FromElementsOp::create(
            b, context.loc,
            cast<MemRefType>(column.buffer.getType()).getElementType(), run);
      auto op = memref::StoreOp::create(
          b, context.loc, stored, column.buffer,
          placeOf(column, whole.indexOf(axes, positions[first]), place,
                  ofPart));
      op->setDiscardableAttr(cluster::kExchangeAttrName, exchange);
    }
}

State PartMerge::load(ArrayRef<Column> columns, const ThreadLayout &to,
                      Int place, bool ofPart) const {
  const ThreadLayout &whole = states.getLayout();
  ReduceOp reduce = columns.front().reduce;
  AxisSet axes = whole.ofStates(reduce);
  SmallVector<Position> positions = to.positions(to.ofStates(reduce));
  State values(positions.size() * columns.size());
  SmallVector<Type> types = states.getTypes();
  for (auto [number, column] : llvm::enumerate(columns))
    for (size_t first = 0; first < positions.size(); first += column.width) {
      Value loaded = memref::LoadOp::create(
          b, context.loc, column.buffer,
          placeOf(column, whole.indexOf(axes, positions[first]), place,
                  ofPart));
      for (int64_t i = 0; i < column.width; ++i)
        values[(first + i) * column.spacing + number] = convert(
            column.width == 1
                ? loaded
                : Value(vector::ExtractOp::create(b, context.loc, loaded, i)),
            types[column.offset]);
    }
  return values;
}

void PartMerge::storeIf(Value condition, function_ref<void()> emit) {
  exchange = DistinctAttr::create(b.getUnitAttr());
  if (!condition)
    return emit();
  auto branch = scf::IfOp::create(b, context.loc, condition);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenYield());
  emit();
}

//===----------------------------------------------------------------------===//
// The warps of a row
//===----------------------------------------------------------------------===//

/// The reductions that others of the pass are relative to, if they are relative
/// to none.
SmallVector<ReduceOp> PartMerge::references() const {
  SmallVector<ReduceOp> found;
  SmallVector<Value> worklist;
  for (ReduceOp reduce : states.getPass().reduces)
    llvm::append_range(worklist, reduce.getRefs());
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    auto reduce = value.getDefiningOp<ReduceOp>();
    if (!reduce) {
      if (Operation *op = value.getDefiningOp())
        llvm::append_range(worklist, op->getOperands());
    } else if (llvm::is_contained(states.getPass().reduces, reduce)) {
      if (!reduce.getRefs().empty())
        return {};
      if (!llvm::is_contained(found, reduce))
        found.push_back(reduce);
    }
  }
  return found;
}

/// Of `values` of `reduce`, those of this warp's part.
State PartMerge::takePart(ReduceOp reduce, ValueRange values) const {
  const ThreadLayout &whole = states.getLayout();
  const ThreadLayout &its = parts->getLayout();
  AxisSet axes = whole.ofStates(reduce);
  size_t spacing = PassState::getNumValues(reduce);
  State part;
  for (const Position &position : its.positions(its.ofStates(reduce))) {
    // At this position of each part, by the numbers of the cuts.
    SmallVector<State> left;
    SmallVector<Position> candidates{position};
    SmallVector<const StateParts::Cut *> cuts;
    for (const StateParts::Cut &cut : parts->getCuts()) {
      if (!axes.test(cut.axis))
        continue;
      cuts.push_back(&cut);
      SmallVector<Position> next;
      for (Position candidate : candidates)
        for (int64_t number = 0; number < cut.count;
             ++number, candidate[cut.axis] += cut.size)
          next.push_back(candidate);
      candidates = std::move(next);
    }
    for (const Position &candidate : candidates)
      left.push_back(State(
          values.slice(whole.indexOf(axes, candidate) * spacing, spacing)));
    for (const StateParts::Cut *cut : llvm::reverse(cuts)) {
      SmallVector<State> chosen;
      for (size_t first = 0; first < left.size(); first += cut->count) {
        State value = left[first];
        for (int64_t number = 1; number < cut->count; ++number) {
          Value isBefore = ints.lessThan(cut->number, ints.constant(number));
          for (auto [own, other] : llvm::zip_equal(value, left[first + number]))
            own = arith::SelectOp::create(b, context.loc, isBefore, own, other);
        }
        chosen.push_back(value);
      }
      left = std::move(chosen);
    }
    llvm::append_range(part, left.front());
  }
  return part;
}

/// This warp's part of the states of all warps of its row.
State PartMerge::mergeWarps(ValueRange state) {
  SmallVector<ReduceOp> first = references();
  if (!first.empty())
    return mergeAround(state, first);
  SmallVector<SmallVector<Column>> columns;
  for (ReduceOp reduce : states.getPass().reduces) {
    columns.push_back(addColumns(reduce, context.plan.warps));
    storeIf(columns.back().front().lanes.isFirst, [&] {
      store(columns.back(), states.getLayout(), valuesOf(states, reduce, state),
            context.ids.warp,
            /*ofPart=*/false);
    });
  }
  return parts->getStates().mergeMany(
      b, context.loc, threads.warps,
      [&](unsigned warp) {
        State loaded;
        for (ArrayRef<Column> its : columns)
          llvm::append_range(loaded, load(its, parts->getLayout(), warpOf(warp),
                                          /*ofPart=*/true));
        return loaded;
      },
      scope);
}

/// The same where some reductions are relative to `references` only: these meet
/// first, and every warp brings its own values of the others to what all have
/// in common, which leaves sums.
State PartMerge::mergeAround(ValueRange state, ArrayRef<ReduceOp> references) {
  Location loc = context.loc;
  State met(state);
  auto storeOwn = [&](ReduceOp reduce, ValueRange values) {
    SmallVector<Column> columns = addColumns(reduce, context.plan.warps);
    storeIf(columns.front().lanes.isFirst, [&] {
      store(columns, states.getLayout(), values, context.ids.warp,
            /*ofPart=*/false);
    });
    return columns;
  };
  llvm::DenseMap<Operation *, SmallVector<Column>> columns;
  for (ReduceOp reduce : references)
    columns[reduce] = storeOwn(reduce, valuesOf(states, reduce, state));
  for (ReduceOp reduce : references) {
    State values = states.combineMany(
        b, loc, reduce, threads.warps,
        [&](unsigned warp) {
          return load(columns[reduce], states.getLayout(), warpOf(warp),
                      /*ofPart=*/false);
        },
        scope);
    size_t offset = columns[reduce].front().offset;
    llvm::copy(values, met.begin() + offset);
  }
  for (ReduceOp reduce : states.getPass().reduces) {
    if (llvm::is_contained(references, reduce))
      continue;
    State values(valuesOf(states, reduce, state));
    if (!reduce.getRefs().empty())
      values =
          states.correct(b, loc, reduce, values,
                         states.references(b, loc, reduce, state, scope),
                         states.references(b, loc, reduce, met, scope), scope);
    columns[reduce] = storeOwn(reduce, values);
  }
  State part;
  for (ReduceOp reduce : states.getPass().reduces)
    llvm::append_range(
        part, llvm::is_contained(references, reduce)
                  ? takePart(reduce, valuesOf(states, reduce, met))
                  : parts->getStates().combineMany(
                        b, loc, reduce, threads.warps,
                        [&](unsigned warp) {
                          return load(columns[reduce], parts->getLayout(),
                                      warpOf(warp), /*ofPart=*/true);
                        },
                        scope));
  return part;
}

//===----------------------------------------------------------------------===//
// The blocks of a cluster
//===----------------------------------------------------------------------===//

/// The same part of all blocks.
State PartMerge::mergeBlocks(const State &part, Receivers receivers) const {
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
  // The longest run of lanes that have the same.
  int32_t lanes = 1, stride = 1;
  for (int32_t low = 1; low < MappingPlan::warpSize; low *= 2) {
    int32_t size = 1;
    while (low * size < MappingPlan::warpSize &&
           (threads.sharedLanes & unsigned(low * size)))
      size *= 2;
    if (size > lanes) {
      lanes = size;
      stride = low;
    }
  }
  IntegerAttr lanesAttr = b.getI32IntegerAttr(lanes);
  IntegerAttr strideAttr = b.getI32IntegerAttr(stride);
  IntegerAttr warps = b.getI32IntegerAttr(1);
  ValueRange vectors;
  if (receivers == Receivers::All)
    vectors = cluster::AllGatherOp::create(b, loc, gathered, values, Value(),
                                           scopeAttr, algorithm, lanesAttr,
                                           strideAttr, warps)
                  .getResults();
  else
    vectors = cluster::GatherOp::create(
                  b, loc, gathered, values, Value(), scopeAttr, algorithm,
                  lanesAttr, strideAttr, warps,
                  receivers == Receivers::First ? b.getI32IntegerAttr(0)
                                                : IntegerAttr(),
                  receivers == Receivers::Shared ? b.getUnitAttr() : UnitAttr())
                  .getResults();
  SmallVector<State> ofBlocks(threads.blocks);
  for (auto [value, vector] : llvm::zip_equal(part, vectors))
    for (auto [block, state] : llvm::enumerate(ofBlocks))
      state.push_back(
          convert(vector::ExtractOp::create(b, loc, vector, int64_t(block)),
                  value.getType()));
  return parts->getStates().mergeMany(
      b, loc, ofBlocks.size(), [&](unsigned block) { return ofBlocks[block]; },
      scope);
}

/// The whole state, of which every warp has a part.
State PartMerge::joinParts(const State &part) {
  const ThreadState &ofPart = parts->getStates();
  int64_t numPlaces = context.plan.warps / threads.warps;
  Int place = ints.divUI(firstWarp, ints.constant(threads.warps));
  State whole;
  SmallVector<SmallVector<Column>> columns;
  for (ReduceOp reduce : states.getPass().reduces) {
    columns.push_back(addColumns(reduce, numPlaces));
    // What is the same in several parts, the warp of the first stores.
    AxisSet others(context.axes.size(), true);
    others.reset(states.getLayout().ofStates(reduce));
    Value isFirst =
        ints.both(columns.back().front().lanes.isFirst, parts->isFirstOwner());
    storeIf(ints.both(isFirst, parts->isFirstAlong(others, b)), [&] {
      store(columns.back(), parts->getLayout(), valuesOf(ofPart, reduce, part),
            place, /*ofPart=*/true);
    });
  }
  for (ArrayRef<Column> its : columns)
    llvm::append_range(whole,
                       load(its, states.getLayout(), place, /*ofPart=*/false));
  return whole;
}

/// Who leaves a part for the last cluster: as many warps as there are parts.
ThreadColumn PartMerge::columnOfPart() const {
  LaneGroup lanes = LaneGroup::create(b, context, threads.sharedLanes);
  int64_t count = parts->getCount();
  Int row = ints.divUI(firstWarp, ints.constant(threads.warps));
  Int part = ints.add(ints.mul(row, ints.constant(count)), parts->getNumber());
  return {ints.add(ints.mul(part, ints.constant(lanes.count)), lanes.number),
          lanes.count * count * (context.plan.warps / threads.warps),
          ints.both(lanes.isFirst, parts->isFirstOwner())};
}

State PartMerge::run(State state, bool forFirstBlock, GridMerge *grid,
                     MergedPart *rest) {
  markUniform(b);
  if (threads.warps > 1)
    state = mergeWarps(state);
  bool isShared = rest && !grid && threads.blocks > 1;
  if (threads.blocks > 1)
    state = mergeBlocks(state, isShared        ? Receivers::Shared
                               : forFirstBlock ? Receivers::First
                                               : Receivers::All);
  if (grid)
    state = grid->merge(b, parts->getStates(), state, columnOfPart(), scope);
  if (parts->getCuts().empty() && !isShared)
    return state;
  if (!rest)
    return joinParts(state);
  Value isReceiver;
  if (isShared) {
    // As cluster.gather shares out warps.
    Int root = ints.remUI(context.ids.warp, ints.constant(threads.blocks));
    isReceiver = arith::CmpIOp::create(b, context.loc, arith::CmpIPredicate::eq,
                                       ints.materialise(context.ids.rank),
                                       ints.materialise(root));
  }
  rest->isOwner = ints.both(isReceiver, parts->isFirstOwner());
  rest->areOfBlocks = isShared;
  rest->state = std::move(state);
  parts->placeStores(b);
  rest->parts = std::move(parts);
  return {};
}

State cascade::mergeParts(OpBuilder &b, const KernelContext &context,
                          const ThreadState &states, const RowThreads &threads,
                          State state, bool forFirstBlock,
                          ThreadState::Scope scope, GridMerge *grid,
                          MergedPart *rest) {
  return PartMerge(b, context, states, threads, scope)
      .run(std::move(state), forFirstBlock, grid, rest);
}
