//===- KernelBuilder.cpp - The body of one kernel -------------------------===//
//
// A pass is: a state a thread, one step a tile (a horizontal combine of the
// thread's elements, and one correction), and one collective that merges the
// states of the threads that share the row.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "StagedLoads.h"
#include "cascade/Analysis/ReductionPasses.h"
#include "cascade/Dialect/Cascade/IR/ReductionKind.h"
#include "cascade/Dialect/Cluster/IR/Cluster.h"
#include "cascade/Transforms/PassState.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace cascade;

namespace {

/// Of a thread: more costs blocks that are resident at once.
constexpr unsigned maxPrefetchedBits = 16 * 32;

/// Emits one region of a chain for one kernel.
class RegionEmitter {
public:
  RegionEmitter(const KernelContext &context, Region &region, bool together)
      : context(context), region(region),
        passes(context.chain, region, together),
        row(context, passes.getAxes()) {}

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
  /// The passes; their results are known in the scope of the row afterwards.
  void emitPasses(OpBuilder &b);
  /// The stores of the chain's results.
  void emitResults(OpBuilder &b);
  /// The replay condition, the same in every thread that shares a collective;
  /// null where the region has none.
  Value replayCondition(OpBuilder &b);

private:
  using State = SmallVector<Value>;
  using TileBody =
      llvm::function_ref<State(OpBuilder &, TileEvaluator &, ValueRange)>;

  YieldOp yield() { return cast<YieldOp>(region.front().getTerminator()); }
  State forEachTile(OpBuilder &b, State state, TileBody body);
  /// Runs over the elements of the row: those of its passes, and one for
  /// results along the row. A row of one tile is read once.
  unsigned numRuns();
  void prefetchForResults(OpBuilder &b);
  State step(OpBuilder &b, TileEvaluator &tile, const PassState &pass,
             ValueRange state);
  State addElements(OpBuilder &b, TileEvaluator &tile, TileEvaluator &scope,
                    const PassState &pass, ReduceOp reduce, State accumulators);
  State mergeThreads(OpBuilder &b, const PassState &pass, State state);
  State mergeLanes(OpBuilder &b, const PassState &pass, ValueRange state);

  const KernelContext &context;
  Region &region;
  ReductionPasses passes;
  TileEvaluator row;
  /// The tile that stays in registers where the row is one tile.
  std::unique_ptr<TileEvaluator> resident;
  StagedLoads *stages = nullptr;
  unsigned run = 0; ///< over the row, that is next
};

} // namespace

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

unsigned RegionEmitter::numRuns() {
  if (context.numTiles.constant && *context.numTiles.constant == 1)
    return 1;
  unsigned count =
      llvm::count_if(passes.getPasses(), [&](const ReductionPass &pass) {
        return pass.axes.test(context.rowAxis);
      });
  bool isStored =
      llvm::any_of(context.outputs, [&](const BufferArgument &output) {
        return output.map.isFunctionOfDim(context.rowAxis);
      });
  return count + isStored;
}

/// Runs `ofTile` over the tiles of this block, the state going from one to the
/// next: a loop over the full ones and then at most one that overhangs the row.
RegionEmitter::State RegionEmitter::forEachTile(OpBuilder &b, State state,
                                                TileBody ofTile) {
  Location loc = context.loc;
  unsigned thisRun = run++;
  auto body = [&](OpBuilder &inner, TileEvaluator &tile, Int number,
                  ValueRange current) {
    if (stages && thisRun < numRuns())
      stages->enterTile(inner, tile, number, /*isFirst=*/thisRun == 0,
                        /*isLast=*/thisRun + 1 == numRuns());
    return ofTile(inner, tile, current);
  };
  IntBuilder ints(b, loc);
  Int extent = context.extents[context.rowAxis];
  if (extent.constant && *extent.constant == 0)
    return state;
  bool oneTile = context.numTiles.constant && *context.numTiles.constant == 1;
  if (oneTile) {
    bool exact =
        extent.constant && *extent.constant == context.row().sizedProduct();
    if (resident)
      resident = resident->reload(b);
    else
      resident = std::make_unique<TileEvaluator>(row, b, ints.constant(0),
                                                 /*partial=*/!exact);
    return body(b, *resident, ints.constant(0), state);
  }

  auto loop = [&](Int count, bool partial, State init) {
    Value zero = ints.materialise(ints.constant(0));
    Value one = ints.materialise(ints.constant(1));
    auto forOp =
        scf::ForOp::create(b, loc, zero, ints.materialise(count), one, init);
    // Without results the builder has put a terminator already.
    Block *block = forOp.getBody();
    if (!block->empty())
      block->getTerminator()->erase();
    OpBuilder inner = OpBuilder::atBlockEnd(block);
    Int number = ints.wrap(forOp.getInductionVar());
    TileEvaluator tile(row, inner, number, partial);
    State next = body(inner, tile, number, forOp.getRegionIterArgs());
    scf::YieldOp::create(inner, loc, next);
    return State(forOp.getResults());
  };
  if (!context.tileIsContiguous)
    return loop(context.numTiles, /*partial=*/true, state);

  // Tile t is full while blockBase + t * tileStep + tileSpan <= extent.
  Int room = ints.sub(ints.sub(extent, context.blockBase),
                      ints.constant(context.tileSpan));
  Int step = context.tileStep;
  Int full =
      ints.divUI(ints.maxSI(ints.add(room, step), ints.constant(0)), step);
  full = ints.minSI(full, context.numTiles);
  state = loop(full, /*partial=*/false, state);

  Int start = ints.add(context.blockBase, ints.mul(full, step));
  Value more = arith::AndIOp::create(b, loc, ints.lessThan(start, extent),
                                     ints.lessThan(full, context.numTiles));
  SmallVector<Type> types(ValueRange(state).getTypes());
  auto ifOp =
      scf::IfOp::create(b, loc, types, more, /*withElse=*/!types.empty());
  {
    OpBuilder inner = ifOp.getThenBodyBuilder();
    TileEvaluator tile(row, inner, full, /*partial=*/true);
    State next = body(inner, tile, full, state);
    if (!types.empty())
      scf::YieldOp::create(inner, loc, next);
  }
  if (types.empty())
    return {};
  OpBuilder inner = ifOp.getElseBodyBuilder();
  scf::YieldOp::create(inner, loc, state);
  return State(ifOp.getResults());
}

//===----------------------------------------------------------------------===//
// The step of a pass
//===----------------------------------------------------------------------===//

/// The accumulators of `reduce` after its values at the elements of `tile` that
/// are in its domain.
RegionEmitter::State
RegionEmitter::addElements(OpBuilder &b, TileEvaluator &tile,
                           TileEvaluator &scope, const PassState &pass,
                           ReduceOp reduce, State accumulators) {
  Location loc = context.loc;
  if (Value extremum = scope.reduceNarrow(b, reduce))
    return {createCombine(b, loc, reduce.getKind(), accumulators[0], extremum)};
  SmallVector<State> values;
  for (Value value : reduce.getValues())
    values.push_back(scope.evaluate(b, value));
  State inDomain;
  if (reduce.getPredicate())
    inDomain = scope.evaluate(b, reduce.getPredicate());

  SmallVector<State> elements;
  SmallVector<Value> domains;
  for (unsigned i = 0; i < tile.numElements(); ++i) {
    Value domain = tile.valid(i);
    if (reduce.getPredicate()) {
      Value predicate = TileEvaluator::elementOf(inDomain, i);
      domain = domain ? Value(arith::AndIOp::create(b, loc, domain, predicate))
                      : predicate;
    }
    domains.push_back(domain);
    State &element = elements.emplace_back();
    for (const State &ofValue : values)
      element.push_back(TileEvaluator::elementOf(ofValue, i));
  }
  IRMapping outer = row.mapping();
  return pass.insertAll(b, loc, reduce, accumulators, elements, domains, outer);
}

RegionEmitter::State RegionEmitter::step(OpBuilder &b, TileEvaluator &tile,
                                         const PassState &pass,
                                         ValueRange state) {
  Location loc = context.loc;
  IRMapping outer = row.mapping();
  // Reductions with the same references share what is evaluated against them.
  struct Overlay {
    ReduceOp first;
    std::unique_ptr<TileEvaluator> scope;
    State oldRefs, newRefs;
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
               candidate.first.getGuards() == reduce.getGuards();
      });
      if (overlay == overlays.end()) {
        Overlay made;
        made.first = reduce;
        made.oldRefs = pass.references(b, loc, reduce, state, outer);
        made.newRefs = pass.references(b, loc, reduce, next, outer);
        made.scope = std::make_unique<TileEvaluator>(tile);
        for (auto [ref, value] :
             llvm::zip_equal(reduce.getRefs(), made.newRefs))
          made.scope->define(ref, value);
        overlays.push_back(std::move(made));
        overlay = &overlays.back();
      }
      scope = overlay->scope.get();
      accumulators = pass.correct(b, loc, reduce, accumulators,
                                  overlay->oldRefs, overlay->newRefs, outer);
    }
    llvm::append_range(
        next, addElements(b, tile, *scope, pass, reduce, accumulators));
  }
  return next;
}

//===----------------------------------------------------------------------===//
// The collective
//===----------------------------------------------------------------------===//

/// Values as threads exchange them: an index travels as i64.
static SmallVector<Value> toExchanged(OpBuilder &b, Location loc,
                                      ValueRange values) {
  SmallVector<Value> result;
  for (Value value : values)
    result.push_back(
        value.getType().isIndex()
            ? Value(arith::IndexCastOp::create(b, loc, b.getI64Type(), value))
            : value);
  return result;
}

static SmallVector<Value> fromExchanged(OpBuilder &b, Location loc,
                                        ValueRange values, TypeRange types) {
  SmallVector<Value> result;
  for (auto [value, type] : llvm::zip_equal(values, types))
    result.push_back(
        type.isIndex() ? Value(arith::IndexCastOp::create(b, loc, type, value))
                       : value);
  return result;
}

/// The kind of `reduce`, once a value of its state.
static void appendKinds(ReduceOp reduce, SmallVectorImpl<cluster::Kind> &out) {
  out.append(PassState::getNumValues(reduce),
             *cluster::symbolizeKind(stringifyReductionKind(reduce.getKind())));
}

/// Reduces values of the kind of `reduce` over lanes, as many as hold states.
static SmallVector<Value> allReduceLanes(OpBuilder &b, Location loc,
                                         ReduceOp reduce, ValueRange values) {
  SmallVector<cluster::Kind> kinds;
  appendKinds(reduce, kinds);
  auto op = cluster::AllReduceOp::create(b, loc, toExchanged(b, loc, values),
                                         cluster::Scope::Warp, kinds);
  return fromExchanged(b, loc, op.getResults(), values.getTypes());
}

/// Merges the states of lanes, each its own, one reduction after the
/// other: its accumulators are corrected once, to the references of all lanes
/// together, and then plainly reduced. A merge of whole states would correct
/// both of them in every round.
RegionEmitter::State RegionEmitter::mergeLanes(OpBuilder &b,
                                               const PassState &pass,
                                               ValueRange state) {
  Location loc = context.loc;
  IRMapping outer = row.mapping();
  State merged;
  for (ReduceOp reduce : pass.getPass().reduces) {
    State accumulators(state.slice(merged.size(), pass.getNumValues(reduce)));
    if (!reduce.getRefs().empty())
      accumulators =
          pass.correct(b, loc, reduce, accumulators,
                       pass.references(b, loc, reduce, state, outer),
                       pass.references(b, loc, reduce, merged, outer), outer);
    llvm::append_range(merged, allReduceLanes(b, loc, reduce, accumulators));
  }
  return merged;
}

/// Merges the states of all the threads that share the row.
RegionEmitter::State
RegionEmitter::mergeThreads(OpBuilder &b, const PassState &pass, State state) {
  const AxisPlan &rowPlan = context.row();
  int32_t lanes = rowPlan.sizeAt(Level::Lane);
  int64_t blocks = rowPlan.sizeAt(Level::Cluster);
  int32_t warps = rowPlan.sizeAt(Level::Warp);
  cluster::Scope scope = blocks > 1  ? cluster::Scope::Cluster
                         : warps > 1 ? cluster::Scope::Block
                                     : cluster::Scope::Warp;
  Location loc = context.loc;
  auto reduces = pass.getPass().reduces;
  bool isPlain = llvm::all_of(
      reduces, [](ReduceOp reduce) { return reduce.getRefs().empty(); });
  bool isElementwiseOnly = llvm::all_of(
      reduces, [](ReduceOp reduce) { return isElementwise(reduce.getKind()); });
  std::optional<int32_t> group;
  if (scope != cluster::Scope::Warp)
    group = warps;
  SmallVector<Type> types = pass.getTypes();
  SmallVector<Value> exchanged = toExchanged(b, loc, state);
  if (isPlain && isElementwiseOnly) {
    SmallVector<cluster::Kind> kinds;
    for (ReduceOp reduce : reduces)
      appendKinds(reduce, kinds);
    auto op = cluster::AllReduceOp::create(b, loc, exchanged, scope, kinds,
                                           lanes, group);
    return fromExchanged(b, loc, op.getResults(), types);
  }
  IRMapping outer = row.mapping();
  auto merge = [&](OpBuilder &inner, Location, ValueRange lower,
                   ValueRange higher) {
    return toExchanged(
        inner, loc,
        pass.merge(inner, loc, fromExchanged(inner, loc, lower, types),
                   fromExchanged(inner, loc, higher, types), outer));
  };
  auto lanewise = [&](OpBuilder &inner, Location, ValueRange ofLane) {
    return toExchanged(
        inner, loc,
        mergeLanes(inner, pass, fromExchanged(inner, loc, ofLane, types)));
  };
  auto op = cluster::AllReduceOp::create(
      b, loc, exchanged, scope, merge, lanes, group, cluster::Algorithm::Auto,
      isElementwiseOnly ? cluster::LanewiseBuilder(lanewise)
                        : cluster::LanewiseBuilder());
  return fromExchanged(b, loc, op.getResults(), types);
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
        !passes.getAxes().of(value).test(context.rowAxis))
      continue;
    Operation *op = value.getDefiningOp();
    if (op && !isa<ReduceOp>(op)) {
      llvm::append_range(worklist, op->getOperands());
    } else if (!op) {
      inputs.push_back(value);
      bits +=
          resident->numElements() *
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
  forEachTile(b, {}, [&](OpBuilder &inner, TileEvaluator &tile, ValueRange) {
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

void RegionEmitter::emitPasses(OpBuilder &b) {
  for (const ReductionPass &pass : passes.getPasses()) {
    // Lists are reduced where a value asks for it.
    if (!pass.axes.test(context.rowAxis))
      continue;
    PassState states(pass);
    for (ReduceOp reduce : pass.reduces) {
      row.prepareRow(b, reduce->getOperands());
      reduce.getCorrection().walk([&](Operation *op) {
        for (Value operand : op->getOperands())
          if (operand.getParentRegion() == &region)
            row.prepareRow(b, operand);
      });
      reduce.getCombiner().walk([&](Operation *op) {
        for (Value operand : op->getOperands())
          if (operand.getParentRegion() == &region)
            row.prepareRow(b, operand);
      });
    }
    IRMapping outer = row.mapping();
    State state = states.identity(b, context.loc, outer);
    state = forEachTile(
        b, state,
        [&](OpBuilder &inner, TileEvaluator &tile, ValueRange current) {
          return step(inner, tile, states, current);
        });
    row.endRun();
    if (resident)
      prefetchForResults(b);
    state = mergeThreads(b, states, state);
    for (ReduceOp reduce : pass.reduces)
      for (OpResult result : reduce->getResults())
        row.define(result, states.valuesOf(result, state));
  }
}

void RegionEmitter::emitResults(OpBuilder &b) {
  row.prepareRow(b, yield().getValues());
  SmallVector<unsigned> tiled;
  for (auto [output, value] : llvm::enumerate(yield().getValues())) {
    if (context.outputs[output].map.isFunctionOfDim(context.rowAxis))
      tiled.push_back(output);
    else
      row.store(b, output, row.evaluate(b, value));
  }
  if (tiled.empty())
    return;
  forEachTile(b, {}, [&](OpBuilder &inner, TileEvaluator &tile, ValueRange) {
    SmallVector<SmallVector<Value>> elements;
    for (unsigned output : tiled)
      elements.push_back(tile.evaluate(inner, yield().getValues()[output]));
    for (auto [output, values] : llvm::zip_equal(tiled, elements))
      tile.store(inner, output, values);
    return State();
  });
}

Value RegionEmitter::replayCondition(OpBuilder &b) {
  Value replay = yield().getReplay();
  if (!replay)
    return {};
  row.prepareRow(b, replay);
  State conditions = row.evaluate(b, replay); // One an entry of a list.
  Value condition = conditions[0];
  for (Value other : ArrayRef(conditions).drop_front())
    condition = arith::OrIOp::create(b, context.loc, condition, other);
  // Threads of other rows take part in the same shuffles and barriers: if one
  // row of them is replayed, all are.
  const AxisPlan &rowPlan = context.row();
  bool sharesWarp = rowPlan.sizeAt(Level::Lane) < MappingPlan::warpSize;
  int64_t warps = rowPlan.sizeAt(Level::Warp);
  bool sharesBlock =
      warps < context.plan.warps && (warps > 1 || context.plan.blocks > 1);
  if (!sharesWarp && !sharesBlock)
    return condition;
  cluster::Scope scope = context.plan.blocks > 1 ? cluster::Scope::Cluster
                         : sharesBlock           ? cluster::Scope::Block
                                                 : cluster::Scope::Warp;
  auto op = cluster::AllReduceOp::create(b, context.loc, condition, scope,
                                         {cluster::Kind::Or});
  return op.getResult(0);
}

/// Emits one row: the passes, the replay of the source where the chain has one,
/// and the stores of the results.
static void buildRow(OpBuilder &b, const KernelContext &context, Int position,
                     RegionEmitter &body, gpu::GPUFuncOp kernel) {
  ChainOp chain = context.chain;
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
  KernelContext coldContext =
      KernelContext::create(cold, chain, coldPlan, context.rowAxis, kernel);
  coldContext.placeRow(cold, position);
  RegionEmitter source(coldContext, chain.getSource(), /*together=*/false);
  source.emitPasses(cold);
  source.emitResults(cold);
  OpBuilder warm = ifOp.getElseBodyBuilder();
  body.emitResults(warm);
}

void cascade::buildKernelBody(OpBuilder &b, KernelContext &context,
                              gpu::GPUFuncOp kernel) {
  Region &region = context.chain.getBody();
  bool together = context.chain.isFused();
  RowRange rows = RowRange::create(b, context);
  RegionEmitter before(context, region, together);
  if (context.plan.isResident)
    before.loadInvariants(b);
  std::optional<StagedLoads> stages;
  if (!context.staged.inputs.empty())
    stages.emplace(b, context, before.getAxes(), rows, kernel);
  rows.forEach(b, context.loc, [&](OpBuilder &b, Int position, Int number) {
    context.placeRow(b, position);
    RegionEmitter body(context, region, together);
    body.useInvariants(b, before);
    if (stages) {
      stages->beginRow(number);
      body.useStages(*stages);
    }
    buildRow(b, context, position, body, kernel);
  });
}
