//===- TileEvaluator.cpp - Body values of a tile of elements --------------===//

#include "TileEvaluator.h"
#include "Contractor.h"
#include "ThreadState.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace cascade;

TileEvaluator::TileEvaluator(const KernelContext &context,
                             const ThreadLayout &layout)
    : context(context), layout(layout) {}

TileEvaluator::TileEvaluator(TileEvaluator &row, OpBuilder &b, Int tile,
                             bool partial)
    : context(row.context), layout(row.layout), parent(&row) {
  IntBuilder ints(b, context.loc);
  base = ints.add(context.threadBase, ints.mul(tile, context.tileStep));
  if (context.kept)
    place = ints.add(ints.sub(context.threadBase, context.blockBase),
                     ints.mul(tile, ints.constant(context.tileSpan)));
  if (partial)
    testEnd(b);
}

TileEvaluator::TileEvaluator(TileEvaluator &row, const ThreadLayout &layout,
                             OpBuilder &b, Int base, bool partial)
    : context(layout.getContext()), layout(layout), parent(&row), base(base) {
  if (partial)
    testEnd(b);
}

TileEvaluator::TileEvaluator(TileEvaluator &row, const ThreadLayout &layout,
                             OpBuilder &b, Int base, const TileEvaluator &tile)
    : TileEvaluator(row, layout, b, base, tile.isPartial()) {
  isInDomain = tile.isInDomain;
  limits = tile.limits;
}

void TileEvaluator::limitLoads(OpBuilder &b, const IndexLimits &indices) {
  IntBuilder ints(b, context.loc);
  Int width = ints.constant(context.vectorSize);
  limits = {ints.mul(ints.divUI(indices.begin, width), width),
            ints.mul(ints.ceilDiv(indices.end, width), width)};
}

void TileEvaluator::testEnd(OpBuilder &b) {
  IntBuilder ints(b, context.loc);
  Int extent = context.extents[context.rowAxis];
  for (auto [index, offset] : llvm::enumerate(context.elementOffsets())) {
    // Rows are whole numbers of vectors: one test a vector.
    if (index % context.vectorSize != 0) {
      validity.push_back(validity.back());
      continue;
    }
    validity.push_back(
        ints.lessThan(ints.add(base, ints.constant(offset)), extent));
  }
}

TileEvaluator::TileEvaluator(TileEvaluator &tile)
    : context(tile.context), layout(tile.layout), parent(&tile), overlay(true),
      isInDomain(tile.isInDomain), base(tile.base), place(tile.place),
      validity(tile.validity), limits(tile.limits) {}

TileEvaluator::TileEvaluator(TileEvaluator &row, const TileEvaluator &tile)
    : context(row.context), layout(row.layout), parent(&row), base(tile.base),
      place(tile.place), validity(tile.validity), limits(tile.limits) {}

TileEvaluator::TileEvaluator(TileEvaluator &tile, const KernelContext &context,
                             const AxisSet &looped)
    : context(context), layout(tile.layout), parent(&tile), looped(looped),
      base(tile.base), place(tile.place), validity(tile.validity),
      limits(tile.limits) {}

SmallVector<Value> TileEvaluator::neededBy(Operation *op) const {
  if (!op)
    return {};
  auto reduce = dyn_cast<ReduceOp>(op);
  if (!reduce)
    return SmallVector<Value>(op->getOperands());
  if (!isInner(reduce))
    return {};
  if (const Contractor *its = getContractor())
    if (ArrayRef<Contraction> sums = its->of(reduce); !sums.empty())
      return llvm::map_to_vector(
          sums, [&](const Contraction &sum) { return its->neededBy(sum); });
  SmallVector<Value> needed(reduce.getValues());
  if (reduce.getPredicate())
    needed.push_back(reduce.getPredicate());
  if (AxisSet loops = loopedBy(reduce); loops.any())
    needed = outsideOfLoop(needed, loops);
  llvm::append_range(needed, reduce.getInits());
  Region &combiner = reduce.getCombiner();
  combiner.walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (!combiner.isAncestor(operand.getParentRegion()))
        needed.push_back(operand);
  });
  return needed;
}

TileEvaluator &TileEvaluator::apart(OpBuilder &b) {
  if (!ofApart)
    ofApart = getContractor()->evaluateApart(b, rowScope(), *this);
  return *ofApart;
}

TileEvaluator &TileEvaluator::evaluatorOf(OpBuilder &b, Value input) {
  const Contractor *its = getContractor();
  return its && its->isApart(input) ? apart(b) : *this;
}

bool TileEvaluator::knows(Value value) const {
  return values.contains(value) || (parent && parent->knows(value));
}

IRMapping TileEvaluator::mapping(ArrayRef<unsigned> position) const {
  IRMapping result = parent ? parent->mapping(position) : IRMapping();
  for (const auto &[value, elements] : values)
    result.map(value, layout.element(value, elements, position));
  return result;
}

Value TileEvaluator::isInside(OpBuilder &b, const AxisSet &axes,
                              ArrayRef<unsigned> position) const {
  Value inside;
  for (unsigned axis : axes.set_bits()) {
    ArrayRef<Value> validity = axis == context.rowAxis
                                   ? ArrayRef<Value>(this->validity)
                                   : context.axes[axis].validity;
    if (validity.empty())
      continue;
    Value here = validity[position[axis]];
    inside = inside ? Value(arith::AndIOp::create(b, context.loc, inside, here))
                    : here;
  }
  return inside;
}

Value TileEvaluator::rowIndexOf(OpBuilder &b, unsigned index) const {
  IntBuilder ints(b, context.loc);
  return ints.materialise(
      ints.add(base, ints.constant(context.elementOffsets()[index])));
}

Int TileEvaluator::indexOn(IntBuilder &ints, unsigned axis,
                           unsigned number) const {
  const AxisPlace &place = context.axes[axis];
  return ints.add(axis == context.rowAxis ? base : place.base,
                  ints.constant(place.offsets[number]));
}

SmallVector<Value> TileEvaluator::domainsOf(OpBuilder &b, ReduceOp reduce) {
  SmallVector<Value> inDomain, domains;
  Value predicate = predicateOf(reduce);
  if (predicate)
    inDomain = evaluate(b, predicate);
  for (const Position &position : layout.positions(layout.reducedBy(reduce))) {
    Value domain = isInside(b, layout.getAxes().reducedBy(reduce), position);
    if (predicate) {
      Value chosen = layout.element(predicate, inDomain, position);
      domain =
          domain ? Value(arith::AndIOp::create(b, context.loc, domain, chosen))
                 : chosen;
    }
    domains.push_back(domain);
  }
  return domains;
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

/// Whether `value` is computed from something that this overlay defines.
bool TileEvaluator::dependsOnDefined(Value root) {
  SmallVector<Value> worklist{root};
  while (!worklist.empty()) {
    Value value = worklist.back();
    if (values.contains(value) || dependent.contains(value)) {
      worklist.pop_back();
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!op || isa<ReduceOp>(op)) {
      dependent[value] = false;
      worklist.pop_back();
      continue;
    }
    bool ready = true, any = false;
    for (Value operand : op->getOperands()) {
      if (values.contains(operand)) {
        any = true;
        continue;
      }
      auto it = dependent.find(operand);
      if (it == dependent.end()) {
        worklist.push_back(operand);
        ready = false;
      } else {
        any |= it->second;
      }
    }
    if (ready) {
      dependent[value] = any;
      worklist.pop_back();
    }
  }
  return values.contains(root) || dependent.lookup(root);
}

SmallVector<Value> TileEvaluator::evaluate(OpBuilder &b, Value root) {
  SmallVector<Value> worklist{root};
  while (!worklist.empty()) {
    Value value = worklist.back();
    if (values.contains(value)) {
      worklist.pop_back();
      continue;
    }
    if (overlay && !dependsOnDefined(value)) {
      values[value] = parent->evaluate(b, value);
      worklist.pop_back();
      continue;
    }
    if (looped.any() && !layout.getAxes().of(value).anyCommon(looped)) {
      values[value] = parent->evaluate(b, value);
      worklist.pop_back();
      continue;
    }
    if (isTile() && rowScope().values.contains(value)) {
      values[value] = rowScope().values.lookup(value);
      worklist.pop_back();
      continue;
    }
    Operation *op = value.getDefiningOp();
    bool ready = true;
    for (Value operand : neededBy(op))
      if (!values.contains(operand)) {
        worklist.push_back(operand);
        ready = false;
      }
    if (!ready)
      continue;
    values[value] = evaluateOne(b, value);
    worklist.pop_back();
  }
  return values[root];
}

/// Elements outside of a reduction's domain are computed, too, and then left
/// out. An integer division by 0, or of the least integer by -1, would make the
/// whole kernel undefined there: such a divisor becomes 1.
static void guardDivision(OpBuilder &b, Operation *op) {
  if (!isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
           arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op))
    return;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op);
  Location loc = op->getLoc();
  Value dividend = op->getOperand(0), divisor = op->getOperand(1);
  Type type = divisor.getType();
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  auto constant = [&](APInt value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  };
  auto equals = [&](Value value, APInt number) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, value,
                                 constant(number));
  };
  Value undefined = equals(divisor, APInt::getZero(width));
  bool isSigned = !isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op);
  if (isSigned) {
    Value overflow = arith::AndIOp::create(
        b, loc, equals(divisor, APInt::getAllOnes(width)),
        equals(dividend, APInt::getSignedMinValue(width)));
    undefined = arith::OrIOp::create(b, loc, undefined, overflow);
  }
  op->setOperand(1, arith::SelectOp::create(
                        b, loc, undefined, constant(APInt(width, 1)), divisor));
}

SmallVector<Value> TileEvaluator::evaluateOne(OpBuilder &b, Value value) {
  Location loc = context.loc;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return load(b, argument);
  Operation *op = value.getDefiningOp();
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    assert(isInner(reduce) && "a reduction is entered before it is used");
    reduceInner(b, reduce);
    return values[value];
  }
  auto toType = [&](Value number) -> Value {
    Type type = value.getType();
    if (type.isIndex())
      return arith::IndexCastOp::create(b, loc, type, number);
    if (type.isInteger(32))
      return number;
    if (type.getIntOrFloatBitWidth() < 32)
      return arith::TruncIOp::create(b, loc, type, number);
    return arith::ExtSIOp::create(b, loc, type, number);
  };
  IntBuilder ints(b, loc);
  if (auto extent = dyn_cast<ExtentOp>(op)) {
    unsigned axis = ChainOp(context.chain).getAxisNumber(extent.getAxis());
    return {toType(ints.materialise(context.extents[axis]))};
  }
  if (auto index = dyn_cast<IndexOp>(op)) {
    unsigned axis = ChainOp(context.chain).getAxisNumber(index.getAxis());
    SmallVector<Value> elements;
    for (const Position &position : layout.positions(layout.of(value)))
      elements.push_back(
          toType(ints.materialise(indexOn(ints, axis, position[axis]))));
    return elements;
  }
  SmallVector<Value> elements;
  bool isProduct = isProductOfSum(op);
  for (const Position &position : layout.positions(layout.of(value))) {
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, layout.element(operand, values[operand], position));
    Operation *clone = b.clone(*op, mapping);
    guardDivision(b, clone);
    if (isProduct)
      cast<arith::MulFOp>(clone).setFastmath(arith::FastMathFlags::contract);
    elements.push_back(
        clone->getResult(cast<OpResult>(value).getResultNumber()));
  }
  return elements;
}

void TileEvaluator::prepareRow(OpBuilder &b, ValueRange roots) {
  TileEvaluator &row = rowScope();
  llvm::DenseSet<Value> seen;
  SmallVector<Value> worklist(roots.begin(), roots.end());
  SmallVector<Value> order;
  // Users before operands; reversed below.
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    order.push_back(value);
    llvm::append_range(worklist, neededBy(value.getDefiningOp()));
  }
  for (Value value : llvm::reverse(order))
    if (!row.values.contains(value) && row.isAvailable(value))
      row.evaluate(b, value);
}

bool TileEvaluator::isAvailable(Value value) {
  TileEvaluator &row = rowScope();
  if (layout.of(value).test(context.rowAxis) || variesInLoop(value))
    return false;
  // Everything below must be known or computable without reductions.
  SmallVector<Value> stack{value};
  llvm::DenseSet<Value> visited;
  while (!stack.empty()) {
    Value next = stack.pop_back_val();
    if (!visited.insert(next).second || row.values.contains(next))
      continue;
    auto reduce = next.getDefiningOp<ReduceOp>();
    if (reduce && !isInner(reduce))
      return false;
    llvm::append_range(stack, neededBy(next.getDefiningOp()));
  }
  return true;
}
