//===- ReductionKind.cpp - The reduction kinds in IR ----------------------===//

#include "cascade/Dialect/Cascade/IR/ReductionKind.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace cascade;

namespace {
/// The identity of a kind, in words that every type can answer.
enum class Identity { Zero, One, Lowest, Highest, UnsignedMax, Ones, None };

struct KindInfo {
  ReductionKind kind;
  KindTypes types;
  Identity identity;
  Value (*combineFloat)(OpBuilder &, Location, Value, Value);
  Value (*combineInt)(OpBuilder &, Location, Value, Value);
};
} // namespace

template <typename OpTy>
static Value build(OpBuilder &b, Location loc, Value lhs, Value rhs) {
  return OpTy::create(b, loc, lhs, rhs);
}

static const KindInfo kindTable[] = {
    {ReductionKind::Add, KindTypes::FloatOrInteger, Identity::Zero,
     build<arith::AddFOp>, build<arith::AddIOp>},
    {ReductionKind::Mul, KindTypes::FloatOrInteger, Identity::One,
     build<arith::MulFOp>, build<arith::MulIOp>},
    {ReductionKind::Max, KindTypes::Float, Identity::Lowest,
     build<arith::MaximumFOp>, nullptr},
    {ReductionKind::Min, KindTypes::Float, Identity::Highest,
     build<arith::MinimumFOp>, nullptr},
    {ReductionKind::Maxnum, KindTypes::Float, Identity::Lowest,
     build<arith::MaxNumFOp>, nullptr},
    {ReductionKind::Minnum, KindTypes::Float, Identity::Highest,
     build<arith::MinNumFOp>, nullptr},
    {ReductionKind::Maxsi, KindTypes::Integer, Identity::Lowest, nullptr,
     build<arith::MaxSIOp>},
    {ReductionKind::Maxui, KindTypes::Integer, Identity::Zero, nullptr,
     build<arith::MaxUIOp>},
    {ReductionKind::Minsi, KindTypes::Integer, Identity::Highest, nullptr,
     build<arith::MinSIOp>},
    {ReductionKind::Minui, KindTypes::Integer, Identity::UnsignedMax, nullptr,
     build<arith::MinUIOp>},
    {ReductionKind::And, KindTypes::Integer, Identity::Ones, nullptr,
     build<arith::AndIOp>},
    {ReductionKind::Or, KindTypes::Integer, Identity::Zero, nullptr,
     build<arith::OrIOp>},
    {ReductionKind::Xor, KindTypes::Integer, Identity::Zero, nullptr,
     build<arith::XOrIOp>},
    {ReductionKind::Argmax, KindTypes::Any, Identity::None, nullptr, nullptr},
    {ReductionKind::Argmin, KindTypes::Any, Identity::None, nullptr, nullptr},
    {ReductionKind::Topk, KindTypes::Any, Identity::None, nullptr, nullptr},
    {ReductionKind::Combine, KindTypes::Any, Identity::None, nullptr, nullptr},
};

static const KindInfo &infoOf(ReductionKind kind) {
  return kindTable[static_cast<unsigned>(kind)];
}

KindTypes cascade::typesOf(ReductionKind kind) { return infoOf(kind).types; }

bool cascade::isElementwise(ReductionKind kind) {
  return infoOf(kind).identity != Identity::None;
}

static TypedAttr floatIdentity(Identity identity, FloatType type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  switch (identity) {
  case Identity::One:
    return FloatAttr::get(type, 1.0);
  case Identity::Lowest:
    return FloatAttr::get(type, APFloat::getInf(semantics, /*Negative=*/true));
  case Identity::Highest:
    return FloatAttr::get(type, APFloat::getInf(semantics));
  default:
    return FloatAttr::get(type, 0.0);
  }
}

TypedAttr cascade::identityOf(ReductionKind kind, Type type) {
  Identity identity = infoOf(kind).identity;
  if (auto floatType = dyn_cast<FloatType>(type))
    return floatIdentity(identity, floatType);
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  switch (identity) {
  case Identity::One:
    return IntegerAttr::get(type, APInt(width, 1));
  case Identity::Lowest:
    return IntegerAttr::get(type, APInt::getSignedMinValue(width));
  case Identity::Highest:
    return IntegerAttr::get(type, APInt::getSignedMaxValue(width));
  case Identity::UnsignedMax:
  case Identity::Ones:
    return IntegerAttr::get(type, APInt::getAllOnes(width));
  default:
    return IntegerAttr::get(type, APInt(width, 0));
  }
}

Value cascade::createCombine(OpBuilder &b, Location loc, ReductionKind kind,
                             Value lhs, Value rhs) {
  const KindInfo &info = infoOf(kind);
  if (isa<FloatType>(getElementTypeOrSelf(lhs.getType())))
    return info.combineFloat(b, loc, lhs, rhs);
  return info.combineInt(b, loc, lhs, rhs);
}
