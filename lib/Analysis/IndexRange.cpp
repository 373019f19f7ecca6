//===- IndexRange.cpp - Which indices a predicate leaves ------------------===//

#include "cascade/Analysis/IndexRange.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace cascade;

/// Operations that are looked at below one predicate.
static constexpr unsigned mostOperations = 128;
/// Of an index in a comparison of 64 bits: with indices below 2^31, its
/// multiple stays below 2^61.
static constexpr int64_t mostOfIndex = int64_t(1) << 30;

static unsigned widthOf(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

unsigned AffineOfIndex::getWidth() const { return widthOf(type); }

bool AffineOfIndex::isIndex() const {
  return ofIndex == 1 && terms.empty() && constant == 0 && getWidth() >= 32;
}

/// `value` as the signed integer of `width` bits that it is modulo 2^width.
static int64_t wrap(int64_t value, unsigned width) {
  return width >= 64 ? value : llvm::SignExtend64(value, width);
}

namespace {

/// Looks at what one predicate is computed from.
class RangeFinder {
public:
  RangeFinder(unsigned axis, const AxisAnalysis &axes,
              llvm::function_ref<bool(Value)> isKnown)
      : axis(axis), axes(axes), isKnown(isKnown) {}

  /// The indices at which `predicate` may be `isTrue`.
  IndexRange find(Value predicate, bool isTrue);

private:
  bool varies(Value value) const { return axes.of(value).test(axis); }
  IndexRange giveUp(Value at, StringRef reason) const;
  static IndexRange join(IndexRange::Kind kind, IndexRange a, IndexRange b);
  IndexRange compare(arith::CmpIOp op, bool isTrue);
  bool add(Value value, int64_t factor, AffineOfIndex &sum);
  bool isIndexOfAxis(Value value) const;
  IndexRange choose(arith::SelectOp op, bool isTrue);

  unsigned axis;
  const AxisAnalysis &axes;
  llvm::function_ref<bool(Value)> isKnown;
  unsigned left = mostOperations;
  Value stuckAt;
  StringRef stuckBy;
};

} // namespace

IndexRange RangeFinder::giveUp(Value at, StringRef reason) const {
  IndexRange range;
  range.unknown = at;
  range.reason = reason;
  return range;
}

static IndexRange constantRange(bool isAll) {
  IndexRange range;
  range.kind = isAll ? IndexRange::Kind::All : IndexRange::Kind::None;
  range.isExact = true;
  return range;
}

IndexRange RangeFinder::join(IndexRange::Kind kind, IndexRange a,
                             IndexRange b) {
  bool isBoth = kind == IndexRange::Kind::Both;
  auto neutral = isBoth ? IndexRange::Kind::All : IndexRange::Kind::None;
  for (auto [one, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if (one->kind == neutral && one->isExact)
      return std::move(*other);
    // The hull with every index is every index, but not exactly.
    if (!isBoth && one->kind == IndexRange::Kind::All)
      return std::move(*one);
  }
  IndexRange range;
  range.kind = kind;
  // The hull of two intervals has what is between them.
  range.isExact = isBoth && a.isExact && b.isExact;
  if (!isBoth) {
    range.unknown = a.unknown ? a.unknown : b.unknown;
    range.reason = "is a union of intervals";
  }
  range.parts.push_back(std::move(a));
  range.parts.push_back(std::move(b));
  return range;
}

IndexRange RangeFinder::choose(arith::SelectOp op, bool isTrue) {
  Value condition = op.getCondition();
  return join(IndexRange::Kind::Either,
              join(IndexRange::Kind::Both, find(condition, true),
                   find(op.getTrueValue(), isTrue)),
              join(IndexRange::Kind::Both, find(condition, false),
                   find(op.getFalseValue(), isTrue)));
}

IndexRange RangeFinder::find(Value predicate, bool isTrue) {
  if (left == 0)
    return giveUp(predicate, "is computed by too many operations");
  --left;
  APInt number;
  if (matchPattern(predicate, m_ConstantInt(&number)))
    return constantRange(number.isOne() == isTrue);
  if (!varies(predicate)) {
    if (!isKnown(predicate))
      return giveUp(predicate, "is not known before the loop");
    IndexRange range;
    range.kind = IndexRange::Kind::Where;
    range.isExact = true;
    range.condition = predicate;
    range.isTrue = isTrue;
    return range;
  }
  Operation *op = predicate.getDefiningOp();
  if (!op)
    return giveUp(predicate, "is read from memory at every index");
  if (auto cmp = dyn_cast<arith::CmpIOp>(op))
    return compare(cmp, isTrue);
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return choose(select, isTrue);
  // Not (a and b) is (not a) or (not b).
  if (isa<arith::AndIOp, arith::OrIOp>(op))
    return join(isa<arith::AndIOp>(op) == isTrue ? IndexRange::Kind::Both
                                                 : IndexRange::Kind::Either,
                find(op->getOperand(0), isTrue),
                find(op->getOperand(1), isTrue));
  if (isa<arith::XOrIOp>(op))
    for (unsigned side : {0, 1})
      if (matchPattern(op->getOperand(side), m_ConstantInt(&number)))
        return find(op->getOperand(1 - side), isTrue != number.isOne());
  return giveUp(predicate, "is no comparison of integers");
}

/// Whether `value` is the index on the axis, in a type that holds every one.
bool RangeFinder::isIndexOfAxis(Value value) const {
  while (widthOf(value.getType()) >= 32) {
    Operation *op = value.getDefiningOp();
    if (auto index = dyn_cast_or_null<IndexOp>(op))
      return ChainOp(axes.getChain()).getAxisNumber(index.getAxis()) ==
             int64_t(axis);
    if (!isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
                         arith::IndexCastOp, arith::IndexCastUIOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

/// Adds `factor` times `value`, in the integers of the type of `sum`.
bool RangeFinder::add(Value value, int64_t factor, AffineOfIndex &sum) {
  auto stop = [&](StringRef reason) {
    stuckAt = value;
    stuckBy = reason;
    return false;
  };
  if (left == 0)
    return stop("is computed by too many operations");
  --left;
  auto times = [](int64_t a, int64_t b) {
    return int64_t(uint64_t(a) * uint64_t(b));
  };
  auto increase = [&](int64_t &number, int64_t by) {
    number = wrap(int64_t(uint64_t(number) + uint64_t(by)), sum.getWidth());
  };
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number))) {
    increase(sum.constant, times(factor, number.getSExtValue()));
    return true;
  }
  if (!varies(value)) {
    if (!isKnown(value))
      return stop("is not known before the loop");
    sum.terms.push_back({value, factor});
    return true;
  }
  if (isIndexOfAxis(value)) {
    increase(sum.ofIndex, factor);
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return stop("is read from memory at every index");
  if (isa<arith::AddIOp>(op))
    return add(op->getOperand(0), factor, sum) &&
           add(op->getOperand(1), factor, sum);
  if (isa<arith::SubIOp>(op))
    return add(op->getOperand(0), factor, sum) &&
           add(op->getOperand(1), times(factor, -1), sum);
  if (isa<arith::MulIOp>(op))
    for (unsigned side : {0, 1})
      if (matchPattern(op->getOperand(side), m_ConstantInt(&number)))
        return add(op->getOperand(1 - side),
                   times(factor, number.getSExtValue()), sum);
  return stop("is not an affine expression of the index");
}

IndexRange RangeFinder::compare(arith::CmpIOp op, bool isTrue) {
  IndexRange range;
  range.kind = IndexRange::Kind::Compare;
  range.isExact = true;
  range.predicate =
      isTrue ? op.getPredicate() : arith::invertPredicate(op.getPredicate());
  if (range.predicate == arith::CmpIPredicate::ne)
    return giveUp(op.getResult(), "leaves out single indices");
  for (auto [value, side] : {std::pair(op.getLhs(), &range.lhs),
                             std::pair(op.getRhs(), &range.rhs)}) {
    side->type = value.getType();
    if (side->getWidth() > 64)
      return giveUp(value, "has more than 64 bits");
    if (!add(value, 1, *side))
      return giveUp(stuckAt, stuckBy);
    if (side->ofIndex > mostOfIndex || side->ofIndex < -mostOfIndex)
      return giveUp(value, "has too large a multiple of the index");
  }
  if (range.lhs.ofIndex == range.rhs.ofIndex)
    return giveUp(op.getResult(), "does not depend on the index");
  return range;
}

IndexRange IndexRange::of(Value predicate, unsigned axis,
                          const AxisAnalysis &axes,
                          llvm::function_ref<bool(Value)> isKnown) {
  return RangeFinder(axis, axes, isKnown).find(predicate, true);
}

const IndexRange *IndexRange::findUnknown() const {
  if (!isExact && parts.empty())
    return this;
  for (const IndexRange &part : parts)
    if (const IndexRange *unknown = part.findUnknown())
      return unknown;
  return isExact ? nullptr : this;
}

void IndexRange::collectValues(SmallVectorImpl<Value> &values) const {
  if (condition)
    values.push_back(condition);
  for (const AffineOfIndex *side : {&lhs, &rhs})
    for (auto [value, factor] : side->terms)
      values.push_back(value);
  for (const IndexRange &part : parts)
    part.collectValues(values);
}

bool cascade::hasIntervals(ChainOp chain, unsigned axis) {
  AxisAnalysis axes(chain, chain.getBody());
  bool hasAny = false;
  for (auto reduce : chain.getBodyBlock()->getOps<ReduceOp>()) {
    if (!axes.reducedBy(reduce).test(axis))
      continue;
    Value predicate = reduce.getPredicate();
    if (!predicate || IndexRange::of(predicate, axis, axes, [](Value) {
                        return true;
                      }).isEverything())
      return false;
    hasAny = true;
  }
  return hasAny;
}
