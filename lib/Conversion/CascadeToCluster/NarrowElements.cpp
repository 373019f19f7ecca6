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
  // In the order of the inputs, not that of the map.
  SmallVector<BlockArgument> inputs;
  for (Value value : llvm::make_first_range(values))
    if (auto argument = dyn_cast<BlockArgument>(value))
      inputs.push_back(argument);
  llvm::sort(inputs, [](BlockArgument lhs, BlockArgument rhs) {
    return lhs.getArgNumber() < rhs.getArgNumber();
  });
  for (BlockArgument value : inputs) {
    ArrayRef<Value> elements = values.find(value)->second;
    if (!sharesRegisters(elements)) {
      again->values[value] = llvm::to_vector(elements);
      continue;
    }
    SmallVector<Value> words = pack(b, loc, elements);
    for (Value &word : words)
      word = hideOrigin(b, loc, word);
    again->values[value] = unpack(b, loc, words, elements[0].getType());
  }
  return again;
}

SmallVector<Value> TileEvaluator::loadWords(OpBuilder &b, ValueRange inputs) {
  SmallVector<Value> words;
  for (Value input : inputs) {
    SmallVector<Value> elements = evaluatorOf(b, input).evaluate(b, input);
    llvm::append_range(words, sharesRegisters(elements)
                                  ? pack(b, context.loc, elements)
                                  : elements);
  }
  return words;
}

void TileEvaluator::defineWords(OpBuilder &b, ValueRange inputs,
                                ValueRange words) {
  for (Value input : inputs) {
    TileEvaluator &its = evaluatorOf(b, input);
    unsigned count = its.layout.count(its.layout.of(input));
    bool isPacked = count % 2 == 0 && isNarrow(input.getType());
    ValueRange own = words.take_front(isPacked ? count / 2 : count);
    words = words.drop_front(own.size());
    its.define(input, isPacked ? unpack(b, context.loc, own, input.getType())
                               : SmallVector<Value>(own));
  }
}

//===----------------------------------------------------------------------===//
// Extrema of widened elements
//===----------------------------------------------------------------------===//

SmallVector<Value> TileEvaluator::narrowPairs(OpBuilder &b, Value value) {
  if (isPartial() || numElements() % 2 != 0)
    return {};
  // Changes of sign, and then the widening, of which they do not know.
  SmallVector<Operation *> signs;
  Operation *op = value.getDefiningOp();
  for (; isa_and_nonnull<math::AbsFOp, arith::NegFOp>(op);
       op = op->getOperand(0).getDefiningOp())
    signs.push_back(op);
  auto widening = dyn_cast_or_null<arith::ExtFOp>(op);
  if (!widening || !isNarrow(widening.getIn().getType()))
    return {};
  AxisSet row(context.plan.axes.size());
  row.set(context.rowAxis);
  if (layout.of(widening.getIn()) != row)
    return {};
  SmallVector<Value> elements = evaluate(b, widening.getIn());
  Location loc = context.loc;
  Type narrow = widening.getIn().getType();
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
  return pairs;
}

Value cascade::reduceTree(OpBuilder &b, Location loc, ReductionKind kind,
                          ArrayRef<Value> values) {
  SmallVector<Value> rest(values);
  while (rest.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0; i + 1 < rest.size(); i += 2)
      next.push_back(createCombine(b, loc, kind, rest[i], rest[i + 1]));
    if (rest.size() % 2 != 0)
      next.push_back(rest.back());
    rest = std::move(next);
  }
  return rest[0];
}

Value cascade::reducePair(OpBuilder &b, Location loc, ReductionKind kind,
                          Value pair, Type wide) {
  auto half = [&](int64_t k) -> Value {
    Value element = vector::ExtractOp::create(b, loc, pair, k);
    return arith::ExtFOp::create(b, loc, wide, element);
  };
  return createCombine(b, loc, kind, half(0), half(1));
}

Value TileEvaluator::reduceNarrow(OpBuilder &b, ReduceOp reduce) {
  ReductionKind kind = reduce.getKind();
  bool isExtremum = kind == ReductionKind::Max || kind == ReductionKind::Min;
  if (!isExtremum || reduce.getNumResults() != 1 || predicateOf(reduce) ||
      !reduce.getRefs().empty())
    return {};
  AxisSet row(context.plan.axes.size());
  row.set(context.rowAxis);
  if (layout.reducedBy(reduce) != row)
    return {};
  SmallVector<Value> pairs = narrowPairs(b, reduce.getValues()[0]);
  if (pairs.empty())
    return {};
  Location loc = context.loc;
  return reducePair(b, loc, kind, reduceTree(b, loc, kind, pairs),
                    reduce.getType(0));
}
