//===- Contraction.cpp - Sums of products on the tensor cores -------------===//

#include "cascade/Analysis/Contraction.h"
#include "cascade/Analysis/ReductionPasses.h"
#include "cascade/Dialect/Cascade/IR/ReductionKind.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace cascade;

//===----------------------------------------------------------------------===//
// Without a mapping
//===----------------------------------------------------------------------===//

/// Calls `visit` on `root` and all that it is computed from, up to block
/// arguments, until one call returns false; false then.
static bool walkSlice(Value root, function_ref<bool(Value)> visit) {
  SmallVector<Value> worklist{root};
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (!visit(value))
      return false;
    if (Operation *op = value.getDefiningOp())
      llvm::append_range(worklist, op->getOperands());
  }
  return true;
}

NarrowForm cascade::narrowFormOf(Value value) {
  constexpr unsigned all = 3;
  Operation *op = value.getDefiningOp();
  if (auto widened = dyn_cast_or_null<arith::ExtFOp>(op)) {
    Type narrow = widened.getIn().getType();
    if (narrow.isBF16())
      return {widened.getIn(), 1};
    if (narrow.isF16())
      return {widened.getIn(), 2}; // 11 bits
    return {{}, narrow.getIntOrFloatBitWidth() == 8 ? 1 : all};
  }
  if (isa_and_nonnull<arith::SIToFPOp, arith::UIToFPOp>(op) &&
      op->getOperand(0).getType().isInteger(8))
    return {{}, 1};
  return {{}, all};
}

static std::optional<Contraction> matchContraction(ReduceOp reduce,
                                                   unsigned number,
                                                   const AxisAnalysis &axes,
                                                   unsigned rowAxis) {
  auto product = reduce.getValues()[number].getDefiningOp<arith::MulFOp>();
  if (!product || !product.getType().isF32())
    return std::nullopt;
  unsigned depth = axes.reducedBy(reduce).find_first();
  Value a = product.getLhs(), b = product.getRhs();
  if (!axes.of(a).test(depth) || !axes.of(b).test(depth))
    return std::nullopt;
  bool isOverRow = depth == rowAxis;
  auto hasReductions = [](Value operand) {
    return !walkSlice(
        operand, [](Value value) { return !value.getDefiningOp<ReduceOp>(); });
  };
  // The operand that has the other axis that elements are neighbours along: it
  // is known before the reductions of the row.
  if (isOverRow ? hasReductions(a) : !axes.of(a).test(rowAxis))
    std::swap(a, b);
  if (hasReductions(a) || (!isOverRow && hasReductions(b)))
    return std::nullopt;
  // Inside the row the columns are the same at all of its positions.
  if (!isOverRow && (!axes.of(a).test(rowAxis) || axes.of(b).test(rowAxis)))
    return std::nullopt;
  if (!isOverRow && (reduce.getPredicate() || !reduce.getRefs().empty()))
    return std::nullopt;
  return Contraction{reduce, number, product, a, b, isOverRow};
}

SmallVector<Contraction> cascade::matchContractions(ReduceOp reduce,
                                                    const AxisAnalysis &axes,
                                                    unsigned rowAxis) {
  if (reduce.getKind() != ReductionKind::Add || reduce.getOver().size() != 1)
    return {};
  SmallVector<Contraction> all;
  for (unsigned number = 0; number < reduce.getNumResults(); ++number) {
    std::optional<Contraction> its =
        matchContraction(reduce, number, axes, rowAxis);
    if (!its)
      return {};
    all.push_back(*its);
  }
  return all;
}

//===----------------------------------------------------------------------===//
// In a mapping
//===----------------------------------------------------------------------===//

ArrayRef<Contraction> Contractions::of(Operation *reduce) const {
  return ArrayRef(all)
      .drop_while([&](const Contraction &its) { return its.reduce != reduce; })
      .take_while([&](const Contraction &its) { return its.reduce == reduce; });
}

bool Contractions::isProduct(Operation *op) const {
  return llvm::any_of(all, [&](const Contraction &contraction) {
    return contraction.product == op;
  });
}

bool Contractions::areOverRow() const {
  return llvm::any_of(all,
                      [](const Contraction &each) { return each.isOverRow; });
}

static unsigned laneBitsOf(const AxisPlan &axis) {
  unsigned bits = 0;
  for (const DigitPlan &digit : axis.digits)
    if (digit.level == Level::Lane)
      bits |= unsigned((digit.size - 1) * digit.idStride);
  return bits;
}

/// The positions of `axis` that a thread holds.
static int64_t heldOf(const AxisPlan &axis) {
  int64_t held = 1;
  for (const DigitPlan &digit : axis.digits)
    if (digit.level == Level::Reg || digit.level == Level::Vector)
      held *= digit.size;
  return held;
}

MappingPlan Contractions::withoutContractions(const MappingPlan &plan) const {
  MappingPlan cold = plan;
  for (AxisPlan &axis : cold.axes) {
    bool isRows = rows.test(axis.axis);
    if (!isRows && !columns.test(axis.axis))
      continue;
    SmallVector<DigitPlan> digits;
    for (DigitPlan digit : axis.digits) {
      if (digit.level != Level::Lane) {
        digits.push_back(digit);
        continue;
      }
      // The rows go to the lanes that the columns leave.
      DigitPlan held = digit;
      held.level = Level::Reg;
      held.idStride = 1;
      int64_t lanes = isRows ? std::min<int64_t>(digit.size, 4) : 1;
      held.size = digit.size / lanes;
      held.indexStride = digit.indexStride * lanes;
      if (held.size > 1)
        digits.push_back(held);
      digit.size = lanes;
      digit.idStride = 1;
      if (lanes > 1)
        digits.push_back(digit);
    }
    axis.digits = std::move(digits);
  }
  return cold;
}

namespace cascade {

/// Checks the contractions of one chain.
class ContractionChecker {
public:
  ContractionChecker(ChainOp chain, const MappingPlan &plan, unsigned rowAxis)
      : chain(chain), plan(plan), rowAxis(rowAxis),
        axes(chain, chain.getBody()) {}

  FailureOr<Contractions> run();

private:
  LogicalResult add(PolicyAttr policy);
  LogicalResult checkRow();
  LogicalResult checkDepth(const Contraction &contraction);
  LogicalResult checkColumns(const Contraction &contraction);
  LogicalResult checkRows(const Contraction &contraction);
  LogicalResult checkTypes(const Contraction &contraction);
  LogicalResult findShared(const ReductionPass &pass);
  LogicalResult findPairs();
  llvm::DenseSet<Value>
  usedBy(function_ref<bool(const Contraction &, Value)> isIncluded);
  bool isSameOnLanes(Value value, unsigned axis);
  AxisSet columnsOf(const Contraction &contraction);

  StringRef nameOf(unsigned axis) { return chain.getAxisName(axis); }
  InFlightDiagnostic refuse(ReduceOp reduce) {
    return reduce.emitOpError("cannot be contracted by mma.m16n8k16: ");
  }

  ChainOp chain;
  const MappingPlan &plan;
  unsigned rowAxis;
  AxisAnalysis axes;
  Contractions found;
};

} // namespace cascade

/// Whether `value` is the same at all positions of `axis` that the lanes of a
/// warp have at one place of the levels outside.
bool ContractionChecker::isSameOnLanes(Value root, unsigned axis) {
  const AxisPlan &its = plan.axes[axis];
  int64_t span = 1;
  for (const DigitPlan &digit : its.digits)
    if (digit.level == Level::Lane || digit.level == Level::Reg ||
        digit.level == Level::Vector)
      span = std::max(span, digit.indexStride * digit.size);
  return walkSlice(root, [&](Value value) {
    if (auto index = value.getDefiningOp<IndexOp>())
      return chain.getAxisNumber(index.getAxis()) != int64_t(axis);
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument)
      return true;
    AffineMap map = chain.getInputMap(argument.getArgNumber());
    return llvm::all_of(map.getResults(), [&](AffineExpr expr) {
      if (!expr.isFunctionOfDim(axis))
        return true;
      auto divided = dyn_cast<AffineBinaryOpExpr>(expr);
      if (!divided || divided.getKind() != AffineExprKind::FloorDiv ||
          divided.getLHS() != getAffineDimExpr(axis, map.getContext()))
        return false;
      auto divisor = dyn_cast<AffineConstantExpr>(divided.getRHS());
      return divisor && divisor.getValue() % span == 0 &&
             llvm::all_of(its.digits, [&](const DigitPlan &digit) {
               return digit.level == Level::Lane || digit.level == Level::Reg ||
                      digit.level == Level::Vector ||
                      digit.indexStride % span == 0;
             });
    });
  });
}

/// The parallel axes that b varies over on lanes or in registers, and a not.
AxisSet ContractionChecker::columnsOf(const Contraction &contraction) {
  AxisSet result(chain.getNumAxes());
  for (unsigned axis : axes.of(contraction.b).set_bits()) {
    const AxisPlan &its = plan.axes[axis];
    if (axis != rowAxis && !its.reduced && (laneBitsOf(its) || heldOf(its) > 1))
      result.set(axis);
  }
  return result;
}

LogicalResult ContractionChecker::checkRow() {
  const AxisPlan &row = plan.axes[rowAxis];
  const DigitPlan *lane = row.at(Level::Lane);
  if (lane && laneBitsOf(row) == rowLanes && lane->indexStride == 1 &&
      heldOf(row) % 2 == 0)
    return success();
  return chain.emitOpError()
         << "the mapping contracts reductions by mma.m16n8k16, which takes "
            "axis '"
         << nameOf(rowAxis)
         << "' with an even number of positions in reg and then lane(8 at 4)";
}

LogicalResult ContractionChecker::checkDepth(const Contraction &contraction) {
  unsigned depth = axes.reducedBy(contraction.reduce).find_first();
  const AxisPlan &its = plan.axes[depth];
  for (unsigned axis : axes.of(contraction.result()).set_bits()) {
    const AxisPlan &other = plan.axes[axis];
    if (axis != rowAxis && !found.columns.test(axis) &&
        (laneBitsOf(other) || heldOf(other) > 1))
      return refuse(contraction.reduce)
             << "a warp has several positions on axis '" << nameOf(axis)
             << "', which are no columns";
  }
  bool isHeld = !its.at(Level::Loop) || its.at(Level::Loop)->size == 1;
  if (isHeld && laneBitsOf(its) == columnLanes && heldOf(its) % 4 == 0 &&
      its.sizedProduct() == its.extent)
    return success();
  return refuse(contraction.reduce)
         << "axis '" << nameOf(depth)
         << "' must be held whole by four lanes, lane(4 at 1), with a multiple "
            "of four positions each";
}

LogicalResult ContractionChecker::checkColumns(const Contraction &contraction) {
  AxisSet columns = columnsOf(contraction);
  if (found.columns.any() && columns != found.columns)
    return refuse(contraction.reduce)
           << "its columns are on other axes than those of other contractions";
  found.columns = columns;
  for (unsigned axis : columns.set_bits()) {
    if (laneBitsOf(plan.axes[axis]) & ~columnLanes)
      return refuse(contraction.reduce)
             << "axis '" << nameOf(axis)
             << "' must be on lanes below 4, as lane(4 at 1)";
    if (!isSameOnLanes(contraction.a, axis))
      return refuse(contraction.reduce)
             << "both factors vary over axis '" << nameOf(axis)
             << "' where a warp has it";
  }
  return success();
}

/// Of a sum over the row: what a varies over besides.
LogicalResult ContractionChecker::checkRows(const Contraction &contraction) {
  int64_t held = 1;
  for (unsigned axis : axes.of(contraction.a).set_bits()) {
    const AxisPlan &its = plan.axes[axis];
    bool isNothing = !laneBitsOf(its) && heldOf(its) == 1;
    if (axis == rowAxis || its.reduced || found.columns.test(axis) || isNothing)
      continue;
    if (laneBitsOf(its) & ~rowLanes)
      return refuse(contraction.reduce)
             << "axis '" << nameOf(axis)
             << "' must be on lanes from 4 on, as lane(8 at 4)";
    if (axes.of(contraction.b).test(axis))
      return refuse(contraction.reduce)
             << "both factors vary over axis '" << nameOf(axis) << "'";
    held *= heldOf(its);
    found.rows.set(axis);
  }
  if (held % 2 != 0)
    return refuse(contraction.reduce)
           << "a thread must have an even number of its results a column";
  return success();
}

LogicalResult ContractionChecker::checkTypes(const Contraction &contraction) {
  NarrowForm a = narrowFormOf(contraction.a), b = narrowFormOf(contraction.b);
  if (contraction.isOverRow)
    return success();
  // Parts of a number times infinity are NaN where the number is not; sums over
  // the row are watched for that.
  bool isSame =
      a.source && b.source && a.source.getType() == b.source.getType();
  if (isSame || (a.numParts == 1 && b.numParts == 1))
    return success();
  return refuse(contraction.reduce)
         << "its factors must be f16 both, or bf16 or 8 bits wide, before they "
            "are widened";
}

/// States of sums over the row are relative to the same references in all
/// lanes: what these are computed from can be combined again and again.
LogicalResult ContractionChecker::findShared(const ReductionPass &pass) {
  auto isIdempotent = [](ReductionKind kind) {
    return llvm::is_contained({ReductionKind::Max, ReductionKind::Min,
                               ReductionKind::Maxnum, ReductionKind::Minnum,
                               ReductionKind::Maxsi, ReductionKind::Maxui,
                               ReductionKind::Minsi, ReductionKind::Minui,
                               ReductionKind::And, ReductionKind::Or},
                              kind);
  };
  for (ReduceOp reduce : pass.reduces) {
    if (!isElementwise(reduce.getKind()))
      return refuse(reduce) << "it is in a pass with contractions, which takes "
                               "no reductions of several values together";
    for (Value ref : reduce.getRefs())
      walkSlice(ref, [&](Value value) {
        auto other = value.getDefiningOp<ReduceOp>();
        if (!other || !llvm::is_contained(pass.reduces, other))
          return true;
        found.shared.insert(other);
        return true;
      });
  }
  for (ReduceOp reduce : pass.reduces)
    if (found.shared.contains(reduce) && !isIdempotent(reduce.getKind()))
      return refuse(reduce) << "contractions are relative to it, and it is no "
                               "maximum or minimum";
  return success();
}

LogicalResult ContractionChecker::findPairs() {
  for (unsigned axis : found.columns.set_bits())
    if (heldOf(plan.axes[axis]) % 2 == 0) {
      // The innermost digit that a thread holds gives neighbours.
      const DigitPlan *last = nullptr;
      for (const DigitPlan &digit : plan.axes[axis].digits)
        if ((digit.level == Level::Reg || digit.level == Level::Vector) &&
            digit.size > 1)
          last = &digit;
      if (last->size % 2 != 0)
        continue;
      found.pairAxis = axis;
      return success();
    }
  return chain.emitOpError()
         << "the mapping contracts reductions by mma.m16n8k16, which takes two "
            "columns a thread: a reg digit of an even size on a parallel axis "
            "that both factors do not vary over";
}

/// Whatever is used by factors for which `isIncluded` holds, and nowhere else.
llvm::DenseSet<Value> ContractionChecker::usedBy(
    function_ref<bool(const Contraction &, Value)> isIncluded) {
  llvm::DenseSet<Value> values;
  auto isUse = [&](OpOperand &use) {
    for (const Contraction &contraction : found.all)
      if (use.getOwner() == contraction.product)
        return isIncluded(contraction, use.get());
    return use.getOwner()->getNumResults() == 1 &&
           values.contains(use.getOwner()->getResult(0));
  };
  auto add = [&](Value value) {
    if (!value.use_empty() && llvm::all_of(value.getUses(), isUse))
      values.insert(value);
  };
  Block *body = chain.getBodyBlock();
  for (Operation &op : llvm::reverse(*body))
    if (op.getNumResults() == 1 && !isa<ReduceOp>(op))
      add(op.getResult(0));
  llvm::for_each(body->getArguments(), add);
  return values;
}

LogicalResult ContractionChecker::add(PolicyAttr policy) {
  int64_t number = cast<IntegerAttr>(policy.getSubject()).getInt();
  auto reductions = chain.getBodyBlock()->getOps<ReduceOp>();
  if (number < 0 ||
      number >= std::distance(reductions.begin(), reductions.end()))
    return chain.emitOpError() << "the mapping contracts reduction " << number
                               << ", which the chain does not have";
  ReduceOp reduce = *std::next(reductions.begin(), number);
  SmallVector<Contraction> sums = matchContractions(reduce, axes, rowAxis);
  if (sums.empty())
    return refuse(reduce)
           << "it is no sum over one axis of products in f32 whose factors "
              "both vary over the axis, one of them before any reduction";
  for (const Contraction &contraction : sums) {
    if (!contraction.product->hasOneUse())
      return refuse(reduce) << "its product has other uses";
    if (failed(checkColumns(contraction)) || failed(checkTypes(contraction)))
      return failure();
    if (failed(contraction.isOverRow ? checkRows(contraction)
                                     : checkDepth(contraction)))
      return failure();
    found.all.push_back(contraction);
  }
  return success();
}

FailureOr<Contractions> ContractionChecker::run() {
  found.columns.resize(chain.getNumAxes());
  found.rows.resize(chain.getNumAxes());
  ArrayRef<PolicyAttr> policies = chain.getMapping()->getContract();
  if (policies.empty())
    return std::move(found);
  if (failed(checkRow()))
    return failure();
  for (PolicyAttr policy : policies)
    if (failed(add(policy)))
      return failure();
  auto yield = cast<YieldOp>(chain.getBodyBlock()->getTerminator());
  if (found.areOverRow() && chain.getSource().empty())
    return chain.emitOpError()
           << "the mapping contracts a sum over axis '" << nameOf(rowAxis)
           << "', which takes a chain that --cascade-fuse has fused";
  if (yield.getReplay() && axes.of(yield.getReplay()).test(rowAxis))
    return chain.emitOpError()
           << "the mapping contracts reductions of a chain whose replay "
              "condition varies over axis '"
           << nameOf(rowAxis) << "'";
  ReductionPasses passes(chain, chain.getBody(), chain.isFused());
  for (const ReductionPass &pass : passes.getPasses())
    if (llvm::any_of(pass.reduces,
                     [&](ReduceOp reduce) {
                       ArrayRef<Contraction> its = found.of(reduce);
                       return !its.empty() && its.front().isOverRow;
                     }) &&
        failed(findShared(pass)))
      return failure();
  if (failed(findPairs()))
    return failure();
  found.apart = usedBy([](const Contraction &contraction, Value value) {
    return contraction.apart() == value;
  });
  found.factors = usedBy([](const Contraction &contraction, Value value) {
    return contraction.apart() == value || contraction.a == value;
  });
  for (const Contraction &contraction : found.all)
    if (!found.isApart(contraction.apart()))
      return refuse(contraction.reduce)
             << "the factor that is loaded at places of its own has other uses";
  return std::move(found);
}

FailureOr<Contractions>
Contractions::get(ChainOp chain, const MappingPlan &plan, unsigned rowAxis) {
  return ContractionChecker(chain, plan, rowAxis).run();
}
