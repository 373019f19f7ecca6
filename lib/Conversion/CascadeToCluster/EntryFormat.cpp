//===- EntryFormat.cpp - Entries of a topk as ordered integers ------------===//
//
// The bits of an IEEE number, with the sign bit flipped where it is clear and
// all bits flipped where it is set, order as the numbers do.
//
//===----------------------------------------------------------------------===//

#include "EntryFormat.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cascade;

/// The type of 16 bits from which `key` was widened, possibly with a change of
/// its sign; null where it was not.
static Type narrowOrigin(Value key) {
  while (true) {
    Type type = key.getType();
    if (type.isBF16() || type.isF16())
      return type;
    Operation *op = key.getDefiningOp();
    if (!isa_and_nonnull<arith::ExtFOp, arith::NegFOp, math::AbsFOp>(op))
      return {};
    key = op->getOperand(0);
  }
}

/// Whether `index` is the position on `axis` for every position of 31 bits, or
/// for those below `extent`.
static bool isPosition(Value index, unsigned axis, ChainOp chain,
                       int64_t extent) {
  unsigned needed =
      ShapedType::isDynamic(extent) ? 32 : llvm::Log2_64_Ceil(extent + 1) + 1;
  while (true) {
    Type type = index.getType();
    if (!type.isIndex() && type.getIntOrFloatBitWidth() < std::min(needed, 32u))
      return false;
    Operation *op = index.getDefiningOp();
    if (auto position = dyn_cast_or_null<IndexOp>(op))
      return chain.getAxisNumber(position.getAxis()) == axis;
    if (!isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp,
                         arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
      return false;
    index = op->getOperand(0);
  }
}

EntryFormat::EntryFormat(const KernelContext &context, ReduceOp reduce)
    : loc(context.loc) {
  Builder b(reduce.getContext());
  Value key = reduce.getValues()[0], index = reduce.getValues()[1];
  int64_t extent = context.row().extent;
  Type type = key.getType();
  if (isa<FloatType>(type)) {
    keyType = type.isF64() ? type : b.getF32Type();
    narrowType = narrowOrigin(key);
    keyBits = narrowType ? 16 : keyType.getIntOrFloatBitWidth();
  } else {
    keyBits = type.isIndex() || type.getIntOrFloatBitWidth() > 32 ? 64 : 32;
    keyType = b.getIntegerType(keyBits);
  }
  // Entries are not zero: no float has a key of zero, and for the least integer
  // the complement of the position is not.
  int64_t places = std::max<int64_t>(extent, 1) + !isa<FloatType>(type);
  positionBits =
      ShapedType::isDynamic(extent) ? 32 : llvm::Log2_64_Ceil(places);
  hasIndex = !isPosition(index, context.rowAxis, context.chain, extent);
  isPacked = !hasIndex && keyBits + positionBits <= 64;
  if (isPacked) {
    types.push_back(b.getIntegerType(keyBits + positionBits <= 32 ? 32 : 64));
    return;
  }
  positionBits = 32;
  types.push_back(b.getIntegerType(keyBits <= 32 ? 32 : 64));
  if (hasIndex) {
    Type indexType = index.getType();
    bool isWide = indexType.isIndex() || indexType.getIntOrFloatBitWidth() > 32;
    types.push_back(b.getIntegerType(isWide ? 64 : 32));
  }
  types.push_back(b.getI32Type());
}

Value EntryFormat::constant(OpBuilder &b, Type type, uint64_t value) const {
  APInt bits(64, value);
  return arith::ConstantOp::create(
      b, loc, b.getIntegerAttr(type, bits.trunc(type.getIntOrFloatBitWidth())));
}

EntryFormat::Entry EntryFormat::none(OpBuilder &b) const {
  Entry entry;
  for (Type type : types)
    entry.push_back(constant(b, type, 0));
  return entry;
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

Value EntryFormat::toComparable(OpBuilder &b, Value key) const {
  Type type = key.getType();
  if (type == keyType)
    return key;
  if (isa<FloatType>(type))
    return arith::ExtFOp::create(b, loc, keyType, key);
  if (type.isIndex())
    return arith::IndexCastOp::create(b, loc, keyType, key);
  return arith::ExtSIOp::create(b, loc, keyType, key);
}

/// The bits that are set in every integer with the sign of `value`: all of
/// them where it is negative, the sign bit where not.
static Value flipsOf(OpBuilder &b, Location loc, Value value, bool isInverse) {
  Type type = value.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  auto constant = [&](APInt bits) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, bits));
  };
  if (isInverse) // An ordered integer has the sign bit where the number has
                 // not.
    value = arith::XOrIOp::create(b, loc, value,
                                  constant(APInt::getAllOnes(width)));
  Value sign =
      arith::ShRSIOp::create(b, loc, value, constant(APInt(width, width - 1)));
  return arith::OrIOp::create(b, loc, sign,
                              constant(APInt::getSignMask(width)));
}

Value EntryFormat::toOrdered(OpBuilder &b, Value comparable) const {
  Type first = types[0];
  unsigned width = widthOfFirst();
  auto widen = [&](Value bits) -> Value {
    unsigned own = bits.getType().getIntOrFloatBitWidth();
    if (own == width)
      return bits;
    bits = arith::ExtUIOp::create(b, loc, first, bits);
    return arith::ShLIOp::create(b, loc, bits, constant(b, first, width - own));
  };
  if (!isa<FloatType>(keyType)) {
    Value bits = widen(comparable);
    return arith::XOrIOp::create(
        b, loc, bits, constant(b, first, uint64_t(1) << (width - 1)));
  }
  Value number = comparable;
  if (narrowType) // Exact.
    number = arith::TruncFOp::create(b, loc, narrowType, number);
  Value bits = arith::BitcastOp::create(
      b, loc, b.getIntegerType(number.getType().getIntOrFloatBitWidth()),
      number);
  bits = widen(bits);
  // -0 is 0.
  Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(keyType, 0.0));
  Value isZero = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ,
                                       comparable, zero);
  bits = arith::SelectOp::create(b, loc, isZero, constant(b, first, 0), bits);
  Value ordered = arith::XOrIOp::create(
      b, loc, bits, flipsOf(b, loc, bits, /*isInverse=*/false));
  Value isNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO,
                                      comparable, comparable);
  uint64_t keyMask = ~uint64_t(0) << (width - keyBits);
  ordered = arith::SelectOp::create(b, loc, isNaN, constant(b, first, keyMask),
                                    ordered);
  if (keyBits == width)
    return ordered;
  return arith::AndIOp::create(b, loc, ordered, constant(b, first, keyMask));
}

Value EntryFormat::fromOrdered(OpBuilder &b, Value ordered) const {
  Type first = types[0];
  unsigned width = widthOfFirst();
  Value bits =
      isa<FloatType>(keyType)
          ? Value(arith::XOrIOp::create(
                b, loc, ordered, flipsOf(b, loc, ordered, /*isInverse=*/true)))
          : Value(arith::XOrIOp::create(
                b, loc, ordered,
                constant(b, first, uint64_t(1) << (width - 1))));
  if (keyBits < width) {
    bits = arith::ShRUIOp::create(b, loc, bits,
                                  constant(b, first, width - keyBits));
    bits = arith::TruncIOp::create(b, loc, b.getIntegerType(keyBits), bits);
  }
  if (!isa<FloatType>(keyType))
    return bits;
  Type number = narrowType ? narrowType : keyType;
  return toComparable(b, arith::BitcastOp::create(b, loc, number, bits));
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

EntryFormat::Entry EntryFormat::encode(OpBuilder &b, Value comparable,
                                       Value index, Value position,
                                       Value exists) const {
  Entry entry{toOrdered(b, comparable)};
  Type i32 = b.getI32Type();
  auto complement = [&](Value value, unsigned bits) -> Value {
    uint64_t mask = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
    return arith::XOrIOp::create(b, loc, value,
                                 constant(b, value.getType(), mask));
  };
  Value place = complement(position, positionBits);
  if (isPacked) {
    if (types[0] != i32)
      place = arith::ExtUIOp::create(b, loc, types[0], place);
    entry[0] = arith::OrIOp::create(b, loc, entry[0], place);
  } else {
    if (hasIndex) {
      Type wide = types[1];
      if (index.getType().isIndex())
        index = arith::IndexCastOp::create(b, loc, wide, index);
      else if (index.getType() != wide)
        index = arith::ExtUIOp::create(b, loc, wide, index);
      entry.push_back(complement(index, wide.getIntOrFloatBitWidth()));
    }
    entry.push_back(place);
  }
  for (auto [value, absent] : llvm::zip_equal(entry, none(b)))
    value = arith::SelectOp::create(b, loc, exists, value, absent);
  return entry;
}

Value EntryFormat::positionOf(OpBuilder &b, ValueRange entry) const {
  Value last = entry.back();
  if (!last.getType().isInteger(32))
    last = arith::TruncIOp::create(b, loc, b.getI32Type(), last);
  uint64_t mask = (uint64_t(1) << positionBits) - 1;
  last = arith::XOrIOp::create(b, loc, last, constant(b, last.getType(), mask));
  if (positionBits == 32)
    return last;
  return arith::AndIOp::create(b, loc, last, constant(b, last.getType(), mask));
}

Value EntryFormat::exists(OpBuilder &b, ValueRange entry) const {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, entry.back(),
                               constant(b, entry.back().getType(), 0));
}

Value EntryFormat::precedes(OpBuilder &b, ValueRange first,
                            ValueRange second) const {
  Value result;
  for (auto [x, y] : llvm::reverse(llvm::zip_equal(first, second))) {
    Value greater = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt,
                                          Value(x), Value(y));
    if (result) {
      Value equal = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                          Value(x), Value(y));
      Value tied = arith::AndIOp::create(b, loc, equal, result);
      greater = arith::OrIOp::create(b, loc, greater, tied);
    }
    result = greater;
  }
  return result;
}
