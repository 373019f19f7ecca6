//===- NarrowFloats.cpp - 8-bit floats on the GPU -------------------------===//

#include "NarrowFloats.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace cascade::cluster;

static bool isNarrow(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

/// The narrow type of a rounding to or a widening from it; null for others.
static Type getNarrowType(Operation *op) {
  if (!isa<arith::TruncFOp, arith::ExtFOp>(op))
    return {};
  Value narrow =
      isa<arith::TruncFOp>(op) ? op->getResult(0) : op->getOperand(0);
  Type type = getElementTypeOrSelf(narrow.getType());
  return isNarrow(type) ? type : Type();
}

//===----------------------------------------------------------------------===//
// What is no cast of a scalar
//===----------------------------------------------------------------------===//

/// Moves arithmetic to f32. A select only moves bits, and stays.
static LogicalResult computeInF32(gpu::GPUModuleOp module) {
  MLIRContext *context = module.getContext();
  TypeConverter converter;
  arith::populateEmulateUnsupportedFloatsConversions(
      converter, {Float8E4M3FNType::get(context), Float8E5M2Type::get(context)},
      Float32Type::get(context));
  RewritePatternSet patterns(context);
  arith::populateEmulateUnsupportedFloatsPatterns(patterns, converter);
  ConversionTarget target(*context);
  arith::populateEmulateUnsupportedFloatsLegality(target, converter);
  target.addDynamicallyLegalDialect<math::MathDialect>(
      [&](Operation *op) { return converter.isLegal(op); });
  target.addLegalOp<arith::SelectOp>();
  return applyPartialConversion(module, target, std::move(patterns));
}

/// Casts of vectors element by element.
static void unrollVectors(gpu::GPUModuleOp module) {
  module.walk([](Operation *op) {
    auto type = op->getNumResults() == 1
                    ? dyn_cast<VectorType>(op->getResult(0).getType())
                    : VectorType();
    if (!type || type.isScalable() || !getNarrowType(op))
      return;
    OpBuilder b(op);
    Location loc = op->getLoc();
    auto elements = vector::ToElementsOp::create(b, loc, op->getOperand(0));
    SmallVector<Value> results;
    for (Value element : elements.getResults())
      results.push_back(
          isa<arith::TruncFOp>(op)
              ? arith::TruncFOp::create(b, loc, type.getElementType(), element)
                    .getResult()
              : arith::ExtFOp::create(b, loc, type.getElementType(), element)
                    .getResult());
    op->replaceAllUsesWith(
        vector::FromElementsOp::create(b, loc, type, results));
    op->erase();
  });
}

//===----------------------------------------------------------------------===//
// Casts in pairs
//===----------------------------------------------------------------------===//

/// `value`, an f64, in f32, rounded to odd: cut off, with the last bit set if
/// anything was cut off.
static Value roundToOdd(OpBuilder &b, Location loc, Value value) {
  // The significands have 52 and 23 bits.
  constexpr int64_t last = int64_t(1) << (52 - 23), rest = last - 1;
  Type i64 = b.getI64Type();
  auto constant = [&](int64_t bits) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(bits));
  };
  Value bits = arith::BitcastOp::create(b, loc, i64, value);
  Value cut = arith::AndIOp::create(b, loc, bits, constant(rest));
  Value kept = arith::AndIOp::create(b, loc, bits, constant(~rest));
  Value odd = arith::OrIOp::create(b, loc, kept, constant(last));
  Value isExact =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, cut, constant(0));
  bits = arith::SelectOp::create(b, loc, isExact, kept, odd);
  Value wide = arith::BitcastOp::create(b, loc, b.getF64Type(), bits);
  return arith::TruncFOp::create(b, loc, b.getF32Type(), wide);
}

/// A float in f32, from which rounding it further gives what rounding `value`
/// gives.
static Value toF32(OpBuilder &b, Location loc, Value value) {
  if (value.getType().isF64())
    return roundToOdd(b, loc, value);
  if (value.getType().isF32())
    return value;
  return arith::ExtFOp::create(b, loc, b.getF32Type(), value);
}

/// An f16 in the float type `type`, which holds it.
static Value fromF16(OpBuilder &b, Location loc, Value value, Type type) {
  if (type.isF16())
    return value;
  if (!type.isBF16())
    return arith::ExtFOp::create(b, loc, type, value);
  value = arith::ExtFOp::create(b, loc, b.getF32Type(), value);
  return arith::TruncFOp::create(b, loc, type, value);
}

/// Rounds the operands of one or two casts; the first into the lower byte.
static SmallVector<Value, 2> round(OpBuilder &b, ArrayRef<Operation *> casts,
                                   Type narrow) {
  Location loc = casts[0]->getLoc();
  SmallVector<Value, 2> wide;
  for (Operation *cast : casts)
    wide.push_back(toF32(b, loc, cast->getOperand(0)));
  if (wide.size() == 1)
    wide.push_back(arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0.0f)));
  Value pair = NVVM::ConvertF32x2ToF8x2Op::create(
      b, loc, VectorType::get({2}, b.getI8Type()), wide[1], wide[0],
      NVVM::FPRoundingMode::RN, NVVM::SaturationMode::SATFINITE,
      /*relu=*/false, narrow);
  SmallVector<Value, 2> results;
  for (size_t i = 0; i < casts.size(); ++i) {
    Value bits = vector::ExtractOp::create(b, loc, pair, int64_t(i));
    results.push_back(arith::BitcastOp::create(b, loc, narrow, bits));
  }
  return results;
}

/// Widens the operands of one or two casts.
static SmallVector<Value, 2> widen(OpBuilder &b, ArrayRef<Operation *> casts,
                                   Type narrow) {
  Location loc = casts[0]->getLoc();
  Type i8 = b.getI8Type();
  SmallVector<Value, 2> bits;
  for (Operation *cast : casts)
    bits.push_back(arith::BitcastOp::create(b, loc, i8, cast->getOperand(0)));
  if (bits.size() == 1)
    bits.push_back(arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(0)));
  Value pair =
      vector::FromElementsOp::create(b, loc, VectorType::get({2}, i8), bits);
  Value halves = NVVM::ConvertF8x2ToF16x2Op::create(
      b, loc, VectorType::get({2}, b.getF16Type()), pair, /*relu=*/false,
      narrow);
  SmallVector<Value, 2> results;
  for (size_t i = 0; i < casts.size(); ++i) {
    Value half = vector::ExtractOp::create(b, loc, halves, int64_t(i));
    results.push_back(fromF16(b, loc, half, casts[i]->getResult(0).getType()));
  }
  return results;
}

/// Whether the result of `first` is not used before `second` of the same block.
static bool canWait(Operation *first, Operation *second) {
  return llvm::none_of(first->getUsers(), [&](Operation *user) {
    Operation *inBlock = second->getBlock()->findAncestorOpInBlock(*user);
    return inBlock && !second->isBeforeInBlock(inBlock);
  });
}

/// The casts of a block, alone or with the next one of their kind and type.
static SmallVector<SmallVector<Operation *, 2>> groupCasts(Block &block) {
  SmallVector<SmallVector<Operation *, 2>> groups;
  llvm::SmallMapVector<std::pair<OperationName, Type>, Operation *, 4> waiting;
  for (Operation &op : block) {
    Type narrow = getNarrowType(&op);
    if (!narrow)
      continue;
    Operation *&first = waiting[{op.getName(), narrow}];
    if (first && canWait(first, &op)) {
      groups.push_back({first, &op});
      first = nullptr;
      continue;
    }
    if (first)
      groups.push_back({first});
    first = &op;
  }
  for (auto &[kind, first] : waiting)
    if (first)
      groups.push_back({first});
  return groups;
}

static void lowerCasts(Block &block) {
  for (ArrayRef<Operation *> casts : groupCasts(block)) {
    OpBuilder b(casts.back());
    Type narrow = getNarrowType(casts[0]);
    SmallVector<Value, 2> results = isa<arith::TruncFOp>(casts[0])
                                        ? round(b, casts, narrow)
                                        : widen(b, casts, narrow);
    for (auto [cast, result] : llvm::zip_equal(casts, results)) {
      cast->getResult(0).replaceAllUsesWith(result);
      cast->erase();
    }
  }
}

//===----------------------------------------------------------------------===//
// Vectors of pairs
//===----------------------------------------------------------------------===//

/// The vector of which `low` and `high` are the two elements, in this order.
static Value getPair(Value low, Value high) {
  Value sources[2];
  for (auto [index, element] : llvm::enumerate(ValueRange{low, high})) {
    Value bits = element;
    while (auto cast = bits.getDefiningOp<arith::BitcastOp>())
      bits = cast.getIn();
    auto extract = bits.getDefiningOp<vector::ExtractOp>();
    if (!extract ||
        extract.getStaticPosition() != ArrayRef<int64_t>(int64_t(index)))
      return {};
    sources[index] = extract.getSource();
  }
  auto type = cast<VectorType>(sources[0].getType());
  bool isPair = type.getRank() == 1 && type.getDimSize(0) == 2;
  return isPair && sources[0] == sources[1] ? sources[0] : Value();
}

/// A vector of rounded pairs is put together from the pairs: LLVM does not see
/// through all of their bytes.
static void joinPairs(vector::FromElementsOp op) {
  VectorType type = op.getType();
  if (type.getRank() != 1 || !type.getElementType().isInteger(8) ||
      type.getDimSize(0) % 2 != 0)
    return;
  OpBuilder b(op);
  Location loc = op.getLoc();
  SmallVector<Value> pairs;
  for (int64_t i = 0; i < type.getDimSize(0); i += 2) {
    Value pair = getPair(op.getElements()[i], op.getElements()[i + 1]);
    if (!pair)
      return;
    pairs.push_back(pair);
  }
  Type word = b.getI16Type();
  for (Value &pair : pairs)
    pair = LLVM::BitcastOp::create(b, loc, word, pair);
  auto type16 = VectorType::get({int64_t(pairs.size())}, word);
  Value words = vector::FromElementsOp::create(b, loc, type16, pairs);
  op.replaceAllUsesWith(
      vector::BitCastOp::create(b, loc, type, words).getResult());
  op.erase();
}

LogicalResult cascade::cluster::lowerNarrowFloats(gpu::GPUModuleOp module) {
  if (failed(computeInF32(module)))
    return failure();
  unrollVectors(module);
  module.walk([](Block *block) { lowerCasts(*block); });
  module.walk(joinPairs);
  return success();
}
