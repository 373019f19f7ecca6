//===- KernelBuilder.cpp - The body of one kernel -------------------------===//
//
// A pass is: the states of a thread, one step a tile (a horizontal combine of
// the thread's elements, and one correction), and one collective that merges
// the states of the threads that share the row.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "Contractor.h"
#include "DomainVote.h"
#include "GridMerge.h"
#include "ListReduction.h"
#include "MergeParts.h"
#include "MergeThreads.h"
#include "StagedLoads.h"
#include "TileRange.h"
#include "cascade/Analysis/GridSplit.h"
#include "cascade/Conversion/CascadeToCluster/CascadeToCluster.h"
#include "cascade/Dialect/Cascade/IR/ReductionKind.h"
#include "cascade/Dialect/Cluster/IR/Cluster.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace cascade;

namespace {

/// Of a thread: more costs blocks that are resident at once.
constexpr unsigned maxPrefetchedBits = 16 * 32;

/// Emits one region of a chain for one kernel.
class RegionEmitter {
public:
  /// `skips` tiles that no domain has elements of.
  RegionEmitter(const KernelContext &context, Region &region, bool together,
                bool skips)
      : context(context), region(region), skips(skips),
        passes(context.chain, region, together),
        inputsOfRuns(passes.getInputsOfRuns(context.rowAxis)),
        layout(context, passes.getAxes()), row(context, layout) {}

  const AxisAnalysis &getAxes() const { return passes.getAxes(); }
  /// Takes the elements of staged inputs from `loads`.
  void useStages(StagedLoads &loads) { stages = &loads; }
  /// Gives up the stages that results would, where they are not emitted.
  void releaseStages(OpBuilder &b) {
    if (stages && run < numRuns())
      stages->releaseRow(b);
  }

  /// Loads what the mapping keeps of inputs that are the same for all rows.
  void loadInvariants(OpBuilder &b);
  /// Takes over what `before` has loaded of them, outside of the rows' loop.
  void useInvariants(OpBuilder &b, RegionEmitter &before);
  /// Loads what contractions need of the row at `position` of the grid.
  void prepareContractions(OpBuilder &b, Int position);
  /// The passes; their results are known in the scope of the row afterwards.
  void emitPasses(OpBuilder &b);
  /// The stores of the chain's results.
  void emitResults(OpBuilder &b);
  /// The pass whose domains say which elements of the row are loaded, if it is
  /// the only use of them.
  const ReductionPass *onlyUse();
  /// The replay condition, the same in every thread that shares a collective;
  /// null where the region has none.
  Value replayCondition(OpBuilder &b);

private:
  using State = SmallVector<Value>;
  using TileBody =
      llvm::function_ref<State(OpBuilder &, TileEvaluator &, ValueRange)>;

  YieldOp yield() { return cast<YieldOp>(region.front().getTerminator()); }
  /// The same, with the number of the tile.
  using NumberedBody =
      llvm::function_ref<State(OpBuilder &, TileEvaluator &, Int, ValueRange)>;
  /// What `pass` loads a tile ahead of its use.
  struct Ahead {
    const ReductionPass &pass;
    SmallVector<Value> inputs;
    /// What a vote on a tile reads. It is taken a tile ahead, before the loads
    /// of the others, and so these are loaded two tiles ahead.
    SmallVector<Value> masks;
    bool isAny() const { return !inputs.empty() || !masks.empty(); }
  };
  Ahead loadedAhead(const ReductionPass &pass, bool asks);
  SmallVector<Value> loadedFor(ValueRange roots) {
    return getInputsAlong(context.rowAxis, roots, passes.getAxes());
  }
  State forEachTile(OpBuilder &b, State state,
                    const std::optional<Ahead> &ahead,
                    const std::optional<TileRange> &range, TileBody ofTile);
  State loopAhead(OpBuilder &b, const TileRange &range, State state,
                  const Ahead &ahead, NumberedBody body);
  std::optional<TileRange> rangeOf(OpBuilder &b, const ReductionPass &pass);
  void emitPass(OpBuilder &b, const ReductionPass &pass);
  void emitResultsOfPart(OpBuilder b);
  /// Runs over the elements of the row: those of its passes, and one for
  /// results along the row. A row of one tile is read once.
  unsigned numRuns();
  /// The inputs that the L2 cache keeps up to run `number`.
  SmallVector<unsigned> lastLoadedBy(unsigned number);
  void prefetchForResults(OpBuilder &b);
  bool isLastForRow(const ReductionPass &pass);
  bool isForFirstBlock(const ReductionPass &pass);
  bool leavesParts(const ReductionPass &pass);
  /// What knows the results of the passes.
  TileEvaluator &results() { return partRow ? *partRow : row; }
  bool asksFirst(const ReductionPass &pass,
                 const std::optional<TileRange> &range);
  bool sumsOverRow() const {
    return contractor && context.contractions->areOverRow();
  }
  /// Whether the states of `reduce` are no more to be merged over lanes.
  bool isOfLanes(ReduceOp reduce) const;
  State step(OpBuilder &b, TileEvaluator &tile, const ThreadState &pass,
             ValueRange state);
  State addElements(OpBuilder &b, TileEvaluator &tile, TileEvaluator &scope,
                    const ThreadState &pass, ReduceOp reduce,
                    State accumulators);

  const KernelContext &context;
  Region &region;
  bool skips;
  ReductionPasses passes;
  SmallVector<SmallVector<unsigned>> inputsOfRuns;
  ThreadLayout layout;
  TileEvaluator row;
  /// The tile that stays in registers where the row is one tile.
  std::unique_ptr<TileEvaluator> resident;
  StagedLoads *stages = nullptr;
  std::optional<Contractor> contractor;
  unsigned run = 0; ///< over the row, that is next
  /// Where the last pass leaves its state in parts.
  MergedPart part;
  std::unique_ptr<TileEvaluator> partRow;
};

} // namespace

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

RegionEmitter::Ahead RegionEmitter::loadedAhead(const ReductionPass &pass,
                                                bool asks) {
  SmallVector<Value> operands, predicates;
  for (ReduceOp reduce : pass.reduces) {
    llvm::append_range(operands, reduce->getOperands());
    if (reduce.getPredicate())
      predicates.push_back(reduce.getPredicate());
  }
  auto isAhead = [&](Value input) {
    return isLoadedAhead(context.chain,
                         cast<BlockArgument>(input).getArgNumber());
  };
  Ahead ahead{pass, loadedFor(operands), {}};
  llvm::erase_if(ahead.inputs, [&](Value input) { return !isAhead(input); });
  if (!asks)
    return ahead;
  ahead.masks = loadedFor(predicates);
  if (llvm::all_of(ahead.masks, isAhead))
    llvm::erase_if(ahead.inputs, [&](Value input) {
      return llvm::is_contained(ahead.masks, input);
    });
  else
    ahead.masks.clear();
  return ahead;
}

/// The loop over the full tiles of `range`, in which the loads of a tile are in
/// flight while the one before is computed with.
RegionEmitter::State RegionEmitter::loopAhead(OpBuilder &b,
                                              const TileRange &range,
                                              State state, const Ahead &ahead,
                                              NumberedBody body) {
  Location loc = context.loc;
  IntBuilder ints(b, loc);
  Int begin = range.firstFull, end = range.endFull, one = ints.constant(1);
  SmallVector<Type> types(ValueRange(state).getTypes());
  // What is loaded of `inputs` at `tile`, or else `others`.
  auto loadIf = [&](OpBuilder &b, Value condition, Int tile, ValueRange inputs,
                    ValueRange others) {
    if (inputs.empty())
      return State();
    auto branch = scf::IfOp::create(b, loc, others.getTypes(), condition, true);
    OpBuilder load = branch.getThenBodyBuilder();
    TileEvaluator there(row, load, tile, /*partial=*/false);
    scf::YieldOp::create(load, loc, there.loadWords(load, inputs));
    OpBuilder otherwise = branch.getElseBodyBuilder();
    scf::YieldOp::create(otherwise, loc, others);
    return State(branch.getResults());
  };
  auto any = scf::IfOp::create(b, loc, types, ints.lessThan(begin, end), true);
  OpBuilder none = any.getElseBodyBuilder();
  scf::YieldOp::create(none, loc, state);
  OpBuilder some = any.getThenBodyBuilder();
  IntBuilder inThen(some, loc);
  TileEvaluator first(row, some, begin, /*partial=*/false);
  State carried = first.loadWords(some, ahead.masks);
  size_t numMasks = carried.size();
  if (numMasks > 0) {
    Int second = inThen.add(begin, one);
    llvm::append_range(carried, loadIf(some, inThen.lessThan(second, end),
                                       second, ahead.masks, State(carried)));
  }
  llvm::append_range(carried, first.loadWords(some, ahead.inputs));
  size_t numWords = carried.size() - 2 * numMasks;
  llvm::append_range(carried, state);
  auto forOp = scf::ForOp::create(some, loc, inThen.materialise(begin),
                                  inThen.materialise(end),
                                  inThen.materialise(one), carried);
  // Without results the builder has put a terminator already.
  Block *block = forOp.getBody();
  if (!block->empty())
    block->getTerminator()->erase();
  OpBuilder inner = OpBuilder::atBlockEnd(block);
  IntBuilder inLoop(inner, loc);
  ValueRange arguments = forOp.getRegionIterArgs();
  ValueRange masks = arguments.take_front(numMasks);
  ValueRange nextMasks = arguments.slice(numMasks, numMasks);
  ValueRange words = arguments.slice(2 * numMasks, numWords);
  Int number = inLoop.wrap(forOp.getInductionVar());
  Int next = inLoop.add(number, one);
  Value isNeeded = inLoop.lessThan(next, end);
  State results(nextMasks);
  if (numMasks > 0) {
    Int afterNext = inLoop.add(next, one);
    llvm::append_range(results, loadIf(inner, inLoop.lessThan(afterNext, end),
                                       afterNext, ahead.masks, nextMasks));
    TileEvaluator following(row, inner, next, /*partial=*/false);
    following.defineWords(inner, ahead.masks, nextMasks);
    isNeeded = inLoop.both(isNeeded, emitVote(inner, following, ahead.pass));
  }
  llvm::append_range(results,
                     loadIf(inner, isNeeded, next, ahead.inputs, words));

  TileEvaluator tile(row, inner, number, /*partial=*/false);
  if (range.isCertain)
    tile.assumeInDomain();
  tile.defineWords(inner, ahead.masks, masks);
  tile.defineWords(inner, ahead.inputs, words);
  llvm::append_range(
      results,
      body(inner, tile, number, arguments.drop_front(2 * numMasks + numWords)));
  scf::YieldOp::create(inner, loc, results);
  scf::YieldOp::create(some, loc,
                       forOp.getResults().drop_front(2 * numMasks + numWords));
  return State(any.getResults());
}

unsigned RegionEmitter::numRuns() {
  if (context.numTiles.constant && *context.numTiles.constant == 1)
    return 1;
  return inputsOfRuns.size();
}

SmallVector<unsigned> RegionEmitter::lastLoadedBy(unsigned number) {
  SmallVector<unsigned> inputs = context.cachedInputs;
  llvm::erase_if(inputs, [&](unsigned input) {
    auto later = ArrayRef(inputsOfRuns)
                     .slice(std::min<size_t>(number + 1, inputsOfRuns.size()));
    return isSharedByRows(context.chain, context.plan, context.rowAxis,
                          input) ||
           llvm::any_of(later, [&](ArrayRef<unsigned> run) {
             return llvm::is_contained(run, input);
           });
  });
  return inputs;
}

const ReductionPass *RegionEmitter::onlyUse() {
  ArrayRef<ReductionPass> all = passes.getPasses();
  bool isOneTile = context.numTiles.constant && *context.numTiles.constant == 1;
  return skips && all.size() == 1 && !isOneTile && numRuns() == 1 ? all.data()
                                                                  : nullptr;
}

/// The tiles that `pass` visits, where its domains leave some out. Those that
/// the mapping keeps for later are all visited.
std::optional<TileRange> RegionEmitter::rangeOf(OpBuilder &b,
                                                const ReductionPass &pass) {
  bool isOneTile = context.numTiles.constant && *context.numTiles.constant == 1;
  bool isKept = !context.keptInputs.empty() ||
                (isOneTile &&
                 (stages || usesElementsAgain(context.chain, context.rowAxis)));
  if (!skips || isKept || !context.tileIsContiguous)
    return std::nullopt;
  remarkDomains(row, pass);
  return TileRange::of(b, row, pass);
}

/// Runs `ofTile` over the tiles of this block in `range` (all, if it is not
/// given), the state going from one to the next: over the full ones in a loop,
/// and apart from it over those that overhang the row or a domain. The inputs
/// `ahead` are loaded before the tile that uses them.
RegionEmitter::State RegionEmitter::forEachTile(
    OpBuilder &b, State state, const std::optional<Ahead> &ahead,
    const std::optional<TileRange> &range, TileBody ofTile) {
  Location loc = context.loc;
  unsigned thisRun = run++;
  bool isFirst = thisRun == 0, isLast = thisRun + 1 == numRuns();
  bool isStaged = stages && thisRun < numRuns();
  row.beginRun(lastLoadedBy(thisRun));
  auto body = [&](OpBuilder &inner, TileEvaluator &tile, Int number,
                  ValueRange current) {
    if (isStaged)
      stages->enterTile(inner, tile, number, isFirst, isLast);
    return ofTile(inner, tile, current);
  };
  IntBuilder ints(b, loc);
  Int extent = context.extents[context.rowAxis];
  if (extent.constant && *extent.constant == 0)
    return state;
  // At most one tile, number `number`, that is there if `condition`.
  auto once = [&](Value condition, Int number, bool partial, State init) {
    SmallVector<Type> types(ValueRange(init).getTypes());
    auto ifOp = scf::IfOp::create(b, loc, types, condition,
                                  /*withElse=*/!types.empty());
    OpBuilder inner = ifOp.getThenBodyBuilder();
    TileEvaluator tile(row, inner, number, partial);
    if (partial && range)
      tile.limitLoads(inner, range->limits);
    State next = body(inner, tile, number, init);
    if (types.empty())
      return State();
    scf::YieldOp::create(inner, loc, next);
    OpBuilder otherwise = ifOp.getElseBodyBuilder();
    scf::YieldOp::create(otherwise, loc, init);
    return State(ifOp.getResults());
  };
  bool oneTile = context.numTiles.constant && *context.numTiles.constant == 1;
  if (oneTile) {
    bool exact =
        extent.constant && *extent.constant == context.row().sizedProduct();
    if (range)
      return once(ints.lessThan(range->first, range->end), ints.constant(0),
                  /*partial=*/true, state);
    if (resident)
      resident = resident->reload(b);
    else
      resident = std::make_unique<TileEvaluator>(row, b, ints.constant(0),
                                                 /*partial=*/!exact);
    return body(b, *resident, ints.constant(0), state);
  }

  auto loop = [&](Int begin, Int end, bool partial, bool isCertain,
                  State init) {
    auto forOp = scf::ForOp::create(b, loc, ints.materialise(begin),
                                    ints.materialise(end),
                                    ints.materialise(ints.constant(1)), init);
    // Without results the builder has put a terminator already.
    Block *block = forOp.getBody();
    if (!block->empty())
      block->getTerminator()->erase();
    OpBuilder inner = OpBuilder::atBlockEnd(block);
    Int number = ints.wrap(forOp.getInductionVar());
    TileEvaluator tile(row, inner, number, partial);
    if (partial && range)
      tile.limitLoads(inner, range->limits);
    if (isCertain)
      tile.assumeInDomain();
    State next = body(inner, tile, number, forOp.getRegionIterArgs());
    scf::YieldOp::create(inner, loc, next);
    return State(forOp.getResults());
  };
  Int zero = ints.constant(0);
  if (!context.tileIsContiguous)
    return loop(zero, context.numTiles, /*partial=*/true, /*isCertain=*/false,
                state);

  TileRange tiles = range ? *range : TileRange::all(b, context);
  if (isStaged && range)
    stages->passOver(b, zero, tiles.first, isFirst, isLast);
  if (tiles.hasHead)
    state = tiles.hasTail
                ? once(ints.lessThan(tiles.first, tiles.firstFull), tiles.first,
                       /*partial=*/true, state)
                : loop(tiles.first, tiles.firstFull, /*partial=*/true,
                       /*isCertain=*/false, state);
  state = ahead && ahead->isAny()
              ? loopAhead(b, tiles, state, *ahead, body)
              : loop(tiles.firstFull, tiles.endFull, /*partial=*/false,
                     tiles.isCertain, state);
  state = tiles.hasTail
              ? once(tiles.hasTail, tiles.endFull, /*partial=*/true, state)
              : loop(tiles.endFull, tiles.end, /*partial=*/true,
                     /*isCertain=*/false, state);
  if (isStaged && range)
    stages->passOver(b, tiles.end, stages->getTilesOfRow(), isFirst, isLast);
  return state;
}

//===----------------------------------------------------------------------===//
// The step of a pass
//===----------------------------------------------------------------------===//

/// The accumulators of `reduce` after its values at the elements of `tile` that
/// are in its domain.
RegionEmitter::State
RegionEmitter::addElements(OpBuilder &b, TileEvaluator &tile,
                           TileEvaluator &scope, const ThreadState &pass,
                           ReduceOp reduce, State accumulators) {
  Location loc = context.loc;
  if (contractor)
    if (ArrayRef<Contraction> sums = contractor->of(reduce); !sums.empty())
      return contractor->contractRow(b, tile, scope, sums,
                                     std::move(accumulators));
  if (Value extremum = scope.reduceNarrow(b, reduce))
    return {createCombine(b, loc, reduce.getKind(), accumulators[0], extremum)};
  SmallVector<State> values;
  for (Value value : reduce.getValues())
    values.push_back(scope.evaluate(b, value));
  State inDomain;
  Value predicate = scope.predicateOf(reduce);
  if (predicate)
    inDomain = scope.evaluate(b, predicate);
  AxisSet over = layout.getAxes().reducedBy(reduce);
  auto iterations = [&](ArrayRef<unsigned> state) {
    ThreadState::Iterations all;
    for (const Position &position :
         layout.positions(layout.reducedBy(reduce), state)) {
      Value domain = tile.isInside(b, over, position);
      if (predicate) {
        Value chosen = layout.element(predicate, inDomain, position);
        domain = domain ? Value(arith::AndIOp::create(b, loc, domain, chosen))
                        : chosen;
      }
      all.domains.push_back(domain);
      State &element = all.values.emplace_back();
      for (auto [value, elements] : llvm::zip_equal(reduce.getValues(), values))
        element.push_back(layout.element(value, elements, position));
    }
    return all;
  };
  return pass.insert(b, loc, reduce, accumulators, iterations,
                     [&](ArrayRef<unsigned> at) { return row.mapping(at); });
}

RegionEmitter::State RegionEmitter::step(OpBuilder &b, TileEvaluator &tile,
                                         const ThreadState &pass,
                                         ValueRange state) {
  Location loc = context.loc;
  auto known = [&](ArrayRef<unsigned> at) { return row.mapping(at); };
  // Reductions with the same references share what is evaluated against them.
  struct Overlay {
    ReduceOp first;
    std::unique_ptr<TileEvaluator> scope;
    References oldRefs, newRefs;
  };
  SmallVector<Overlay> overlays;
  State next;
  unsigned offset = 0;
  for (ReduceOp reduce : pass.getPass().reduces) {
    State accumulators(state.slice(offset, pass.getNumValues(reduce)));
    offset += pass.getNumValues(reduce);
    TileEvaluator *scope = &tile;
    if (!reduce.getRefs().empty()) {
      auto *overlay = llvm::find_if(overlays, [&](Overlay &candidate) {
        return candidate.first.getRefs() == reduce.getRefs() &&
               candidate.first.getGuards() == reduce.getGuards() &&
               candidate.oldRefs.axes == pass.axesOfReferences(reduce);
      });
      if (overlay == overlays.end()) {
        Overlay made;
        made.first = reduce;
        made.oldRefs = pass.references(b, loc, reduce, state, known);
        made.newRefs = pass.references(b, loc, reduce, next, known);
        made.scope = std::make_unique<TileEvaluator>(tile);
        for (auto [index, ref] : llvm::enumerate(reduce.getRefs()))
          made.scope->define(ref, pass.elementsOf(reduce, index, made.newRefs));
        overlays.push_back(std::move(made));
        overlay = &overlays.back();
      }
      scope = overlay->scope.get();
      accumulators = pass.correct(b, loc, reduce, accumulators,
                                  overlay->oldRefs, overlay->newRefs, known);
    }
    accumulators = addElements(b, tile, *scope, pass, reduce, accumulators);
    if (contractor && context.contractions->isShared(reduce))
      accumulators =
          combineLanes(b, context, pass.getPass().axes, reduce, accumulators);
    llvm::append_range(next, accumulators);
  }
  return next;
}

//===----------------------------------------------------------------------===//
// Passes, results, replay
//===----------------------------------------------------------------------===//

/// Loads, before the threads exchange their states, what the results alone need
/// of the resident tile, where it takes few registers.
void RegionEmitter::prefetchForResults(OpBuilder &b) {
  SmallVector<Value> inputs;
  unsigned bits = 0;
  SmallVector<Value> worklist(yield().getValues());
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second || resident->knows(value) ||
        !layout.of(value).test(context.rowAxis))
      continue;
    Operation *op = value.getDefiningOp();
    if (op && !isa<ReduceOp>(op)) {
      llvm::append_range(worklist, op->getOperands());
    } else if (!op) {
      inputs.push_back(value);
      bits +=
          layout.count(layout.of(value)) *
          (value.getType().isIndex() ? 64
                                     : value.getType().getIntOrFloatBitWidth());
    }
  }
  if (bits <= maxPrefetchedBits)
    resident->prefetch(b, inputs);
}

void RegionEmitter::loadInvariants(OpBuilder &b) {
  SmallVector<Value> arguments;
  for (StringRef residency : {"regs", "shared"})
    for (unsigned input :
         getInvariantInputs(context.chain, context.rowAxis, residency))
      arguments.push_back(region.getArgument(input));
  if (arguments.empty())
    return;
  forEachTile(b, {}, std::nullopt, std::nullopt,
              [&](OpBuilder &inner, TileEvaluator &tile, ValueRange) {
                tile.prefetch(inner, arguments);
                tile.forgetKept();
                return State();
              });
  row.endRun();
}

void RegionEmitter::useInvariants(OpBuilder &b, RegionEmitter &before) {
  row.adoptKept(before.row);
  if (before.resident)
    resident = before.resident->reload(b, &row);
}

void RegionEmitter::prepareContractions(OpBuilder &b, Int position) {
  if (!context.contractions || &region != &ChainOp(context.chain).getBody())
    return;
  contractor.emplace(b, context, layout, position);
  row.useContractor(*contractor);
}

bool RegionEmitter::isOfLanes(ReduceOp reduce) const {
  ArrayRef<Contraction> sums = contractor->of(reduce);
  return context.contractions->isShared(reduce) ||
         (!sums.empty() && sums.front().isOverRow);
}

void RegionEmitter::emitPasses(OpBuilder &b) {
  for (const ReductionPass &pass : passes.getPasses()) {
    // What is inside the tile is reduced where a value asks for it.
    if (!pass.axes.test(context.rowAxis))
      continue;
    for (ReduceOp reduce : pass.reduces) {
      row.prepareRow(b, reduce->getOperands());
      llvm::SetVector<Value> captured;
      getUsedValuesDefinedAbove(reduce->getRegions(), captured);
      row.prepareRow(b, captured.getArrayRef());
    }
    emitPass(b, pass);
  }
}

/// Whether the first block of a cluster alone needs what `pass` reduces: it
/// meets other clusters, or no result and no later pass goes over the row.
bool RegionEmitter::isForFirstBlock(const ReductionPass &pass) {
  if (context.row().at(Level::Grid))
    return true;
  return isLastForRow(pass) && !yield().getReplay() && !sumsOverRow();
}

/// Whether no later pass and no result goes over the row.
bool RegionEmitter::isLastForRow(const ReductionPass &pass) {
  auto isOfRow = [&](const ReductionPass &other) {
    return other.axes.test(context.rowAxis);
  };
  ArrayRef<ReductionPass> all = passes.getPasses();
  const ReductionPass *last = nullptr;
  for (const ReductionPass &other : all)
    if (isOfRow(other))
      last = &other;
  return last == &pass &&
         llvm::none_of(context.outputs, [&](const BufferArgument &output) {
           return output.map.isFunctionOfDim(context.rowAxis);
         });
}

/// Whether all that is left to compute after `pass`, the last over the row, can
/// be from parts of its state: it needs no other reduction.
bool RegionEmitter::leavesParts(const ReductionPass &pass) {
  if (!isLastForRow(pass))
    return false;
  SmallVector<Value> worklist(yield()->getOperands());
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!seen.insert(value).second || !op)
      continue;
    auto reduce = dyn_cast<ReduceOp>(op);
    if (!reduce)
      llvm::append_range(worklist, op->getOperands());
    else if (!llvm::is_contained(pass.reduces, reduce) || reduce.getInto())
      return false;
  }
  return true;
}

/// Whether the tiles of `pass` in `range` are voted on before they are loaded.
/// What a later use finds in registers or in shared memory is loaded always.
bool RegionEmitter::asksFirst(const ReductionPass &pass,
                              const std::optional<TileRange> &range) {
  bool isOneTile = context.numTiles.constant && *context.numTiles.constant == 1;
  bool isCertain = range && range->isCertain;
  return skips && !isCertain && context.keptInputs.empty() &&
         (range || !isOneTile) && isVotedOn(row, pass);
}

/// The states of a topk and of the other reductions are of different kinds;
/// they are in one list from one tile to the next, the others first.
void RegionEmitter::emitPass(OpBuilder &b, const ReductionPass &pass) {
  ReductionPass others{pass.axes, {}};
  SmallVector<std::unique_ptr<ListReduction>> lists;
  for (ReduceOp reduce : pass.reduces) {
    if (isListReduction(reduce, layout))
      lists.push_back(std::make_unique<ListReduction>(b, row, reduce));
    else
      others.reduces.push_back(reduce);
  }
  std::optional<TileRange> range = rangeOf(b, pass);
  ThreadState states(others, layout);
  auto known = [&](ArrayRef<unsigned> at) { return row.mapping(at); };
  State state = states.identity(b, context.loc, known);
  unsigned numOthers = state.size();
  for (auto &list : lists)
    llvm::append_range(state, list->empty(b));
  bool asks = lists.empty() && asksFirst(pass, range);
  state = forEachTile(
      b, state, loadedAhead(pass, asks), range,
      [&](OpBuilder &inner, TileEvaluator &tile, ValueRange current) {
        if (asks) {
          auto branch = scf::IfOp::create(
              inner, context.loc, current.getTypes(),
              emitVote(inner, tile, pass), /*withElseRegion=*/true);
          OpBuilder some = branch.getThenBodyBuilder();
          scf::YieldOp::create(some, context.loc,
                               step(some, tile, states, current));
          OpBuilder none = branch.getElseBodyBuilder();
          scf::YieldOp::create(none, context.loc, current);
          return State(branch.getResults());
        }
        State next = step(inner, tile, states, current.take_front(numOthers));
        for (auto &list : lists)
          llvm::append_range(
              next, list->step(inner, tile,
                               State(current.slice(next.size(),
                                                   list->getNumValues()))));
        return next;
      });
  row.endRun();
  if (resident)
    prefetchForResults(b);
  std::optional<GridMerge> grid;
  if (context.row().at(Level::Grid))
    grid.emplace(context);
  ValueRange rest = ValueRange(state).drop_front(numOthers);
  SmallVector<State> merged;
  SmallVector<unsigned> left;
  for (auto &list : lists) {
    merged.push_back(
        list->mergeThreads(b, State(rest.take_front(list->getNumValues()))));
    rest = rest.drop_front(list->getNumValues());
    if (grid)
      left.push_back(list->leave(b, *grid, merged.back()));
  }
  if (numOthers > 0) {
    SmallVector<ReduceOp> ofLanes;
    if (contractor)
      llvm::copy_if(others.reduces, std::back_inserter(ofLanes),
                    [&](ReduceOp reduce) { return isOfLanes(reduce); });
    bool mayStay = lists.empty() && leavesParts(pass);
    State all = mergeThreads(
        b, context, states, State(ValueRange(state).take_front(numOthers)),
        isForFirstBlock(pass), known, ofLanes, grid ? &*grid : nullptr,
        mayStay ? &part : nullptr);
    if (part.parts)
      partRow = std::make_unique<TileEvaluator>(part.parts->getContext(),
                                                part.parts->getLayout());
    for (ReduceOp reduce : others.reduces)
      for (OpResult result : reduce->getResults())
        results().define(result, part.parts
                                     ? part.parts->getStates().elementsOf(
                                           b, result, part.state)
                                     : states.elementsOf(b, result, all));
  } else if (grid) {
    grid->arrive(b);
  }
  for (auto [number, list] : llvm::enumerate(lists)) {
    if (grid)
      merged[number] = list->take(b, *grid, left[number]);
    SmallVector<State> entries = list->finish(b, merged[number]);
    for (OpResult result : list->getReduce()->getResults()) {
      State own;
      for (const State &entry : entries)
        own.push_back(entry[result.getResultNumber()]);
      row.define(result, own);
    }
  }
}

/// The results of this thread's part of the last state.
void RegionEmitter::emitResultsOfPart(OpBuilder b) {
  if (part.isOwner) {
    auto branch = scf::IfOp::create(b, context.loc, part.isOwner);
    b.setInsertionPoint(branch.thenYield());
  }
  for (auto [output, value] : llvm::enumerate(yield().getValues()))
    partRow->store(b, output, value, partRow->evaluate(b, value));
}

void RegionEmitter::emitResults(OpBuilder &b) {
  if (partRow)
    return emitResultsOfPart(b);
  row.prepareRow(b, yield().getValues());
  SmallVector<unsigned> tiled;
  for (auto [output, value] : llvm::enumerate(yield().getValues())) {
    if (context.outputs[output].map.isFunctionOfDim(context.rowAxis))
      tiled.push_back(output);
    else
      row.store(b, output, value, row.evaluate(b, value));
  }
  if (tiled.empty())
    return;
  forEachTile(
      b, {}, std::nullopt, std::nullopt,
      [&](OpBuilder &inner, TileEvaluator &tile, ValueRange) {
        SmallVector<SmallVector<Value>> elements;
        for (unsigned output : tiled)
          elements.push_back(tile.evaluate(inner, yield().getValues()[output]));
        for (auto [output, values] : llvm::zip_equal(tiled, elements))
          tile.store(inner, output, yield().getValues()[output], values);
        return State();
      });
}

Value RegionEmitter::replayCondition(OpBuilder &b) {
  Value condition;
  AxisSet varies(context.axes.size());
  TileEvaluator &known = results();
  const ThreadLayout &held = known.getLayout();
  auto watch = [&](Value value, auto isBad) {
    known.prepareRow(b, value);
    State elements = known.evaluate(b, value);
    AxisSet its = passes.getAxes().of(value);
    for (const Position &position : held.positions(held.of(value))) {
      Value own = isBad(held.element(value, elements, position));
      if (Value inside = known.isInside(b, its, position))
        own = arith::AndIOp::create(b, context.loc, own, inside);
      condition =
          condition
              ? Value(arith::OrIOp::create(b, context.loc, condition, own))
              : own;
    }
    varies |= its;
  };
  if (Value replay = yield().getReplay())
    watch(replay, [](Value own) { return own; });
  // A number in parts times infinity is NaN.
  if (sumsOverRow())
    for (const Contraction &contraction : context.contractions->getAll())
      if (contraction.isOverRow)
        watch(contraction.result(), [&](Value sum) -> Value {
          Value infinity = arith::ConstantOp::create(
              b, context.loc,
              b.getF32FloatAttr(std::numeric_limits<float>::infinity()));
          return arith::CmpFOp::create(
              b, context.loc, arith::CmpFPredicate::UGE,
              math::AbsFOp::create(b, context.loc, sum), infinity);
        });
  if (!condition)
    return {};
  if (partRow) {
    if (part.isOwner)
      condition =
          arith::AndIOp::create(b, context.loc, condition, part.isOwner);
    return cluster::AllReduceOp::create(b, context.loc, condition,
                                        part.areOfBlocks
                                            ? cluster::Scope::Cluster
                                            : cluster::Scope::Block,
                                        {cluster::Kind::Or})
        .getResult(0);
  }
  bool isOfLanes = llvm::any_of(varies.set_bits(), [&](unsigned axis) {
    return context.plan.axes[axis].isList &&
           context.plan.axes[axis].at(Level::Lane);
  });
  // The lanes of a row may have parts of what it varies over, and threads of
  // other rows take part in the same shuffles and barriers: if one row of a
  // warp or block is replayed, all are. The blocks of a cluster have the same
  // rows, and of these the same states to the bit.
  const AxisPlan &rowPlan = context.row();
  int64_t warps = rowPlan.sizeAt(Level::Warp);
  bool sharesBlock =
      warps < context.plan.warps && (warps > 1 || context.plan.blocks > 1);
  if (sharesBlock)
    return cluster::AllReduceOp::create(b, context.loc, condition,
                                        cluster::Scope::Block,
                                        {cluster::Kind::Or})
        .getResult(0);
  if (isOfLanes || rowPlan.sizeAt(Level::Lane) < MappingPlan::warpSize)
    return cluster::AnyOp::create(b, context.loc, condition);
  return condition;
}

/// Emits the source at every position that a thread has of `columns`, one at a
/// time.
static void emitSource(OpBuilder &b, KernelContext &context, AxisSet columns) {
  if (columns.none()) {
    RegionEmitter source(context, context.chain.getSource(),
                         /*together=*/false, /*skips=*/false);
    source.emitPasses(b);
    source.emitResults(b);
    return;
  }
  unsigned axis = columns.find_first();
  IntBuilder ints(b, context.loc);
  auto constant = [&](int64_t value) {
    return ints.materialise(ints.constant(value));
  };
  auto loop = scf::ForOp::create(b, context.loc, constant(0),
                                 constant(context.axes[axis].offsets.size()),
                                 constant(1));
  OpBuilder inner = OpBuilder::atBlockTerminator(loop.getBody());
  KernelContext there = context;
  there.placeOne(inner, axis, ints.wrap(loop.getInductionVar()));
  emitSource(inner, there, columns.reset(axis));
}

/// Emits one row: the passes, the replay of the source where the chain has one,
/// and the stores of the results. What the last cluster alone does is inside of
/// a branch: therefore `b` is a copy.
static void buildRow(OpBuilder b, const KernelContext &context, Int position,
                     RegionEmitter &body, gpu::GPUFuncOp kernel) {
  ChainOp chain = context.chain;
  body.prepareContractions(b, position);
  body.emitPasses(b);
  Value replay = body.replayCondition(b);
  if (!replay) {
    body.emitResults(b);
    return;
  }
  auto ifOp = scf::IfOp::create(b, context.loc, replay, /*withElse=*/true);
  // The cold path keeps the threads where they are and takes the elements of a
  // thread one at a time.
  OpBuilder cold = ifOp.getThenBodyBuilder();
  body.releaseStages(cold);
  MappingPlan coldPlan = context.plan.withoutRegisters(context.rowAxis);
  AxisSet columns(context.axes.size());
  if (context.contractions) {
    coldPlan = context.contractions->withoutContractions(coldPlan);
    columns = context.contractions->getColumns();
  }
  KernelContext coldContext =
      KernelContext::create(cold, chain, coldPlan, context.rowAxis, kernel);
  coldContext.placeRow(cold, position);
  emitSource(cold, coldContext, columns);
  OpBuilder warm = ifOp.getElseBodyBuilder();
  body.emitResults(warm);
}

void cascade::buildKernelBody(OpBuilder &b, KernelContext &context,
                              gpu::GPUFuncOp kernel) {
  bool isReplayed = replaysElements(context.chain, context.rowAxis);
  Region &region =
      isReplayed ? context.chain.getSource() : context.chain.getBody();
  bool together = context.chain.isFused() && !isReplayed;
  // The references of a kernel should not be wrong where it is.
  bool skips = !context.chain->getParentOp()->hasAttr(wholeDomainAttrName);
  RowRange rows = RowRange::create(b, context);
  RegionEmitter before(context, region, together, skips);
  if (context.plan.isResident)
    before.loadInvariants(b);
  std::optional<StagedLoads> stages;
  if (!context.staged.inputs.empty())
    stages.emplace(b, context, before.getAxes(), rows, kernel,
                   before.onlyUse());
  rows.forEach(b, context.loc, [&](OpBuilder &b, Int position, Int number) {
    context.placeRow(b, position);
    RegionEmitter body(context, region, together, skips);
    body.useInvariants(b, before);
    if (stages) {
      stages->beginRow(number);
      body.useStages(*stages);
    }
    buildRow(b, context, position, body, kernel);
  });
}
