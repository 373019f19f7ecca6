//===- ThreadLayout.cpp - Which positions a thread holds ------------------===//

#include "ThreadLayout.h"

using namespace mlir;
using namespace cascade;

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

AxisSet ThreadLayout::held(AxisSet axes) const {
  for (unsigned axis : axes.set_bits())
    if (axis != context.rowAxis && context.axes[axis].offsets.size() == 1)
      axes.reset(axis);
  return axes;
}

AxisSet ThreadLayout::ofMap(AffineMap map) const {
  AxisSet result(context.plan.axes.size());
  for (unsigned axis = 0; axis < result.size(); ++axis) {
    bool isRow = axis == context.rowAxis;
    if (!isRow && context.axes[axis].offsets.size() == 1)
      continue;
    for (AffineExpr expr : map.getResults())
      if (isRow ? expr.isFunctionOfDim(axis)
                : !isSameInThread(expr, context.plan.axes[axis]))
        result.set(axis);
  }
  return result;
}

AxisSet ThreadLayout::ofStates(ReduceOp reduce) const {
  AxisSet result(context.plan.axes.size());
  for (Value value : reduce.getValues())
    result |= of(value);
  if (Value predicate = reduce.getPredicate())
    result |= of(predicate);
  return result.reset(axes.reducedBy(reduce));
}

AxisSet ThreadLayout::of(Value root) const {
  SmallVector<Value> worklist{root};
  while (!worklist.empty()) {
    Value value = worklist.back();
    if (known.contains(value)) {
      worklist.pop_back();
      continue;
    }
    ChainOp chain = axes.getChain();
    Operation *op = value.getDefiningOp();
    if (!op) {
      auto argument = cast<BlockArgument>(value);
      known[value] = ofMap(chain.getInputMap(argument.getArgNumber()));
      continue;
    }
    auto reduce = dyn_cast<ReduceOp>(op);
    SmallVector<Value> operands(op->getOperands());
    if (reduce) {
      operands.assign(reduce.getValues().begin(), reduce.getValues().end());
      if (Value predicate = reduce.getPredicate())
        operands.push_back(predicate);
    }
    bool ready = true;
    for (Value operand : operands)
      if (!known.contains(operand)) {
        worklist.push_back(operand);
        ready = false;
      }
    if (!ready)
      continue;
    AxisSet result(context.plan.axes.size());
    if (auto index = dyn_cast<IndexOp>(op))
      result.set(chain.getAxisNumber(index.getAxis()));
    if (reduce) {
      result = ofStates(reduce);
      if (auto into = reduce.getInto())
        result.set(chain.getAxisNumber(*into));
    } else {
      for (Value operand : operands)
        result |= known.lookup(operand);
    }
    known[value] = held(result);
  }
  return known.lookup(root);
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

unsigned ThreadLayout::count(const AxisSet &axes) const {
  unsigned product = 1;
  for (unsigned axis : axes.set_bits())
    product *= context.axes[axis].offsets.size();
  return product;
}

unsigned ThreadLayout::indexOf(const AxisSet &axes,
                               ArrayRef<unsigned> position) const {
  unsigned index = 0;
  for (unsigned axis : axes.set_bits())
    index = index * context.axes[axis].offsets.size() + position[axis];
  return index;
}

SmallVector<Position> ThreadLayout::positions(const AxisSet &axes,
                                              ArrayRef<unsigned> at) const {
  Position position(at);
  position.resize(context.plan.axes.size(), 0);
  for (unsigned axis : axes.set_bits())
    position[axis] = 0;
  SmallVector<Position> result;
  SmallVector<unsigned> order(axes.set_bits());
  for (unsigned left = count(axes); left > 0; --left) {
    result.push_back(position);
    for (unsigned axis : llvm::reverse(order)) {
      if (++position[axis] < context.axes[axis].offsets.size())
        break;
      position[axis] = 0;
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// What kernels take
//===----------------------------------------------------------------------===//

/// The bits of the lane number that `axis` has.
static unsigned laneBitsOf(const AxisPlan &axis) {
  unsigned bits = 0;
  for (const DigitPlan &digit : axis.digits)
    if (digit.level == Level::Lane)
      bits |= unsigned((digit.size - 1) * digit.idStride);
  return bits;
}

/// What the regions of `reduce` read from outside varies over no more axes than
/// its states do.
static LogicalResult checkCaptures(ReduceOp reduce, const AxisAnalysis &axes) {
  SmallVector<Value> captured(reduce.getInits());
  llvm::append_range(captured, reduce.getRefs());
  for (Region *region : {&reduce.getCombiner(), &reduce.getCorrection()})
    region->walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (!region->isAncestor(operand.getParentRegion()))
          captured.push_back(operand);
    });
  AxisSet states = axes.of(reduce.getResult(0));
  for (Value value : captured)
    for (unsigned axis : axes.of(value).set_bits())
      if (!states.test(axis))
        return reduce.emitOpError()
               << "reads a value that varies over axis '"
               << ChainOp(axes.getChain()).getAxisName(axis)
               << "', over which it has one state; let its values vary over "
                  "the axis, too";
  return success();
}

/// Of an axis that reductions inside the row loop over, a thread has one tile
/// at a time: nothing but they may use what varies over it.
static LogicalResult checkLooped(ChainOp chain, const AxisPlan &axis,
                                 unsigned rowAxis) {
  StringRef name = chain.getAxisName(axis.axis);
  if (axis.digits.front().level != Level::Loop)
    return chain.emitOpError() << "axis '" << name
                               << "' is reduced inside another; its loop digit "
                                  "comes before the others";
  auto refuse = [&](InFlightDiagnostic diagnostic) -> InFlightDiagnostic {
    diagnostic << "has values of axis '" << name
               << "', which the mapping loops over inside the row; give the "
                  "axis digits that hold it whole, or the reduction inside the "
                  "row an axis of its own";
    return diagnostic;
  };
  for (auto [number, map] :
       llvm::enumerate(chain.getOutputMaps().getAsValueRange<AffineMapAttr>()))
    if (map.isFunctionOfDim(axis.axis))
      return refuse(chain.emitOpError() << "result " << number << " ");
  for (unsigned input = 0; input < chain.getInputs().size(); ++input)
    if (isLoadedAhead(chain, input) &&
        chain.getInputMap(input).isFunctionOfDim(axis.axis))
      return refuse(chain.emitOpError()
                    << "the mapping loads input " << input << " ahead, which ");
  for (Region *region : {&chain.getBody(), &chain.getSource()}) {
    if (region->empty())
      continue;
    AxisAnalysis axes(chain, *region);
    for (auto reduce : region->front().getOps<ReduceOp>())
      if (axes.reducedBy(reduce).test(rowAxis) &&
          llvm::any_of(reduce->getOperands(), [&](Value operand) {
            return axes.of(operand).test(axis.axis);
          }))
        return refuse(reduce.emitOpError());
  }
  return success();
}

/// That no value of `region`, or result, varies over two axes of `plan` at the
/// same lanes; of `contractions`, which are null where the region has none,
/// products may.
static LogicalResult checkLanes(ChainOp chain, Region &region,
                                const MappingPlan &plan,
                                const Contractions *contractions) {
  auto check = [&](const AxisSet &varies, auto emitError) -> LogicalResult {
    unsigned taken = 0;
    for (unsigned axis : varies.set_bits()) {
      unsigned bits = laneBitsOf(plan.axes[axis]);
      if (taken & bits)
        return emitError() << "varies over axis '" << chain.getAxisName(axis)
                           << "' and another axis at the same lanes; give the "
                              "lane digits strides that keep them apart";
      taken |= bits;
    }
    return success();
  };
  for (auto [number, map] : llvm::enumerate(
           chain.getOutputMaps().getAsValueRange<AffineMapAttr>())) {
    AxisSet varies(chain.getNumAxes());
    for (AffineExpr expr : map.getResults())
      varies.set(cast<AffineDimExpr>(expr).getPosition());
    if (failed(check(varies, [&, number = number] {
          return chain.emitOpError() << "result " << number << " ";
        })))
      return failure();
  }
  AxisAnalysis axes(chain, region);
  for (auto [number, argument] : llvm::enumerate(region.getArguments()))
    if (!(contractions && contractions->isFactor(argument)) &&
        failed(check(axes.of(argument), [&, number = number] {
          return chain.emitOpError() << "operand " << number << " ";
        })))
      return failure();
  for (Operation &op : region.front().without_terminator()) {
    auto reduce = dyn_cast<ReduceOp>(op);
    if (reduce && failed(checkCaptures(reduce, axes)))
      return failure();
    if (contractions &&
        (!contractions->of(&op).empty() || contractions->isProduct(&op) ||
         llvm::all_of(op.getResults(), [&](Value result) {
           return contractions->isFactor(result);
         })))
      continue;
    // What a reduction reduces counts, too.
    AxisSet varies(chain.getNumAxes());
    for (Value operand : op.getOperands())
      varies |= axes.of(operand);
    if (failed(check(
            varies, [&] { return op.emitOpError() << "computes with what "; })))
      return failure();
  }
  return success();
}

LogicalResult cascade::checkLayout(ChainOp chain, const MappingPlan &plan,
                                   unsigned rowAxis,
                                   const Contractions &contractions) {
  for (const AxisPlan &axis : plan.axes) {
    const DigitPlan *loop = axis.at(Level::Loop);
    if (axis.axis != rowAxis && axis.reduced && loop && loop->size != 1 &&
        failed(checkLooped(chain, axis, rowAxis)))
      return failure();
  }
  if (failed(checkLanes(chain, chain.getBody(), plan,
                        contractions.empty() ? nullptr : &contractions)))
    return failure();
  if (chain.getSource().empty())
    return success();
  return checkLanes(
      chain, chain.getSource(),
      contractions.empty() ? plan : contractions.withoutContractions(plan),
      /*contractions=*/nullptr);
}
