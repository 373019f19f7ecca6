//===- NarrowElements.cpp - Elements of 16 bits ---------------------------===//
//
// Two of them share a register until they are computed with in f32.
//
//===----------------------------------------------------------------------===//

#include "TileEvaluator.h"
#include "cascade/Dialect/Cascade/IR/ReductionKind.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace cascade;

static bool isNarrow(Type type) { return type.isBF16() || type.isF16(); }

//===----------------------------------------------------------------------===//
// From one use to the next
//===----------------------------------------------------------------------===//

/// Whether elements share registers in pairs.
static bool sharesRegisters(ArrayRef<Value> elements) {
  return elements.size() % 2 == 0 && isNarrow(elements[0].getType());
}

/// Elements in pairs, as 32-bit words.
static SmallVector<Value> pack(OpBuilder &b, Location loc,
                               ArrayRef<Value> elements) {
  SmallVector<Value> words;
  for (size_t i = 0; i < elements.size(); i += 2) {
    Type pairType = VectorType::get({2}, elements[i].getType());
    Value pair = vector::FromElementsOp::create(
        b, loc, pairType, ValueRange{elements[i], elements[i + 1]});
    words.push_back(LLVM::BitcastOp::create(b, loc, b.getI32Type(), pair));
  }
  return words;
}

static SmallVector<Value> unpack(OpBuilder &b, Location loc, ValueRange words,
                                 Type type) {
  SmallVector<Value> elements;
  for (Value word : words) {
    Value pair =
        LLVM::BitcastOp::create(b, loc, VectorType::get({2}, type), word);
    for (int64_t k : {0, 1})
      elements.push_back(vector::ExtractOp::create(b, loc, pair, k));
  }
  return elements;
}

/// Fewer elements than this stay as they are: they leave registers enough, and
/// are converted once.
static constexpr unsigned fewestReloaded = 32;

/// A copy of `word` of which the compiler does not know that it is one, so that
/// what is computed from it is not kept from before. Takes no instruction.
static Value hideOrigin(OpBuilder &b, Location loc, Value word) {
  return LLVM::InlineAsmOp::create(
             b, loc, word.getType(), word, "", "=r,0",
             /*has_side_effects=*/true, /*is_align_stack=*/false,
             LLVM::tailcallkind::TailCallKind::None,
             LLVM::AsmDialectAttr::get(b.getContext(),
                                       LLVM::AsmDialect::AD_ATT),
             /*operand_attrs=*/ArrayAttr())
      .getRes();
}

std::unique_ptr<TileEvaluator> TileEvaluator::reload(OpBuilder &b,
                                                     TileEvaluator *row) const {
  Location loc = context.loc;
  auto again = std::make_unique<TileEvaluator>(row ? *row : *parent, *this);
  if (!row && numElements() < fewestReloaded) {
    again->values = values;
    return again;
  }
  for (const auto &[value, elements] : values) {
    if (!isa<BlockArgument>(value))
      continue;
    if (!sharesRegisters(elements)) {
      again->values[value] = elements;
      continue;
    }
    SmallVector<Value> words = pack(b, loc, elements);
    for (Value &word : words)
      word = hideOrigin(b, loc, word);
    again->values[value] = unpack(b, loc, words, elements[0].getType());
  }
  return again;
}

//===----------------------------------------------------------------------===//
// Extrema of widened elements
//===----------------------------------------------------------------------===//

Value TileEvaluator::reduceNarrow(OpBuilder &b, ReduceOp reduce) {
  bool isExtremum = reduce.getKind() == ReductionKind::Max ||
                    reduce.getKind() == ReductionKind::Min;
  if (!isExtremum || !validity.empty() || reduce.getNumResults() != 1 ||
      reduce.getPredicate() || !reduce.getRefs().empty() ||
      numElements() % 2 != 0)
    return {};
  // Changes of sign, and then the widening, of which they do not know.
  SmallVector<Operation *> signs;
  Operation *op = reduce.getValues()[0].getDefiningOp();
  for (; isa_and_nonnull<math::AbsFOp, arith::NegFOp>(op);
       op = op->getOperand(0).getDefiningOp())
    signs.push_back(op);
  auto widening = dyn_cast_or_null<arith::ExtFOp>(op);
  if (!widening || !isNarrow(widening.getIn().getType()))
    return {};
  SmallVector<Value> elements = evaluate(b, widening.getIn());
  if (elements.size() != numElements())
    return {};
  Location loc = context.loc;
  Type narrow = widening.getIn().getType(), wide = reduce.getType(0);
  SmallVector<Value> pairs;
  for (size_t i = 0; i < elements.size(); i += 2) {
    Value pair = vector::FromElementsOp::create(
        b, loc, VectorType::get({2}, narrow),
        ValueRange{elements[i], elements[i + 1]});
    for (Operation *sign : llvm::reverse(signs))
      pair = isa<math::AbsFOp>(sign)
                 ? Value(math::AbsFOp::create(b, loc, pair))
                 : Value(arith::NegFOp::create(b, loc, pair));
    pairs.push_back(pair);
  }
  while (pairs.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0; i + 1 < pairs.size(); i += 2)
      next.push_back(
          createCombine(b, loc, reduce.getKind(), pairs[i], pairs[i + 1]));
    if (pairs.size() % 2 != 0)
      next.push_back(pairs.back());
    pairs = std::move(next);
  }
  auto half = [&](int64_t k) -> Value {
    Value element = vector::ExtractOp::create(b, loc, pairs[0], k);
    return arith::ExtFOp::create(b, loc, wide, element);
  };
  return createCombine(b, loc, reduce.getKind(), half(0), half(1));
}
