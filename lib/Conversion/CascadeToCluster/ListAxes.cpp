//===- ListAxes.cpp - The axes of lists in a kernel -----------------------===//
//
// All threads of a row hold the whole list of a topk once its pass is done, so
// what varies over its axis has a value for each entry in every thread, and a
// reduction over the axis needs no other thread.
//
//===----------------------------------------------------------------------===//

#include "TileEvaluator.h"
#include "cascade/Transforms/PassState.h"

using namespace mlir;
using namespace cascade;

std::optional<unsigned> cascade::listAxisIn(const KernelContext &context,
                                            const AxisSet &axes) {
  for (unsigned axis : axes.set_bits())
    if (context.isListAxis(axis))
      return axis;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Reductions over lists
//===----------------------------------------------------------------------===//

bool TileEvaluator::isOverList(ReduceOp reduce) const {
  return listAxisIn(context, axes.reducedBy(reduce)).has_value();
}

/// References are passed over: without them a reduction means the same.
void TileEvaluator::reduceList(OpBuilder &b, ReduceOp reduce) {
  Location loc = context.loc;
  unsigned axis = *listAxisIn(context, axes.reducedBy(reduce));
  ReductionPass pass{axes.reducedBy(reduce), {reduce}};
  PassState state(pass);
  SmallVector<SmallVector<Value>> elements;
  SmallVector<Value> domains;
  for (unsigned entry = 0; entry < context.plan.axes[axis].extent; ++entry) {
    SmallVector<Value> &element = elements.emplace_back();
    for (Value value : reduce.getValues())
      element.push_back(elementOf(values[value], entry));
    if (Value predicate = reduce.getPredicate())
      domains.push_back(elementOf(values[predicate], entry));
  }
  IRMapping outer = mapping();
  SmallVector<Value> reduced =
      state.insertAll(b, loc, reduce, state.identity(b, loc, reduce, outer),
                      elements, domains, outer);
  for (OpResult result : reduce->getResults())
    define(result, state.valuesOf(result, reduced));
}

//===----------------------------------------------------------------------===//
// What kernels take
//===----------------------------------------------------------------------===//

/// The axes among `axes` that values have several copies for in a thread.
static SmallVector<unsigned>
copiedAxes(const AxisSet &axes, const MappingPlan &plan, unsigned rowAxis) {
  SmallVector<unsigned> copied;
  for (unsigned axis : axes.set_bits())
    if (axis == rowAxis || plan.axes[axis].isList)
      copied.push_back(axis);
  return copied;
}

static LogicalResult refuse(InFlightDiagnostic diag, ChainOp chain,
                            ArrayRef<unsigned> axes) {
  return diag << " varies over axis '" << chain.getAxisName(axes[0])
              << "' and axis '" << chain.getAxisName(axes[1])
              << "'; in a kernel the entries of a topk meet neither the "
                 "elements of the row nor another list: return the list and "
                 "read it in a chain of its own";
}

/// What regions of reductions read from outside is the same for every entry.
static LogicalResult checkCaptures(ReduceOp reduce, const AxisAnalysis &axes,
                                   const MappingPlan &plan) {
  SmallVector<Value> captured(reduce.getInits());
  llvm::append_range(captured, reduce.getRefs());
  for (Region *region : {&reduce.getCombiner(), &reduce.getCorrection()})
    region->walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (!region->isAncestor(operand.getParentRegion()))
          captured.push_back(operand);
    });
  for (Value value : captured)
    for (unsigned axis : axes.of(value).set_bits())
      if (plan.axes[axis].isList)
        return reduce.emitOpError()
               << "has a reference, a combiner or a correction that varies "
                  "over axis '"
               << ChainOp(axes.getChain()).getAxisName(axis)
               << "'; in a kernel it must be the same for every entry of the "
                  "topk";
  return success();
}

LogicalResult cascade::checkListAxes(ChainOp chain, const MappingPlan &plan,
                                     unsigned rowAxis) {
  for (const AxisPlan &axis : plan.axes)
    for (const DigitPlan &digit : axis.digits)
      if (axis.isList && digit.level != Level::Reg)
        return chain.emitOpError()
               << "axis '" << chain.getAxisName(axis.axis) << "' is mapped to "
               << stringifyLevel(digit.level)
               << "; the axis of a topk takes reg";
  for (auto [number, map] : llvm::enumerate(
           chain.getOutputMaps().getAsValueRange<AffineMapAttr>())) {
    AxisSet axes(chain.getNumAxes());
    for (AffineExpr expr : map.getResults())
      axes.set(cast<AffineDimExpr>(expr).getPosition());
    auto copied = copiedAxes(axes, plan, rowAxis);
    if (copied.size() > 1)
      return refuse(chain.emitOpError() << "result " << number, chain, copied);
  }
  for (Region *region : {&chain.getBody(), &chain.getSource()}) {
    if (region->empty())
      continue;
    AxisAnalysis axes(chain, *region);
    for (auto [number, argument] : llvm::enumerate(region->getArguments())) {
      auto copied = copiedAxes(axes.of(argument), plan, rowAxis);
      if (copied.size() > 1)
        return refuse(chain.emitOpError() << "operand " << number, chain,
                      copied);
    }
    for (Operation &op : region->front().without_terminator()) {
      auto reduce = dyn_cast<ReduceOp>(op);
      if (reduce && failed(checkCaptures(reduce, axes, plan)))
        return failure();
      // What a reduction reduces counts, too.
      AxisSet varies(chain.getNumAxes());
      for (Value operand : op.getOperands())
        varies |= axes.of(operand);
      auto copied = copiedAxes(varies, plan, rowAxis);
      if (copied.size() > 1)
        return refuse(op.emitOpError() << "gives a value that", chain, copied);
    }
  }
  return success();
}
