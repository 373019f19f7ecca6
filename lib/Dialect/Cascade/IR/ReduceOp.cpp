//===- ReduceOp.cpp - The verifier of a reduction -------------------------===//
//
// The constraints R1..R7; their labels are those of CascadeOps.td. What takes
// the whole body of a chain to see is in CascadeOps.cpp.
//
//===----------------------------------------------------------------------===//

#include "cascade/Dialect/Cascade/IR/Cascade.h"
#include "cascade/Dialect/Cascade/IR/ReductionKind.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace cascade;

bool ReduceOp::isOver(StringRef axis) {
  return llvm::any_of(getOver().getAsRange<StringAttr>(),
                      [&](StringAttr name) { return name.getValue() == axis; });
}

int64_t ReduceOp::getNumEntries() {
  if (!getInto())
    return 1;
  auto chain = (*this)->getParentOfType<ChainOp>();
  return chain.getStaticExtents()[chain.getAxisNumber(*getInto())];
}

/// R5: the list of a topk has a static length within its limit.
static LogicalResult verifyNumEntries(ReduceOp reduce) {
  int64_t entries = reduce.getNumEntries();
  if (ShapedType::isDynamic(entries))
    return reduce.emitOpError()
           << "topk keeps a static number of entries, but the extent of axis '"
           << *reduce.getInto()
           << "' is known only at run time; give a tensor a static dimension "
              "for it, of 1 to "
           << ReduceOp::maxEntries;
  if (entries < 1 || entries > ReduceOp::maxEntries)
    return reduce.emitOpError() << "topk keeps 1 to " << ReduceOp::maxEntries
                                << " entries, but axis '" << *reduce.getInto()
                                << "' has extent " << entries;
  return success();
}

/// R1, R5: axes of the chain, each named once.
static LogicalResult verifyReducedAxes(ReduceOp reduce, ChainOp chain) {
  if (reduce.getOver().empty())
    return reduce.emitOpError() << "reduces no axis; name one in over (...)";
  llvm::StringSet<> seen;
  auto check = [&](StringRef axis) -> LogicalResult {
    if (chain.getAxisNumber(axis) < 0)
      return (reduce.emitOpError() << "the chain has no axis '" << axis << "'")
                 .attachNote(chain.getLoc())
             << "its axes are named here";
    if (!seen.insert(axis).second)
      return reduce.emitOpError() << "names axis '" << axis << "' twice";
    return success();
  };
  for (auto axis : reduce.getOver().getAsRange<StringAttr>())
    if (failed(check(axis.getValue())))
      return failure();
  bool isTopK = reduce.getKind() == ReductionKind::Topk;
  if (isTopK != reduce.getInto().has_value())
    return reduce.emitOpError()
           << (isTopK ? "topk needs a new axis: into (axis)"
                      : "only topk introduces an axis with into");
  if (!isTopK)
    return success();
  if (failed(check(*reduce.getInto())))
    return failure();
  return verifyNumEntries(reduce);
}

/// R2: the kind fits the type.
static LogicalResult verifyKindTypes(ReduceOp reduce) {
  StringRef kind = stringifyReductionKind(reduce.getKind());
  KindTypes types = typesOf(reduce.getKind());
  for (Type type : reduce.getResultTypes()) {
    if (!type.isIntOrIndexOrFloat())
      return reduce.emitOpError() << "cannot reduce values of type " << type;
    if (types == KindTypes::Float && !isa<FloatType>(type))
      return reduce.emitOpError()
             << kind << " takes floats, got " << type
             << "; use maxsi, maxui, minsi or minui for integers";
    if (types == KindTypes::Integer && isa<FloatType>(type))
      return reduce.emitOpError()
             << kind << " takes integers, got " << type
             << "; use max, min, maxnum or minnum for floats";
    if (types == KindTypes::Float &&
        !APFloat::semanticsHasInf(cast<FloatType>(type).getFloatSemantics()))
      return reduce.emitOpError()
             << kind << " has no identity in " << type
             << ", a type without infinities; widen the value first";
  }
  return success();
}

/// R4: a key, an integer index and any payload.
static LogicalResult verifyPayload(ReduceOp reduce) {
  switch (reduce.getKind()) {
  case ReductionKind::Argmax:
  case ReductionKind::Argmin:
  case ReductionKind::Topk:
    break;
  default:
    return success();
  }
  StringRef kind = stringifyReductionKind(reduce.getKind());
  if (reduce.getValues().size() < 2 ||
      !reduce.getValues()[1].getType().isSignlessIntOrIndex())
    return reduce.emitOpError()
           << kind << " takes a key and an integer or index, then any payload";
  return success();
}

LogicalResult ReduceOp::verify() {
  auto chain = (*this)->getParentOfType<ChainOp>();
  if (!chain)
    return emitOpError() << "may only stand in the body of a cascade.chain";
  if (getValues().empty())
    return emitOpError() << "reduces no value";
  if (failed(verifyReducedAxes(*this, chain)) || failed(verifyKindTypes(*this)))
    return failure();
  if (getValues().getTypes() != getResultTypes()) // R3
    return emitOpError() << "operand and result types must agree";
  if (failed(verifyPayload(*this)))
    return failure();
  bool isCombine = getKind() == ReductionKind::Combine;
  if (isCombine != !getCombiner().empty() || isCombine == getInits().empty())
    return emitOpError() << (isCombine ? "combine needs init(...) values and a "
                                         "combiner region: with { ... }"
                                       : "only combine has init values and a "
                                         "combiner region");
  if (isCombine && getInits().getTypes() != getResultTypes())
    return emitOpError() << "needs one init value of its type a result";
  if (getRefs().empty() != getCorrection().empty()) // R7
    return emitOpError() << "references and a correction go together";
  if (getGuards() ? getGuards()->size() != getRefs().size()
                  : !getRefs().empty())
    return emitOpError() << "needs one guard a reference";
  if (auto guards = getGuards())
    for (int32_t guard : *guards)
      if (!symbolizeReferenceGuard(static_cast<uint32_t>(guard)))
        return emitOpError() << "has an unknown reference guard " << guard;
  return success();
}

/// A region of scalar operations that yields one value a result.
static LogicalResult verifyStateRegion(ReduceOp reduce, Region &region,
                                       ArrayRef<Type> arguments,
                                       StringRef name) {
  if (!region.hasOneBlock())
    return reduce.emitOpError() << "the " << name << " must be one block";
  Block &block = region.front();
  if (TypeRange(block.getArgumentTypes()) != TypeRange(arguments))
    return (reduce.emitOpError() << "the " << name << " takes ")
           << arguments.size() << " arguments of types (" << arguments << ")";
  auto yield = dyn_cast_or_null<YieldOp>(
      block.mightHaveTerminator() ? block.getTerminator() : nullptr);
  if (!yield || yield.getValues().getTypes() != reduce.getResultTypes() ||
      yield.getReplay())
    return reduce.emitOpError()
           << "the " << name << " must yield one value a result";
  for (Operation &op : block.without_terminator())
    if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
            op.getDialect()))
      return op.emitOpError() << "may not stand in a " << name
                              << ": it holds arith and math operations";
  return success();
}

LogicalResult ReduceOp::verifyRegions() {
  SmallVector<Type> types(getResultTypes());
  if (!getCombiner().empty()) {
    SmallVector<Type> arguments(types);
    llvm::append_range(arguments, types);
    if (failed(verifyStateRegion(*this, getCombiner(), arguments, "combiner")))
      return failure();
  }
  if (!getCorrection().empty()) {
    SmallVector<Type> arguments(types);
    llvm::append_range(arguments, getRefs().getTypes());
    llvm::append_range(arguments, getRefs().getTypes());
    if (failed(
            verifyStateRegion(*this, getCorrection(), arguments, "correction")))
      return failure();
  }
  return success();
}
