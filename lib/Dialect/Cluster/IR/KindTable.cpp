//===- KindTable.cpp - The reductions with a short form -------------------===//

#include "cascade/Dialect/Cluster/IR/KindTable.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace cascade::cluster;

namespace {
using Build = Value (*)(OpBuilder &, Location, Value, Value);

/// How a kind combines floats and integers; null where it does not apply.
struct KindEntry {
  Kind kind;
  Build onFloat;
  Build onInteger;
};
} // namespace

template <typename OpT>
static Value build(OpBuilder &builder, Location loc, Value lhs, Value rhs) {
  return OpT::create(builder, loc, lhs, rhs);
}

static const KindEntry kTable[] = {
    {Kind::Add, build<arith::AddFOp>, build<arith::AddIOp>},
    {Kind::Mul, build<arith::MulFOp>, build<arith::MulIOp>},
    {Kind::Max, build<arith::MaximumFOp>, nullptr},
    {Kind::Min, build<arith::MinimumFOp>, nullptr},
    {Kind::MaxNum, build<arith::MaxNumFOp>, nullptr},
    {Kind::MinNum, build<arith::MinNumFOp>, nullptr},
    {Kind::MaxSI, nullptr, build<arith::MaxSIOp>},
    {Kind::MaxUI, nullptr, build<arith::MaxUIOp>},
    {Kind::MinSI, nullptr, build<arith::MinSIOp>},
    {Kind::MinUI, nullptr, build<arith::MinUIOp>},
    {Kind::And, nullptr, build<arith::AndIOp>},
    {Kind::Or, nullptr, build<arith::OrIOp>},
    {Kind::Xor, nullptr, build<arith::XOrIOp>},
};

static const KindEntry &getEntry(Kind kind) {
  for (const KindEntry &entry : kTable)
    if (entry.kind == kind)
      return entry;
  llvm_unreachable("every kind has an entry");
}

bool cascade::cluster::acceptsType(Kind kind, Type type) {
  const KindEntry &entry = getEntry(kind);
  return isa<FloatType>(type) ? entry.onFloat != nullptr
                              : entry.onInteger != nullptr;
}

StringRef cascade::cluster::describeAcceptedTypes(Kind kind) {
  const KindEntry &entry = getEntry(kind);
  if (entry.onFloat && entry.onInteger)
    return "float or integer";
  return entry.onFloat ? "float" : "integer";
}

bool cascade::cluster::commutesBitwise(Kind kind, Type type) {
  type = getElementTypeOrSelf(type);
  // Below f64 an addition or product that is NaN is the one canonical NaN.
  return isa<IntegerType>(type) ||
         (!type.isF64() && (kind == Kind::Add || kind == Kind::Mul));
}

Value cascade::cluster::buildCombine(OpBuilder &builder, Location loc,
                                     Kind kind, Value lhs, Value rhs) {
  const KindEntry &entry = getEntry(kind);
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(lhs.getType()));
  Build build = isFloat ? entry.onFloat : entry.onInteger;
  return build(builder, loc, lhs, rhs);
}
