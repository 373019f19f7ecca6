//===- SplitStates.cpp - Chains over a part of an axis --------------------===//

#include "cascade/Transforms/SplitStates.h"
#include "cascade/Analysis/MappingPlan.h"
#include "cascade/Dialect/Cascade/IR/Cascade.h"
#include "cascade/Transforms/FuseCascades.h"
#include "cascade/Transforms/PassState.h"
#include "cascade/Transforms/Passes.h"
#include "mlir/Transforms/RegionUtils.h"

namespace cascade {
#define GEN_PASS_DEF_SPLITSTATESPASS
#include "cascade/Transforms/Passes.h.inc"
} // namespace cascade

using namespace mlir;
using namespace cascade;

namespace {

/// The new functions of one chain, made from its fused form.
class StateSplitter {
public:
  StateSplitter(func::FuncOp function, ChainOp fused, unsigned axis,
                const ReductionPasses &passes, const ReductionPass &pass)
      : function(function), fused(fused), axis(axis), axes(passes.getAxes()),
        pass(pass), state(pass) {}

  LogicalResult check();
  void buildStates(OpBuilder &b);
  void buildMerge(OpBuilder &b, bool finish);

private:
  void yieldState(Region &body, const IRMapping &map);
  void fillSource(ChainOp chain);
  void addReferences(ChainOp chain, MutableArrayRef<ReduceOp> clones,
                     IRMapping known);
  YieldOp yield() {
    return cast<YieldOp>(fused.getBodyBlock()->getTerminator());
  }
  bool isState(Operation *op) const {
    auto reduce = dyn_cast_or_null<ReduceOp>(op);
    return reduce && llvm::is_contained(pass.reduces, reduce);
  }
  bool isExtent(Operation *op) {
    auto extent = dyn_cast_or_null<ExtentOp>(op);
    return extent && extent.getAxis() == fused.getAxisName(axis);
  }
  SmallVector<Value> stateValues() const;
  SmallVector<Value> capturedBy(ReduceOp reduce);
  SmallVector<Operation *> neededOps(ValueRange values);
  RankedTensorType tensorOf(Value value, bool withPlaces);
  AffineMap mapOf(Value value, ArrayRef<unsigned> numberOf, unsigned numAxes,
                  bool withPlaces);

  func::FuncOp function;
  ChainOp fused;
  unsigned axis;
  const AxisAnalysis &axes;
  const ReductionPass &pass;
  PassState state;
  /// The extents of the axis that results and references use. They are part of
  /// the state: that of several places is the sum of theirs.
  SmallVector<Value> extents;
};

} // namespace

SmallVector<Value> StateSplitter::stateValues() const {
  SmallVector<Value> values;
  for (ReduceOp reduce : pass.reduces)
    llvm::append_range(values, reduce->getResults());
  llvm::append_range(values, extents);
  return values;
}

/// What the regions of `reduce` read of the chain, and its initial values.
SmallVector<Value> StateSplitter::capturedBy(ReduceOp reduce) {
  llvm::SetVector<Value> captured(reduce.getInits().begin(),
                                  reduce.getInits().end());
  getUsedValuesDefinedAbove(reduce->getRegions(), captured);
  return captured.takeVector();
}

/// The operations that compute `values`, in order, as far as the state does
/// not.
SmallVector<Operation *> StateSplitter::neededOps(ValueRange values) {
  SmallVector<Value> worklist(values);
  llvm::SetVector<Operation *> needed;
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (op && !isState(op) && needed.insert(op))
      llvm::append_range(worklist, op->getOperands());
  }
  SmallVector<Operation *> inOrder;
  for (Operation &op : *fused.getBodyBlock())
    if (needed.contains(&op))
      inOrder.push_back(&op);
  return inOrder;
}

LogicalResult StateSplitter::check() {
  for (ReduceOp reduce : pass.reduces)
    if (reduce.getInto())
      return reduce.emitOpError()
             << "keeps a list, whose state cannot be merged by a chain; take "
                "the topk of all places together";
  for (unsigned result = 0; result < fused.getNumResults(); ++result)
    if (fused.getOutputMap(result).isFunctionOfDim(axis))
      return fused.emitOpError()
             << "has result " << result << " along axis '"
             << fused.getAxisName(axis)
             << "', which no merged state holds; split a chain without it";
  // What merges and finishes besides the states.
  SmallVector<Value> worklist(yield().getValues());
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!seen.insert(value).second)
      continue;
    if (!op && axes.of(value).test(axis))
      return fused.emitOpError()
             << "uses an element along axis '" << fused.getAxisName(axis)
             << "' outside of reductions over it; no state holds it";
    if (op && !isState(op))
      llvm::append_range(worklist, op->getOperands());
  }
  for (ReduceOp reduce : pass.reduces) {
    SmallVector<Operation *> captured = neededOps(capturedBy(reduce));
    if (llvm::any_of(captured, [&](Operation *op) { return isExtent(op); }))
      return reduce.emitOpError()
             << "is corrected by the extent of axis '"
             << fused.getAxisName(axis)
             << "', which is another in every place; count the iterations by a "
                "reduction";
  }
  SmallVector<Value> wanted(yield().getValues());
  for (ReduceOp reduce : pass.reduces)
    llvm::append_range(wanted, reduce.getRefs());
  for (Operation *op : neededOps(wanted))
    if (isExtent(op))
      extents.push_back(op->getResult(0));
  return success();
}

/// The tensor of a value of the state.
RankedTensorType StateSplitter::tensorOf(Value value, bool withPlaces) {
  SmallVector<int64_t> shape, extents = fused.getStaticExtents();
  if (withPlaces)
    shape.push_back(ShapedType::kDynamic);
  for (unsigned other : axes.of(value).set_bits())
    shape.push_back(extents[other]);
  return RankedTensorType::get(shape, value.getType());
}

/// Its map, where axis a of the fused chain has number `numberOf[a]` and the
/// places are axis 0.
AffineMap StateSplitter::mapOf(Value value, ArrayRef<unsigned> numberOf,
                               unsigned numAxes, bool withPlaces) {
  MLIRContext *context = fused.getContext();
  SmallVector<AffineExpr> dims;
  if (withPlaces)
    dims.push_back(getAffineDimExpr(0, context));
  for (unsigned other : axes.of(value).set_bits())
    dims.push_back(getAffineDimExpr(numberOf[other], context));
  return AffineMap::get(numAxes, 0, dims, context);
}

//===----------------------------------------------------------------------===//
// @f_states
//===----------------------------------------------------------------------===//

/// Makes `body`, a copy of the fused one by `map`, yield the state.
void StateSplitter::yieldState(Region &body, const IRMapping &map) {
  auto before = cast<YieldOp>(body.front().getTerminator());
  SmallVector<Value> values;
  for (Value value : stateValues())
    values.push_back(map.lookup(value));
  OpBuilder b(before);
  YieldOp::create(b, before.getLoc(), values);
  before.erase();
  SmallVector<Operation *> ops;
  for (Operation &op : body.front().without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops))
    if (isOpTriviallyDead(op))
      op->erase();
}

/// The source of `chain`, which computes states: every reduction's values with
/// the guarded results in place of its references.
void StateSplitter::fillSource(ChainOp chain) {
  IRMapping map;
  fused.getBody().cloneInto(&chain.getSource(), map);
  IRMapping leaves;
  for (BlockArgument argument : fused.getBodyBlock()->getArguments())
    leaves.map(argument, map.lookup(argument));
  for (auto reduce : fused.getBodyBlock()->getOps<ReduceOp>())
    leaves.map(reduce->getResults(),
               cast<ReduceOp>(map.lookup(reduce.getOperation()))->getResults());
  SmallVector<Value> results;
  for (ReduceOp reduce : pass.reduces) {
    auto clone = cast<ReduceOp>(map.lookup(reduce.getOperation()));
    if (!reduce.getRefs().empty()) {
      OpBuilder b(clone);
      IRMapping guarded = leaves;
      for (auto [ref, value] : llvm::zip_equal(
               reduce.getRefs(),
               state.references(b, clone.getLoc(), reduce, results, leaves)))
        guarded.map(ref, value);
      SmallVector<Value> values;
      for (Value value : reduce.getValues())
        values.push_back(cloneSlice(b, value, guarded));
      clone.getValuesMutable().assign(values);
      clone.getRefsMutable().clear();
      clone.removeGuardsAttr();
      clone.getCorrection().getBlocks().clear();
    }
    llvm::append_range(results, clone->getResults());
  }
  yieldState(chain.getSource(), map);
}

/// The fused form yields its accumulators, which are against references with
/// their guards: a place without a finite maximum has a sum of zero, not NaN,
/// as another place may have one. The source says the same in plain operations.
void StateSplitter::buildStates(OpBuilder &b) {
  Location loc = fused.getLoc();
  SmallVector<Type> types;
  SmallVector<AffineMap> maps;
  SmallVector<unsigned> same;
  for (unsigned other = 0; other < fused.getNumAxes(); ++other)
    same.push_back(other);
  for (Value value : stateValues()) {
    types.push_back(tensorOf(value, /*withPlaces=*/false));
    maps.push_back(
        mapOf(value, same, fused.getNumAxes(), /*withPlaces=*/false));
  }
  auto made = func::FuncOp::create(
      b, loc, (function.getName() + statesSuffix).str(),
      FunctionType::get(b.getContext(), function.getArgumentTypes(), types));
  if (ArrayAttr attributes = function.getArgAttrsAttr())
    made.setArgAttrsAttr(attributes);
  Block *entry = made.addEntryBlock();
  OpBuilder inner = OpBuilder::atBlockBegin(entry);
  SmallVector<Value> inputs;
  for (Value input : fused.getInputs())
    inputs.push_back(
        entry->getArgument(cast<BlockArgument>(input).getArgNumber()));
  auto chain = ChainOp::create(
      inner, loc, types, inputs, fused.getAxesAttr(), fused.getInputMapsAttr(),
      inner.getAffineMapArrayAttr(maps), fused.getAllowAttr(), MappingAttr());
  IRMapping map;
  fused.getBody().cloneInto(&chain.getBody(), map);
  yieldState(chain.getBody(), map);
  fillSource(chain);
  func::ReturnOp::create(inner, loc, chain.getResults());
}

//===----------------------------------------------------------------------===//
// @f_merge and @f_finish
//===----------------------------------------------------------------------===//

/// The sum of `value` over the places.
static Value addPlaces(OpBuilder &b, Value value, StringRef places) {
  auto sum = ReduceOp::create(
      b, value.getLoc(), TypeRange{value.getType()}, ReductionKind::Add,
      ValueRange{value}, /*predicate=*/Value(), /*inits=*/ValueRange(),
      /*refs=*/ValueRange(), b.getStrArrayAttr({places}), /*into=*/nullptr,
      /*guards=*/nullptr);
  return sum.getResult(0);
}

void StateSplitter::buildMerge(OpBuilder &b, bool finish) {
  Location loc = fused.getLoc();
  MLIRContext *context = b.getContext();
  SmallVector<Value> states = stateValues();
  SmallVector<Value> wanted =
      finish ? SmallVector<Value>(yield().getValues()) : states;
  SmallVector<Value> read;
  if (finish)
    read = wanted;
  for (ReduceOp reduce : pass.reduces) {
    llvm::append_range(read, reduce.getRefs());
    llvm::append_range(read, capturedBy(reduce));
  }
  SmallVector<Operation *> needed = neededOps(read);

  // What of the chain's inputs takes part, and the axes of all that does.
  llvm::BitVector isUsed(fused.getInputs().size());
  AxisSet used(fused.getNumAxes());
  auto use = [&](Value operand) {
    if (auto argument = dyn_cast<BlockArgument>(operand))
      if (argument.getOwner() == fused.getBodyBlock())
        isUsed.set(argument.getArgNumber());
  };
  auto useAll = [&](Operation *op) {
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        use(operand);
    });
  };
  for (Operation *op : needed) {
    useAll(op);
    if (auto reduce = dyn_cast<ReduceOp>(op))
      used |= axes.reducedBy(reduce);
  }
  for (Value value : read)
    use(value);
  for (Value value : states)
    used |= axes.of(value);
  for (unsigned input : isUsed.set_bits())
    used |= axes.of(fused.getBodyBlock()->getArgument(input));
  for (Value value : wanted)
    used |= axes.of(value);

  // Axes: the places, then those in use.
  SmallVector<Attribute> names;
  std::string places = "part";
  while (fused.getAxisNumber(places) >= 0)
    places += "_";
  names.push_back(StringAttr::get(context, places));
  SmallVector<unsigned> numberOf(fused.getNumAxes());
  SmallVector<AffineExpr> replacements(fused.getNumAxes(),
                                       getAffineConstantExpr(0, context));
  for (unsigned other : used.set_bits()) {
    numberOf[other] = names.size();
    replacements[other] = getAffineDimExpr(names.size(), context);
    names.push_back(fused.getAxes()[other]);
  }
  unsigned numAxes = names.size();
  auto renumber = [&](AffineMap map) {
    return map.replaceDimsAndSymbols(replacements, {}, numAxes, 0);
  };

  // Signature.
  SmallVector<Type> argumentTypes, resultTypes;
  SmallVector<AffineMap> inputMaps, outputMaps;
  for (Value value : states) {
    argumentTypes.push_back(tensorOf(value, /*withPlaces=*/true));
    inputMaps.push_back(mapOf(value, numberOf, numAxes, /*withPlaces=*/true));
  }
  for (unsigned input : isUsed.set_bits()) {
    argumentTypes.push_back(fused.getInputs()[input].getType());
    inputMaps.push_back(renumber(fused.getInputMap(input)));
  }
  for (auto [number, value] : llvm::enumerate(wanted)) {
    resultTypes.push_back(finish ? fused.getResult(number).getType()
                                 : tensorOf(value, /*withPlaces=*/false));
    outputMaps.push_back(
        finish ? renumber(fused.getOutputMap(number))
               : mapOf(value, numberOf, numAxes, /*withPlaces=*/false));
  }
  auto made = func::FuncOp::create(
      b, loc,
      (function.getName() + (finish ? finishSuffix : mergeSuffix)).str(),
      FunctionType::get(context, argumentTypes, resultTypes));
  Block *entry = made.addEntryBlock();
  unsigned next = states.size();
  for (unsigned input : isUsed.set_bits()) {
    unsigned number =
        cast<BlockArgument>(fused.getInputs()[input]).getArgNumber();
    if (DictionaryAttr attributes = function.getArgAttrDict(number))
      made.setArgAttrs(next, attributes);
    ++next;
  }
  if (finish)
    if (ArrayAttr attributes = function.getResAttrsAttr())
      made.setResAttrsAttr(attributes);

  // The chain.
  OpBuilder inner = OpBuilder::atBlockBegin(entry);
  auto chain = ChainOp::create(
      inner, loc, resultTypes, entry->getArguments(), b.getArrayAttr(names),
      b.getAffineMapArrayAttr(inputMaps), b.getAffineMapArrayAttr(outputMaps),
      fused.getAllowAttr(), MappingAttr());
  OpBuilder at(context);
  Block *body = at.createBlock(&chain.getBody());
  SmallVector<Value> partial;
  for (Type type : argumentTypes)
    body->addArgument(getElementTypeOrSelf(type), loc);
  for (unsigned number = 0; number < states.size(); ++number)
    partial.push_back(body->getArgument(number));
  IRMapping outer;
  next = states.size();
  for (unsigned input : isUsed.set_bits())
    outer.map(fused.getBodyBlock()->getArgument(input),
              body->getArgument(next++));
  // The extents of one place and of all, then what no state takes part in.
  IRMapping ofPlace = outer;
  unsigned firstExtent = states.size() - extents.size();
  for (auto [number, extent] : llvm::enumerate(extents)) {
    Value partialExtent = partial[firstExtent + number];
    ofPlace.map(extent, partialExtent);
    outer.map(extent, addPlaces(at, partialExtent, places));
  }
  for (Operation *op : needed) {
    auto isKnown = [&](Value operand) { return outer.contains(operand); };
    if (isExtent(op) || !llvm::all_of(op->getOperands(), isKnown))
      continue;
    at.clone(*op, outer);
    at.clone(*op, ofPlace);
  }
  SmallVector<Value> merged;
  SmallVector<ReduceOp> clones;
  IRMapping known = outer;
  for (ReduceOp reduce : pass.reduces) {
    unsigned count = PassState::getNumValues(reduce);
    SmallVector<Value> values =
        state.correct(at, loc, reduce,
                      ValueRange(partial).slice(state.offsetOf(reduce), count),
                      state.references(at, loc, reduce, partial, ofPlace),
                      state.references(at, loc, reduce, merged, outer), outer);
    auto clone = cast<ReduceOp>(at.clone(*reduce, known));
    clone.getValuesMutable().assign(values);
    clone.getPredicateMutable().clear();
    clone.getRefsMutable().clear();
    clone.removeGuardsAttr();
    clone.getCorrection().getBlocks().clear();
    clone.setOverAttr(b.getStrArrayAttr({places}));
    clones.push_back(clone);
    llvm::append_range(merged, clone->getResults());
    known.map(reduce->getResults(), clone->getResults());
  }
  for (Value extent : extents)
    merged.push_back(outer.lookup(extent));
  if (finish)
    for (Value &value : wanted)
      value = cloneSlice(at, value, known);
  else
    wanted = merged;
  YieldOp::create(at, loc, wanted);
  func::ReturnOp::create(inner, loc, chain.getResults());
  addReferences(chain, clones, outer);
}

/// Puts `chain`, whose reductions `clones` follow each other, into its fused
/// form: these have the references and corrections of those that they come
/// from, as a state that is brought to a reference is one against it.
void StateSplitter::addReferences(ChainOp chain,
                                  MutableArrayRef<ReduceOp> clones,
                                  IRMapping known) {
  IRMapping ignored;
  chain.getBody().cloneInto(&chain.getSource(), ignored);
  for (auto [original, clone] : llvm::zip_equal(pass.reduces, clones)) {
    ReduceOp reduce = original;
    IRMapping before = known;
    known.map(reduce->getResults(), clone->getResults());
    if (reduce.getRefs().empty())
      continue;
    OpBuilder at(clone);
    SmallVector<Value> refs;
    for (Value ref : reduce.getRefs())
      refs.push_back(cloneSlice(at, ref, before));
    clone.getRefsMutable().assign(refs);
    clone.setGuardsAttr(reduce.getGuardsAttr());
    reduce.getCorrection().cloneInto(&clone.getCorrection(), before);
  }
}

/// The one chain of `function`, of its arguments.
static FailureOr<ChainOp> getOnlyChain(func::FuncOp function) {
  auto chains = function.getOps<ChainOp>();
  if (!llvm::hasSingleElement(chains))
    return function.emitOpError()
           << "holds several chains; put each that is split into a function of "
              "its own";
  ChainOp chain = *chains.begin();
  for (auto [index, input] : llvm::enumerate(chain.getInputs()))
    if (!isa<BlockArgument>(input))
      return chain.emitOpError() << "operand " << index
                                 << " is not an argument of the function, as "
                                    "those of a chain that is split are";
  return chain;
}

LogicalResult cascade::splitStates(func::FuncOp function, StringRef axis) {
  FailureOr<ChainOp> found = getOnlyChain(function);
  if (failed(found))
    return failure();
  unsigned number;
  if (axis.empty()) {
    FailureOr<unsigned> row = getRowAxis(*found);
    if (failed(row))
      return failure();
    number = *row;
  } else if (found->getAxisNumber(axis) < 0) {
    return found->emitOpError() << "has no axis '" << axis << "' to split";
  } else {
    number = unsigned(found->getAxisNumber(axis));
  }
  OwningOpRef<func::FuncOp> copy(function.clone());
  ChainOp fused = *copy->getOps<ChainOp>().begin();
  ChainReport report;
  if (failed(checkAndFuseChain(fused, report)))
    return failure();
  ReductionPasses passes(fused, fused.getBody(), /*together=*/true);
  SmallVector<const ReductionPass *> ofAxis;
  for (const ReductionPass &pass : passes.getPasses())
    if (pass.axes.test(number))
      ofAxis.push_back(&pass);
  StringRef name = found->getAxisName(number);
  if (ofAxis.size() != 1)
    return found->emitOpError()
           << "goes over axis '" << name << "' in " << ofAxis.size()
           << " passes, of which the later need the results of the earlier; "
              "one can be split into states";
  if (ofAxis.front()->axes.count() != 1)
    return found->emitOpError()
           << "reduces axis '" << name
           << "' together with others; put them into one axis";
  StateSplitter splitter(function, fused, number, passes, *ofAxis.front());
  if (failed(splitter.check()))
    return failure();
  OpBuilder b(function.getContext());
  b.setInsertionPointAfter(function);
  // Each behind the one before.
  splitter.buildMerge(b, /*finish=*/true);
  b.setInsertionPointAfter(function);
  splitter.buildMerge(b, /*finish=*/false);
  b.setInsertionPointAfter(function);
  splitter.buildStates(b);
  return success();
}

namespace {
struct SplitStates : cascade::impl::SplitStatesPassBase<SplitStates> {
  using SplitStatesPassBase::SplitStatesPassBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.getOps<ChainOp>().empty())
        functions.push_back(function);
    for (func::FuncOp function : functions)
      if (failed(splitStates(function, axis)))
        return signalPassFailure();
  }
};
} // namespace
