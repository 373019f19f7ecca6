//===- MappingPlan.cpp - Where each axis of a mapped chain runs -----------===//

#include "cascade/Analysis/MappingPlan.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cascade;

const DigitPlan *AxisPlan::at(Level level) const {
  for (const DigitPlan &digit : digits)
    if (digit.level == level)
      return &digit;
  return nullptr;
}

int64_t AxisPlan::sizeAt(Level level) const {
  const DigitPlan *digit = at(level);
  return digit ? digit->size : 1;
}

int64_t AxisPlan::sizedProduct() const {
  int64_t product = 1;
  for (const DigitPlan &digit : digits)
    if (digit.size)
      product *= digit.size;
  return product;
}

int64_t AxisPlan::elementsOfBlock() const {
  bool unsized = llvm::any_of(
      digits, [](const DigitPlan &digit) { return digit.size == 0; });
  int64_t tiles = unsized ? llvm::divideCeil(extent, sizedProduct()) : 1;
  return tiles * sizedProduct() / sharingBlocks();
}

int64_t AxisPlan::tilesOfBlock() const {
  const DigitPlan *loop = at(Level::Loop);
  if (!loop)
    return 1;
  return loop->size ? loop->size : llvm::divideCeil(extent, sizedProduct());
}

/// The index strides of the digits, innermost first.
static void setIndexStrides(AxisPlan &axis) {
  int64_t stride = 1;
  bool dynamic = false;
  for (DigitPlan &digit : llvm::reverse(axis.digits)) {
    digit.indexStride = stride;
    digit.strideIsDynamic = dynamic;
    if (digit.size)
      stride *= digit.size;
    else
      dynamic = true;
  }
}

/// The id strides at `level`: axes in order, the last the fastest, unless the
/// mapping gives one. Returns the number of positions that are taken.
static int64_t setIdStrides(MutableArrayRef<AxisPlan> axes, MappingAttr mapping,
                            ChainOp chain, Level level) {
  int64_t taken = 1;
  for (AxisPlan &axis : llvm::reverse(axes))
    for (unsigned i = axis.digits.size(); i-- > 0;) {
      DigitPlan &digit = axis.digits[i];
      if (digit.level != level)
        continue;
      int64_t given =
          mapping.digitsOf(chain.getAxisName(axis.axis))[i].getStride();
      digit.idStride = given ? given : taken;
      taken = std::max(taken, digit.idStride * digit.size);
    }
  return taken;
}

static LogicalResult checkAxis(ChainOp chain, const AxisPlan &axis) {
  StringRef name = chain.getAxisName(axis.axis);
  for (const DigitPlan &digit : axis.digits)
    if (digit.level == Level::Tile)
      return chain.emitOpError() << "axis '" << name
                                 << "' is mapped to tile, which no lowering "
                                    "takes yet; use vector, reg or lane";
  bool unsized = llvm::any_of(
      axis.digits, [](const DigitPlan &digit) { return digit.size == 0; });
  if (unsized)
    return success();
  if (ShapedType::isDynamic(axis.extent))
    return chain.emitOpError()
           << "the extent of axis '" << name
           << "' is known only at run time; its mapping needs a grid or loop "
              "digit without a size";
  if (axis.sizedProduct() < axis.extent)
    return chain.emitOpError()
           << "the mapping covers " << axis.sizedProduct() << " of the "
           << axis.extent << " iterations of axis '" << name
           << "'; leave the size off its grid or loop digit";
  return success();
}

/// The lanes of the row that a topk reduces hold its list together: of L lanes,
/// lane i has entries i, L + i...
static void spreadLists(MappingPlan &plan, ChainOp chain) {
  chain.walk([&](ReduceOp reduce) {
    auto into = reduce.getInto();
    if (!into)
      return;
    AxisPlan &list = plan.axes[chain.getAxisNumber(*into)];
    bool isPlain = llvm::all_of(list.digits, [](const DigitPlan &digit) {
      return digit.level == Level::Reg;
    });
    const DigitPlan *lane = nullptr;
    for (Attribute name : reduce.getOver()) {
      int64_t axis = chain.getAxisNumber(cast<StringAttr>(name).getValue());
      if (const DigitPlan *its = plan.axes[axis].at(Level::Lane))
        lane = its;
    }
    if (!isPlain || !lane)
      return;
    DigitPlan shared = *lane;
    list.digits = {
        {Level::Reg, int64_t(llvm::divideCeil(list.extent, shared.size))},
        {Level::Lane, shared.size, shared.idStride}};
    setIndexStrides(list);
  });
}

FailureOr<MappingPlan> MappingPlan::get(ChainOp chain) {
  std::optional<MappingAttr> mapping = chain.getMapping();
  if (!mapping)
    return chain.emitOpError()
           << "has no mapping; run --cascade-schedule or write one";
  for (AxisMappingAttr axis : mapping->getAxes())
    if (chain.getAxisNumber(axis.getName().getValue()) < 0)
      return chain.emitOpError()
             << "the mapping names axis '" << axis.getName().getValue()
             << "', which the chain does not have";
  MappingPlan plan;
  SmallVector<int64_t> extents = chain.getStaticExtents();
  AxisSet lists = getListAxes(chain);
  for (unsigned axis = 0; axis < chain.getNumAxes(); ++axis) {
    AxisPlan axisPlan{axis, extents[axis], {}, false, lists.test(axis)};
    for (DigitAttr digit : mapping->digitsOf(chain.getAxisName(axis))) {
      axisPlan.digits.push_back({digit.getLevel(), digit.getSize()});
      axisPlan.digits.back().isResident = digit.getResident();
      plan.isResident |= digit.getResident();
    }
    for (auto reduce : chain.getBodyBlock()->getOps<ReduceOp>())
      axisPlan.reduced |= reduce.isOver(chain.getAxisName(axis));
    if (axisPlan.digits.empty())
      return chain.emitOpError() << "the mapping does not say where axis '"
                                 << chain.getAxisName(axis) << "' runs";
    setIndexStrides(axisPlan);
    if (failed(checkAxis(chain, axisPlan)))
      return failure();
    plan.axes.push_back(std::move(axisPlan));
  }
  int64_t lanes = setIdStrides(plan.axes, *mapping, chain, Level::Lane);
  plan.warps = setIdStrides(plan.axes, *mapping, chain, Level::Warp);
  plan.blocks = setIdStrides(plan.axes, *mapping, chain, Level::Cluster);
  if (lanes > warpSize)
    return chain.emitOpError()
           << "the mapping uses " << lanes << " lanes; a warp has " << warpSize;
  spreadLists(plan, chain);
  if (plan.threads() > maxThreads)
    return chain.emitOpError()
           << "the mapping uses " << plan.threads()
           << " threads a block; at most " << maxThreads << " fit";
  if (plan.blocks > 16)
    return chain.emitOpError() << "the mapping uses " << plan.blocks
                               << " blocks a cluster; at most 16 fit";
  return plan;
}

MappingPlan MappingPlan::withoutRegisters(unsigned number) const {
  MappingPlan plan = *this;
  AxisPlan &axis = plan.axes[number];
  SmallVector<DigitPlan> digits;
  if (axis.at(Level::Grid))
    plan.blocks = 1;
  else if (const DigitPlan *cluster = axis.at(Level::Cluster))
    digits.push_back(*cluster);
  digits.push_back({Level::Loop});
  for (const DigitPlan &digit : axis.digits)
    if (digit.level == Level::Warp || digit.level == Level::Lane)
      digits.push_back(digit);
  axis.digits = std::move(digits);
  setIndexStrides(axis);
  plan.isCold = true;
  return plan;
}

bool cascade::isUnitStride(AffineMap map, unsigned axis) {
  if (map.getNumResults() == 0)
    return false;
  ArrayRef<AffineExpr> outer = map.getResults().drop_back();
  return map.getResults().back() == getAffineDimExpr(axis, map.getContext()) &&
         llvm::none_of(outer, [&](AffineExpr expr) {
           return expr.isFunctionOfDim(axis);
         });
}

std::optional<unsigned> cascade::getUnitAxis(AffineMap map) {
  if (map.getNumResults() == 0)
    return std::nullopt;
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  if (!last || !isUnitStride(map, last.getPosition()))
    return std::nullopt;
  return last.getPosition();
}

bool cascade::isSameInThread(AffineExpr expr, const AxisPlan &axis) {
  if (!expr.isFunctionOfDim(axis.axis))
    return true;
  auto divided = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!divided || divided.getKind() != AffineExprKind::FloorDiv ||
      divided.getLHS() != getAffineDimExpr(axis.axis, expr.getContext()))
    return false;
  auto divisor = dyn_cast<AffineConstantExpr>(divided.getRHS());
  if (!divisor)
    return false;
  auto isHeld = [](const DigitPlan &digit) {
    return digit.level == Level::Reg || digit.level == Level::Vector;
  };
  int64_t run = 1;
  for (const DigitPlan &digit : axis.digits)
    if (isHeld(digit))
      run += (digit.size - 1) * digit.indexStride;
  for (const DigitPlan &digit : axis.digits)
    if (!isHeld(digit) && digit.indexStride % run != 0)
      return false;
  return divisor.getValue() % run == 0;
}

StagedInputs cascade::getStagedInputs(ChainOp chain) {
  StagedInputs staged;
  if (std::optional<MappingAttr> mapping = chain.getMapping())
    for (PolicyAttr policy : mapping->getLoad()) {
      auto number = dyn_cast<IntegerAttr>(policy.getSubject());
      if (!number || policy.getPolicy().getValue() != "bulk")
        continue;
      staged.inputs.push_back(number.getInt());
      staged.stages = policy.getAmount();
    }
  return staged;
}

bool cascade::isWholeAccess(ChainOp chain, const MappingPlan &plan,
                            unsigned rowAxis, unsigned input) {
  auto type = dyn_cast<RankedTensorType>(chain.getInputs()[input].getType());
  if (!type || !isUnitStride(chain.getInputMap(input), rowAxis) ||
      !type.getElementType().isIntOrFloat())
    return false;
  for (const AxisPlan &axis : plan.axes)
    if (axis.axis != rowAxis &&
        chain.getInputMap(input).isFunctionOfDim(axis.axis) &&
        axis.sizeAt(Level::Reg) * axis.sizeAt(Level::Vector) > 1)
      return false;
  int64_t bits = plan.axes[rowAxis].sizeAt(Level::Vector) *
                 std::max(8u, type.getElementTypeBitWidth());
  return bits == MappingPlan::accessBytes * 8;
}

SmallVector<unsigned> cascade::getInputsKeptShared(ChainOp chain) {
  SmallVector<unsigned> inputs;
  StagedInputs staged = getStagedInputs(chain);
  if (std::optional<MappingAttr> mapping = chain.getMapping())
    for (unsigned input = 0; input < chain.getInputs().size(); ++input)
      if (mapping->keepOf(input) == "shared" &&
          !llvm::is_contained(staged.inputs, input))
        inputs.push_back(input);
  return inputs;
}

SmallVector<unsigned> cascade::getInputsKeptInCache(ChainOp chain) {
  SmallVector<unsigned> inputs;
  if (std::optional<MappingAttr> mapping = chain.getMapping())
    for (unsigned input = 0; input < chain.getInputs().size(); ++input)
      if (mapping->keepOf(input) == "l2")
        inputs.push_back(input);
  return inputs;
}

bool cascade::isSharedByRows(ChainOp chain, const MappingPlan &plan,
                             unsigned rowAxis, unsigned input) {
  AffineMap map = chain.getInputMap(input);
  return llvm::any_of(plan.axes, [&](const AxisPlan &axis) {
    bool isParallel = axis.axis != rowAxis && !axis.reduced && !axis.isList;
    return isParallel && axis.extent != 1 && !map.isFunctionOfDim(axis.axis);
  });
}

bool cascade::isLoadedAhead(ChainOp chain, unsigned number) {
  std::optional<MappingAttr> mapping = chain.getMapping();
  return mapping && mapping->loadOf(number) == "ahead";
}

SmallVector<unsigned> cascade::getInvariantInputs(ChainOp chain,
                                                  unsigned rowAxis,
                                                  StringRef residency) {
  SmallVector<unsigned> inputs;
  std::optional<MappingAttr> mapping = chain.getMapping();
  for (unsigned input = 0; mapping && input < chain.getInputs().size();
       ++input) {
    AffineMap map = chain.getInputMap(input);
    bool isInvariant = map.isFunctionOfDim(rowAxis);
    for (unsigned axis = 0; axis < chain.getNumAxes(); ++axis)
      isInvariant &= axis == rowAxis || !map.isFunctionOfDim(axis);
    if (isInvariant && mapping->keepOf(input) == residency)
      inputs.push_back(input);
  }
  return inputs;
}

int64_t cascade::getStagedAccesses(ChainOp chain, const MappingPlan &plan,
                                   unsigned rowAxis, unsigned input) {
  auto type = cast<RankedTensorType>(chain.getInputs()[input].getType());
  int64_t elements = 1;
  for (const DigitPlan &digit : plan.axes[rowAxis].digits)
    if (digit.level == Level::Reg || digit.level == Level::Lane ||
        digit.level == Level::Vector)
      elements *= digit.size;
  if (*getUnitAxis(chain.getInputMap(input)) != rowAxis)
    elements *= type.getShape().back();
  int64_t bytes = elements * std::max(8u, type.getElementTypeBitWidth()) / 8;
  return llvm::divideCeil(bytes, MappingPlan::accessBytes);
}

int64_t cascade::getKeptBytes(ChainOp chain, const MappingPlan &plan,
                              unsigned rowAxis) {
  // An access is as many elements of any of them.
  const AxisPlan &row = plan.axes[rowAxis];
  int64_t accesses = row.elementsOfBlock() / row.sizeAt(Level::Vector);
  return int64_t(getInputsKeptShared(chain).size()) * accesses *
         MappingPlan::accessBytes;
}

int64_t cascade::getSharedBytes(ChainOp chain, const MappingPlan &plan,
                                unsigned rowAxis) {
  StagedInputs staged = getStagedInputs(chain);
  int64_t accessesOfWarp = 0;
  for (unsigned input : staged.inputs)
    accessesOfWarp += getStagedAccesses(chain, plan, rowAxis, input);
  return getKeptBytes(chain, plan, rowAxis) +
         staged.stages * plan.warps * accessesOfWarp * MappingPlan::accessBytes;
}

AxisSet cascade::getListAxes(ChainOp chain) {
  AxisSet axes(chain.getNumAxes());
  chain.walk([&](ReduceOp reduce) {
    if (auto into = reduce.getInto())
      axes.set(chain.getAxisNumber(*into));
  });
  return axes;
}

/// Whether a kernel may stream `axis` rather than `other`, of two that are
/// reduced together: the one without a known extent, or else the longer.
static bool isLonger(ChainOp chain, unsigned axis, unsigned other) {
  SmallVector<int64_t> extents = chain.getStaticExtents();
  auto length = [&](unsigned number) {
    return ShapedType::isDynamic(extents[number])
               ? std::numeric_limits<int64_t>::max()
               : extents[number];
  };
  return length(axis) > length(other);
}

/// Whether `user` is computed from the results of `reduce`.
static bool isBehind(ReduceOp reduce, ReduceOp user) {
  SmallVector<Value> worklist(user->getOperands());
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !seen.insert(value).second)
      continue;
    if (op == reduce)
      return true;
    llvm::append_range(worklist, op->getOperands());
  }
  return false;
}

FailureOr<unsigned> cascade::getRowAxis(ChainOp chain) {
  // An axis is inside another if what is reduced over it varies over the other
  // and goes into a reduction over that.
  AxisSet lists = getListAxes(chain);
  unsigned numAxes = chain.getNumAxes();
  AxisSet reduced(numAxes), inside(numAxes);
  SmallVector<std::pair<ReduceOp, AxisSet>> reductions;
  for (Region *region : {&chain.getBody(), &chain.getSource()}) {
    if (region->empty())
      continue;
    AxisAnalysis axes(chain, *region);
    for (auto reduce : region->front().getOps<ReduceOp>()) {
      AxisSet over = axes.reducedBy(reduce);
      if (over.reset(lists).none())
        continue;
      reduced |= over;
      reductions.push_back({reduce, axes.of(reduce.getResult(0))});
    }
  }
  for (auto &[reduce, varies] : reductions) {
    AxisSet outer(numAxes);
    for (auto &[user, ofUser] : reductions)
      if (isBehind(reduce, user))
        for (Attribute name : user.getOver())
          outer.set(chain.getAxisNumber(cast<StringAttr>(name).getValue()));
    if (((outer &= reduced) &= varies).any())
      for (Attribute name : reduce.getOver())
        inside.set(chain.getAxisNumber(cast<StringAttr>(name).getValue()));
  }
  std::optional<unsigned> row;
  for (unsigned axis : reduced.set_bits())
    if (!inside.test(axis) && (!row || isLonger(chain, axis, *row)))
      row = axis;
  if (!row && reductions.empty())
    return chain.emitOpError()
           << "has no reduction; GPU kernels take chains with one";
  if (!row)
    return reductions.front().first.emitOpError()
           << "reduces an axis that another reduction varies over, and the "
              "other way round; put them into two chains";
  return *row;
}
