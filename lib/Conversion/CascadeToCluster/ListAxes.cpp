//===- ListAxes.cpp - The axes of lists in a kernel -----------------------===//
//
// Once the pass of a topk is done, the lanes of a row hold its list together,
// those of every warp the same. What varies over its axis has a value for each
// entry of the lane; a reduction over the axis goes over the lanes.
//
//===----------------------------------------------------------------------===//

#include "TileEvaluator.h"
#include "cascade/Dialect/Cascade/IR/ReductionKind.h"
#include "cascade/Transforms/PassState.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

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

unsigned cascade::entriesOfLane(const KernelContext &context, unsigned axis) {
  return llvm::divideCeil(context.plan.axes[axis].extent,
                          context.row().sizeAt(Level::Lane));
}

Int cascade::entryOfLane(OpBuilder &b, const KernelContext &context,
                         unsigned number) {
  IntBuilder ints(b, context.loc);
  int64_t lanes = context.row().sizeAt(Level::Lane);
  return ints.add(context.rowLane, ints.constant(number * lanes));
}

Value cascade::hasEntry(OpBuilder &b, const KernelContext &context,
                        unsigned axis, unsigned number) {
  IntBuilder ints(b, context.loc);
  int64_t lanes = context.row().sizeAt(Level::Lane);
  int64_t extent = context.plan.axes[axis].extent;
  if ((number + 1) * lanes <= extent)
    return {};
  return ints.lessThan(entryOfLane(b, context, number), ints.constant(extent));
}

SmallVector<Value> cascade::distribute(OpBuilder &b,
                                       const KernelContext &context,
                                       ArrayRef<Value> entries) {
  Location loc = context.loc;
  IntBuilder ints(b, loc);
  size_t lanes = context.row().sizeAt(Level::Lane);
  SmallVector<Value> own;
  for (size_t first = 0; first < entries.size(); first += lanes) {
    Value mine = entries[first];
    for (size_t i = first + 1; i < std::min(first + lanes, entries.size()); ++i)
      mine = arith::SelectOp::create(
          b, loc,
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                ints.materialise(context.rowLane),
                                ints.materialise(ints.constant(i - first))),
          entries[i], mine);
    own.push_back(mine);
  }
  return own;
}

/// A lane reduces its own entries, and then the lanes theirs. References are
/// passed over: without them a reduction means the same.
void TileEvaluator::reduceList(OpBuilder &b, ReduceOp reduce) {
  Location loc = context.loc;
  unsigned axis = *listAxisIn(context, axes.reducedBy(reduce));
  ReductionPass pass{axes.reducedBy(reduce), {reduce}};
  PassState state(pass);
  SmallVector<SmallVector<Value>> elements;
  SmallVector<Value> domains;
  for (unsigned entry = 0; entry < entriesOfLane(context, axis); ++entry) {
    SmallVector<Value> &element = elements.emplace_back();
    for (Value value : reduce.getValues())
      element.push_back(elementOf(values[value], entry));
    Value domain = hasEntry(b, context, axis, entry);
    if (Value predicate = reduce.getPredicate()) {
      Value holds = elementOf(values[predicate], entry);
      domain =
          domain ? Value(arith::AndIOp::create(b, loc, domain, holds)) : holds;
    }
    domains.push_back(domain);
  }
  IRMapping outer = mapping();
  SmallVector<Value> reduced =
      state.insertAll(b, loc, reduce, state.identity(b, loc, reduce, outer),
                      elements, domains, outer);
  reduced = mergeRowLanes(b, context, pass, reduced, outer);
  for (OpResult result : reduce->getResults()) {
    SmallVector<Value> entries = state.valuesOf(result, reduced);
    if (reduce.getKind() == ReductionKind::Topk)
      entries = distribute(b, context, entries);
    define(result, entries);
  }
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
