//===- CascadeOps.cpp - Verifiers -----------------------------------------===//
//
// The constraints C1..C7 of a chain; their labels are those of CascadeOps.td.
// Those of a reduction are in ReduceOp.cpp.
//
//===----------------------------------------------------------------------===//

#include "cascade/Dialect/Cascade/IR/Axes.h"
#include "cascade/Dialect/Cascade/IR/Cascade.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace cascade;

#define GET_OP_CLASSES
#include "cascade/Dialect/Cascade/IR/CascadeOps.cpp.inc"

//===----------------------------------------------------------------------===//
// cascade.chain: what its maps say
//===----------------------------------------------------------------------===//

int64_t ChainOp::getAxisNumber(StringRef name) {
  for (auto [number, axis] :
       llvm::enumerate(getAxes().getAsRange<StringAttr>()))
    if (axis.getValue() == name)
      return number;
  return -1;
}

bool ChainOp::allows(StringRef what) {
  if (!getAllow())
    return false;
  return llvm::any_of(getAllow()->getAsRange<StringAttr>(),
                      [&](StringAttr word) { return word.getValue() == what; });
}

/// Calls `visit(axis, dimension)` for each bare axis of `map`.
template <typename Visitor>
static void forEachBareAxis(AffineMap map, Visitor visit) {
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    if (auto axis = dyn_cast<AffineDimExpr>(expr))
      visit(axis.getPosition(), dim);
}

SmallVector<int64_t> ChainOp::getStaticExtents() {
  SmallVector<int64_t> extents(getNumAxes(), ShapedType::kDynamic);
  auto note = [&](Type type, AffineMap map) {
    auto shaped = dyn_cast<RankedTensorType>(type);
    if (!shaped)
      return;
    forEachBareAxis(map, [&](unsigned axis, unsigned dim) {
      if (ShapedType::isDynamic(extents[axis]))
        extents[axis] = shaped.getDimSize(dim);
    });
  };
  for (unsigned i = 0; i < getInputs().size(); ++i)
    note(getInputs()[i].getType(), getInputMap(i));
  for (unsigned i = 0; i < getNumResults(); ++i)
    note(getResult(i).getType(), getOutputMap(i));
  return extents;
}

std::pair<int64_t, int64_t> ChainOp::getExtentSource(unsigned wanted) {
  std::pair<int64_t, int64_t> source(-1, -1);
  for (unsigned i = 0; i < getInputs().size() && source.first < 0; ++i)
    forEachBareAxis(getInputMap(i), [&](unsigned axis, unsigned dim) {
      if (axis == wanted && source.first < 0)
        source = {i, dim};
    });
  return source;
}

//===----------------------------------------------------------------------===//
// cascade.chain: verification
//===----------------------------------------------------------------------===//

/// C1: axes have distinct names.
static LogicalResult verifyAxisNames(ChainOp chain) {
  llvm::StringSet<> seen;
  for (auto axis : chain.getAxes().getAsRange<StringAttr>())
    if (!seen.insert(axis.getValue()).second)
      return chain.emitOpError()
             << "axis '" << axis.getValue() << "' is named twice";
  return success();
}

static bool isScalar(Type type) { return type.isIntOrIndexOrFloat(); }

static Type elementTypeOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getElementType() : type;
}

/// C2: a map has one result a dimension.
static LogicalResult verifyRank(ChainOp chain, Type type, AffineMap map,
                                const Twine &what) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor && !isScalar(type))
    return chain.emitOpError()
           << what << " has type " << type
           << "; a chain takes ranked tensors and scalars of integer, index or "
              "float type";
  if (!isScalar(elementTypeOf(type)))
    return chain.emitOpError()
           << what << " has elements of type " << elementTypeOf(type)
           << "; they must be integers or floats";
  int64_t rank = tensor ? tensor.getRank() : 0;
  if (map.getNumResults() != rank)
    return chain.emitOpError() << what << " has rank " << rank
                               << ", but its map has " << map.getNumResults()
                               << " results; name one expression a dimension";
  return success();
}

/// C3, C4: every axis has one extent; `owner` names what fixed it.
static LogicalResult verifyExtents(ChainOp chain) {
  SmallVector<int64_t> extents(chain.getNumAxes(), ShapedType::kDynamic);
  SmallVector<std::string> owner(chain.getNumAxes());
  SmallVector<bool> hasOperand(chain.getNumAxes(), false);
  LogicalResult status = success();
  auto note = [&](Type type, AffineMap map, std::string what, bool isInput) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return;
    forEachBareAxis(map, [&](unsigned axis, unsigned dim) {
      hasOperand[axis] = hasOperand[axis] || isInput;
      int64_t size = tensor.getDimSize(dim);
      if (ShapedType::isDynamic(size) || failed(status))
        return;
      if (ShapedType::isDynamic(extents[axis])) {
        extents[axis] = size;
        owner[axis] = what;
      } else if (extents[axis] != size) {
        status = chain.emitOpError()
                 << "axis '" << chain.getAxisName(axis) << "' has extent "
                 << extents[axis] << " in " << owner[axis] << " and " << size
                 << " in " << what << " (dimension " << dim << ")";
      }
    });
  };
  for (unsigned i = 0; i < chain.getInputs().size(); ++i)
    note(chain.getInputs()[i].getType(), chain.getInputMap(i),
         "operand " + std::to_string(i), true);
  for (unsigned i = 0; i < chain.getNumResults(); ++i)
    note(chain.getResult(i).getType(), chain.getOutputMap(i),
         "result " + std::to_string(i), false);
  if (failed(status))
    return failure();
  for (unsigned axis = 0; axis < chain.getNumAxes(); ++axis)
    if (ShapedType::isDynamic(extents[axis]) && !hasOperand[axis])
      return chain.emitOpError()
             << "nothing fixes the extent of axis '" << chain.getAxisName(axis)
             << "': use it alone in the map of an operand, or give a result a "
                "static dimension for it";
  return success();
}

/// C5: composite expressions of static axes stay inside static dimensions.
static LogicalResult verifyBounds(ChainOp chain) {
  SmallVector<int64_t> extents = chain.getStaticExtents();
  SmallVector<std::optional<int64_t>> low(extents.size(), 0), high;
  for (int64_t extent : extents) {
    if (extent == 0)
      return success(); // No iteration reads anything.
    high.push_back(ShapedType::isDynamic(extent)
                       ? std::nullopt
                       : std::optional<int64_t>(extent - 1));
  }
  for (unsigned i = 0; i < chain.getInputs().size(); ++i) {
    auto tensor = dyn_cast<RankedTensorType>(chain.getInputs()[i].getType());
    if (!tensor)
      continue;
    for (auto [dim, expr] :
         llvm::enumerate(chain.getInputMap(i).getResults())) {
      int64_t size = tensor.getDimSize(dim);
      if (isa<AffineDimExpr>(expr) || ShapedType::isDynamic(size))
        continue;
      auto lower = getBoundForAffineExpr(expr, extents.size(), 0, low, high,
                                         /*isUpper=*/false);
      auto upper = getBoundForAffineExpr(expr, extents.size(), 0, low, high,
                                         /*isUpper=*/true);
      if ((lower && *lower < 0) || (upper && *upper >= size))
        return chain.emitOpError()
               << "dimension " << dim << " of operand " << i << " has size "
               << size << ", but its expression reaches "
               << (lower && *lower < 0 ? *lower : *upper);
    }
  }
  return success();
}

LogicalResult ChainOp::verify() {
  if (failed(verifyAxisNames(*this)))
    return failure();
  if (getInputMaps().size() != getInputs().size() ||
      getOutputMaps().size() != getNumResults())
    return emitOpError() << "needs one map an operand and one a result";
  if (getNumResults() == 0)
    return emitOpError() << "has no result: a chain is its results";
  for (auto maps : {getInputMaps(), getOutputMaps()})
    for (auto map : maps.getAsValueRange<AffineMapAttr>())
      if (map.getNumDims() != getNumAxes() || map.getNumSymbols() != 0)
        return emitOpError() << "a map must take the " << getNumAxes()
                             << " axes and no symbols";
  for (unsigned i = 0; i < getInputs().size(); ++i)
    if (failed(verifyRank(*this, getInputs()[i].getType(), getInputMap(i),
                          "operand " + Twine(i))))
      return failure();
  for (unsigned i = 0; i < getNumResults(); ++i)
    if (failed(verifyRank(*this, getResult(i).getType(), getOutputMap(i),
                          "result " + Twine(i))))
      return failure();
  if (failed(verifyExtents(*this)) || failed(verifyBounds(*this)))
    return failure();
  for (StringRef word :
       getAllow() ? llvm::to_vector(getAllow()->getAsValueRange<StringAttr>())
                  : SmallVector<StringRef>())
    if (word != "move_rounding" && word != "approximate")
      return emitOpError() << "'" << word
                           << "' is nothing that can be allowed; use "
                              "move_rounding or approximate";
  if (auto mapping = getMapping())
    for (AxisMappingAttr axis : mapping->getAxes())
      if (getAxisNumber(axis.getName().getValue()) < 0)
        return emitOpError()
               << "the mapping names axis '" << axis.getName().getValue()
               << "', which the chain does not have";
  return success();
}

/// C7 and the block arguments of one region of a chain.
static LogicalResult verifyBody(ChainOp chain, Region &region) {
  Block &block = region.front();
  if (block.getNumArguments() != chain.getInputs().size())
    return chain.emitOpError() << "has " << chain.getInputs().size()
                               << " operands, but its body has "
                               << block.getNumArguments() << " arguments";
  for (auto [i, argument] : llvm::enumerate(block.getArguments())) {
    Type expected = elementTypeOf(chain.getInputs()[i].getType());
    if (argument.getType() != expected)
      return chain.emitOpError()
             << "body argument " << i << " has type " << argument.getType()
             << ", but the elements of operand " << i << " have type "
             << expected;
  }
  for (Operation &op : block.without_terminator()) {
    if (!isa<ReduceOp, IndexOp, ExtentOp>(op) &&
        !isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
            op.getDialect()))
      return op.emitOpError()
                 .append("may not stand in a chain: the body holds pure arith, "
                         "math and cascade operations")
                 .attachNote(chain.getLoc())
             << "in this chain";
    for (Type type : op.getResultTypes())
      if (!isScalar(type))
        return op.emitOpError()
               << "gives a value of type " << type
               << " in the body of a chain; only scalars are allowed";
  }
  if (!isa<YieldOp>(block.getTerminator()))
    return chain.emitOpError() << "its body must end in cascade.yield";
  return success();
}

/// R5: what a topk reads does not vary over the axis that it introduces.
static LogicalResult verifyNewAxes(ChainOp chain, Region &region) {
  AxisAnalysis axes(chain, region);
  for (auto reduce : region.front().getOps<ReduceOp>()) {
    int64_t axis =
        reduce.getInto() ? chain.getAxisNumber(*reduce.getInto()) : -1;
    if (axis < 0)
      continue;
    for (Value operand : reduce->getOperands())
      if (axes.of(operand).test(axis))
        return reduce.emitOpError()
               << "introduces axis '" << *reduce.getInto()
               << "', which its values vary over already; name a new axis";
  }
  return success();
}

/// C6: a result's map lists bare axes, and every axis that the value needs.
static LogicalResult verifyResults(ChainOp chain, Region &region) {
  auto yield = cast<YieldOp>(region.front().getTerminator());
  if (yield.getValues().size() != chain.getNumResults())
    return yield.emitOpError()
           << "yields " << yield.getValues().size() << " values, but the chain "
           << "has " << chain.getNumResults() << " results";
  AxisAnalysis axes(chain, region);
  for (unsigned i = 0; i < chain.getNumResults(); ++i) {
    Value value = yield.getValues()[i];
    Type expected = elementTypeOf(chain.getResult(i).getType());
    if (!isa<RankedTensorType>(chain.getResult(i).getType()))
      return chain.emitOpError()
             << "result " << i << " must be a ranked tensor";
    if (value.getType() != expected)
      return yield.emitOpError()
             << "value " << i << " has type " << value.getType()
             << ", but the elements of result " << i << " have type "
             << expected;
    AxisSet mapped(chain.getNumAxes());
    for (AffineExpr expr : chain.getOutputMap(i).getResults()) {
      auto axis = dyn_cast<AffineDimExpr>(expr);
      if (!axis)
        return chain.emitOpError()
               << "the map of result " << i << " must be bare axes";
      if (mapped.test(axis.getPosition()))
        return chain.emitOpError()
               << "the map of result " << i << " names axis '"
               << chain.getAxisName(axis.getPosition()) << "' twice";
      mapped.set(axis.getPosition());
    }
    AxisSet needed = axes.of(value);
    needed.reset(mapped);
    if (needed.any())
      return (chain.emitOpError() << "result " << i << " varies over axis '"
                                  << chain.getAxisName(needed.find_first())
                                  << "', which its map does not name")
                 .attachNote(yield.getLoc())
             << "the value is yielded here";
  }
  if (yield.getReplay() && !chain.isFused())
    return yield.emitOpError()
           << "has a replay condition, but the chain has no source to replay";
  return success();
}

LogicalResult ChainOp::verifyRegions() {
  for (Region *region : {&getBody(), &getSource()}) {
    if (region->empty())
      continue;
    if (!region->hasOneBlock())
      return emitOpError() << "its body must be one block";
    if (failed(verifyBody(*this, *region)) ||
        failed(verifyNewAxes(*this, *region)) ||
        failed(verifyResults(*this, *region)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// cascade.index, cascade.extent
//===----------------------------------------------------------------------===//

static LogicalResult verifyAxisOp(Operation *op, StringRef axis) {
  auto chain = op->getParentOfType<ChainOp>();
  if (!chain)
    return op->emitOpError() << "may only stand in the body of a cascade.chain";
  if (chain.getAxisNumber(axis) < 0)
    return (op->emitOpError() << "the chain has no axis '" << axis << "'")
               .attachNote(chain.getLoc())
           << "its axes are named here";
  return success();
}

LogicalResult IndexOp::verify() { return verifyAxisOp(*this, getAxis()); }
LogicalResult ExtentOp::verify() { return verifyAxisOp(*this, getAxis()); }
