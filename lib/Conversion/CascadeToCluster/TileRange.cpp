//===- TileRange.cpp - The tiles that a pass visits -----------------------===//

#include "TileRange.h"
#include "cascade/Analysis/IndexRange.h"
#include "cascade/Dialect/Cluster/IR/Cluster.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace cascade;

//===----------------------------------------------------------------------===//
// Intervals
//===----------------------------------------------------------------------===//

namespace {

/// The indices from `lo` (null: 0) to `hi` (null: the extent), of i64 in
/// [0, extent]. All of them are in the domain if `isExact` (null: they are).
struct Interval {
  Value lo, hi, isExact;
};

/// Emits what an IndexRange says for one position of the other axes. Arithmetic
/// is that of 64 bits, in which nothing here wraps.
class IntervalBuilder {
public:
  IntervalBuilder(OpBuilder &b, Location loc, Value extent,
                  llvm::function_ref<Value(Value)> valueOf)
      : b(b), loc(loc), extent(extent), valueOf(valueOf) {}

  Interval emit(const IndexRange &range);

private:
  Value constant(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  }
  Value min(Value x, Value y) { return arith::MinSIOp::create(b, loc, x, y); }
  Value max(Value x, Value y) { return arith::MaxSIOp::create(b, loc, x, y); }
  Value addTo(Value x, int64_t y) {
    return arith::AddIOp::create(b, loc, x, constant(y));
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  /// Both conditions, where null is true.
  Value both(Value x, Value y) {
    return x && y ? Value(arith::AndIOp::create(b, loc, x, y)) : x ? x : y;
  }
  Value restOf(const AffineOfIndex &side, bool isSigned);
  Value fits(const AffineOfIndex &side, Value rest, bool isSigned);
  Value quotient(Value dividend, int64_t divisor);
  Interval emitCompare(const IndexRange &range);

  OpBuilder &b;
  Location loc;
  Value extent; ///< i64
  llvm::function_ref<Value(Value)> valueOf;
};

} // namespace

/// `side` without its multiple of the index, as i64. Of 64 bits, what does not
/// add to the index is held within 2^62 of 0: no index is so large.
Value IntervalBuilder::restOf(const AffineOfIndex &side, bool isSigned) {
  unsigned width = side.getWidth();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(side.type, APInt(64, value).trunc(width)));
  };
  Value sum;
  if (side.constant != 0 || side.terms.empty())
    sum = number(side.constant);
  for (auto [value, factor] : side.terms) {
    Value term = valueOf(value);
    if (factor == -1 && sum) {
      sum = arith::SubIOp::create(b, loc, sum, term);
      continue;
    }
    if (factor != 1)
      term = arith::MulIOp::create(b, loc, term, number(factor));
    sum = sum ? Value(arith::AddIOp::create(b, loc, sum, term)) : term;
  }
  Type i64 = b.getI64Type();
  if (side.type.isIndex())
    sum = arith::IndexCastOp::create(b, loc, i64, sum);
  if (width < 64)
    return isSigned ? Value(arith::ExtSIOp::create(b, loc, i64, sum))
                    : Value(arith::ExtUIOp::create(b, loc, i64, sum));
  if (side.ofIndex != 0)
    return sum;
  Value most = constant(int64_t(1) << 62);
  return isSigned ? max(min(sum, most), constant(-(int64_t(1) << 62)))
                  : Value(arith::MinUIOp::create(b, loc, sum, most));
}

/// Whether `side`, which is `rest` at index 0, does not wrap at any index; null
/// where it cannot.
Value IntervalBuilder::fits(const AffineOfIndex &side, Value rest,
                            bool isSigned) {
  if (side.ofIndex == 0 || side.isIndex())
    return {};
  unsigned width = side.getWidth();
  // Of 64 bits, so that the sums below do not wrap either: multiples of an
  // index are at most 2^61.
  int64_t most = width == 64 ? int64_t(1) << 61
                 : isSigned  ? llvm::maxIntN(width)
                             : int64_t(llvm::maxUIntN(width));
  int64_t least = !isSigned     ? 0
                  : width == 64 ? -(int64_t(1) << 61)
                                : llvm::minIntN(width);
  // It is between what it is at the first and the last index.
  Value atLast = arith::AddIOp::create(
      b, loc, rest,
      arith::MulIOp::create(b, loc, addTo(extent, -1), constant(side.ofIndex)));
  Value result;
  for (Value end : {rest, atLast})
    result = both(
        result, both(compare(arith::CmpIPredicate::sge, end, constant(least)),
                     compare(arith::CmpIPredicate::sle, end, constant(most))));
  return result;
}

/// The least index that `divisor` times is at least `dividend`, or the extent.
Value IntervalBuilder::quotient(Value dividend, int64_t divisor) {
  Value zero = constant(0);
  if (divisor == 1)
    return min(max(dividend, zero), extent);
  Value most = arith::MulIOp::create(b, loc, extent, constant(divisor));
  dividend = min(max(dividend, zero), most);
  return arith::DivUIOp::create(b, loc, addTo(dividend, divisor - 1),
                                constant(divisor));
}

Interval IntervalBuilder::emitCompare(const IndexRange &range) {
  using Predicate = arith::CmpIPredicate;
  bool isSigned = !llvm::is_contained(
      {Predicate::ult, Predicate::ule, Predicate::ugt, Predicate::uge},
      range.predicate);
  Value left = restOf(range.lhs, isSigned), right = restOf(range.rhs, isSigned);
  Value isExact =
      both(fits(range.lhs, left, isSigned), fits(range.rhs, right, isSigned));
  int64_t factor = range.lhs.ofIndex - range.rhs.ofIndex;
  // factor index + left compares with right: index with their difference.
  Value difference = arith::SubIOp::create(b, loc, right, left);
  Interval interval;
  interval.isExact = isExact;
  // Those with factor index < difference + more.
  auto below = [&](int64_t more) {
    if (factor > 0)
      interval.hi = quotient(addTo(difference, more), factor);
    else
      interval.lo = quotient(
          arith::SubIOp::create(b, loc, constant(1 - more), difference),
          -factor);
  };
  // Those with factor index >= difference + more.
  auto from = [&](int64_t more) {
    if (factor > 0)
      interval.lo = quotient(addTo(difference, more), factor);
    else
      interval.hi = quotient(
          arith::SubIOp::create(b, loc, constant(1 - more), difference),
          -factor);
  };
  switch (range.predicate) {
  case Predicate::slt:
  case Predicate::ult:
    below(0);
    break;
  case Predicate::sle:
  case Predicate::ule:
    below(1);
    break;
  case Predicate::sgt:
  case Predicate::ugt:
    from(1);
    break;
  case Predicate::sge:
  case Predicate::uge:
    from(0);
    break;
  default: // Equality.
    below(1);
    from(0);
    break;
  }
  if (!isExact)
    return interval;
  // A side that wraps tells nothing.
  if (interval.lo)
    interval.lo =
        arith::SelectOp::create(b, loc, isExact, interval.lo, constant(0));
  if (interval.hi)
    interval.hi = arith::SelectOp::create(b, loc, isExact, interval.hi, extent);
  return interval;
}

Interval IntervalBuilder::emit(const IndexRange &range) {
  using Kind = IndexRange::Kind;
  switch (range.kind) {
  case Kind::All:
    return {};
  case Kind::None:
    return {{}, constant(0), {}};
  case Kind::Where: {
    Value some = range.isTrue ? extent : constant(0);
    Value other = range.isTrue ? constant(0) : extent;
    Value hi =
        arith::SelectOp::create(b, loc, valueOf(range.condition), some, other);
    return {{}, hi, {}};
  }
  case Kind::Compare:
    return emitCompare(range);
  case Kind::Both:
  case Kind::Either:
    break;
  }
  bool isBoth = range.kind == Kind::Both;
  Interval result = emit(range.parts.front());
  for (const IndexRange &part : ArrayRef(range.parts).drop_front()) {
    Interval next = emit(part);
    // Null is the outermost of bounds.
    auto join = [&](Value x, Value y, bool takesMost) -> Value {
      if (!x || !y)
        return isBoth ? (x ? x : y) : Value();
      return takesMost ? max(x, y) : min(x, y);
    };
    result = {join(result.lo, next.lo, isBoth),
              join(result.hi, next.hi, !isBoth),
              both(result.isExact, next.isExact)};
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Domains
//===----------------------------------------------------------------------===//

namespace {

/// What the domains of a pass say of the indices on the row axis, for all
/// positions of the threads of a warp: none outside of [lo, hi) is in a domain,
/// those in [innerLo, innerHi) are in the intervals of all of them, and thereby
/// if `isCertain` in all domains.
struct DomainBounds {
  Int lo, hi, innerLo, innerHi;
  bool hasLo = false, isCertain = false;
  /// Whether the two intervals are the same.
  bool areSame = false;
};

/// Finds the bounds of one pass.
class DomainFinder {
public:
  DomainFinder(TileEvaluator &row, const ReductionPass &pass);

  std::optional<DomainBounds> find(OpBuilder &b);
  void report() const;

private:
  /// Whether no domain has all indices, whatever the values are.
  bool isBounded() const {
    return !isEverywhere && llvm::none_of(ranges, [](const IndexRange &range) {
      return range.isEverything();
    });
  }
  bool isCertain() const {
    return !ranges.empty() && llvm::all_of(ranges, [](const IndexRange &range) {
      return range.isExact;
    });
  }
  SmallVector<Interval> intervalsOf(OpBuilder &b, const IndexRange &range);
  void shareOverLanes(OpBuilder &b, DomainBounds &bounds);

  TileEvaluator &row;
  const KernelContext &context;
  const ThreadLayout &layout;
  /// Of the predicates that the reductions have.
  SmallVector<IndexRange> ranges;
  SmallVector<Value> predicates;
  bool isEverywhere = false; ///< whether a reduction has no predicate
};

} // namespace

DomainFinder::DomainFinder(TileEvaluator &row, const ReductionPass &pass)
    : row(row), context(row.getContext()), layout(row.getLayout()) {
  llvm::SetVector<Value> distinct;
  for (ReduceOp reduce : pass.reduces) {
    if (Value predicate = reduce.getPredicate())
      distinct.insert(predicate);
    else
      isEverywhere = true;
  }
  predicates = distinct.takeVector();
  for (Value predicate : predicates)
    ranges.push_back(
        IndexRange::of(predicate, context.rowAxis, layout.getAxes(),
                       [&](Value value) { return row.isAvailable(value); }));
}

void DomainFinder::report() const {
  ChainOp chain = context.chain;
  auto function = chain->getParentOfType<FunctionOpInterface>();
  auto options = remark::RemarkOpts::name("domain")
                     .category("cascade-domain")
                     .function(function ? function.getName() : "");
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (auto [range, predicate] : llvm::zip_equal(ranges, predicates)) {
    const IndexRange *unknown = range.findUnknown();
    if (!unknown)
      continue;
    Value at = unknown->unknown ? unknown->unknown : predicate;
    stream << "the predicate over axis '" << chain.getAxisName(context.rowAxis)
           << "' is tested at every element";
    if (range.isEverything())
      stream << " of every tile";
    stream << ": a value in it " << unknown->reason;
    remark::missed(at.getLoc(), options) << text;
    return;
  }
  if (isBounded() || isCertain())
    remark::passed(predicates.front().getLoc(), options)
        << ("tiles of axis '" + chain.getAxisName(context.rowAxis) +
            "' outside of the domain are skipped, and those inside take no "
            "predicate")
               .str();
}

/// The interval of `range` at every position that the thread holds.
SmallVector<Interval> DomainFinder::intervalsOf(OpBuilder &b,
                                                const IndexRange &range) {
  SmallVector<Value> values;
  range.collectValues(values);
  AxisSet varies(context.plan.axes.size());
  row.prepareRow(b, values);
  for (Value value : values)
    varies |= layout.of(value);
  IntBuilder ints(b, context.loc);
  Value extent = arith::ExtSIOp::create(
      b, context.loc, b.getI64Type(),
      ints.materialise(context.extents[context.rowAxis]));
  SmallVector<Interval> intervals;
  for (const Position &position : layout.positions(varies)) {
    auto valueOf = [&](Value value) {
      return layout.element(value, row.evaluate(b, value), position);
    };
    intervals.push_back(
        IntervalBuilder(b, context.loc, extent, valueOf).emit(range));
  }
  return intervals;
}

/// The lanes of a warp visit tiles together: where they have rows of different
/// bounds, all visit those of any.
void DomainFinder::shareOverLanes(OpBuilder &b, DomainBounds &bounds) {
  SmallVector<Value> values;
  for (const IndexRange &range : ranges)
    range.collectValues(values);
  bool isOfLanes = false;
  for (Value value : values)
    for (unsigned axis : layout.getAxes().of(value).set_bits())
      isOfLanes |= context.plan.axes[axis].sizeAt(Level::Lane) > 1;
  if (!isOfLanes)
    return;
  SmallVector<Value> own;
  SmallVector<cluster::Kind> kinds;
  SmallVector<Int *> shared;
  for (auto [bound, kind] : {std::pair(&bounds.lo, cluster::Kind::MinSI),
                             std::pair(&bounds.hi, cluster::Kind::MaxSI),
                             std::pair(&bounds.innerLo, cluster::Kind::MaxSI),
                             std::pair(&bounds.innerHi, cluster::Kind::MinSI)})
    if (!bound->constant && bound->value) {
      own.push_back(bound->value);
      kinds.push_back(kind);
      shared.push_back(bound);
    }
  auto op = cluster::AllReduceOp::create(b, context.loc, own,
                                         cluster::Scope::Warp, kinds);
  for (auto [bound, value] : llvm::zip_equal(shared, op.getResults()))
    bound->value = value;
  bounds.areSame = false;
}

std::optional<DomainBounds> DomainFinder::find(OpBuilder &b) {
  if (!isBounded() && !isCertain())
    return std::nullopt;
  DomainBounds bounds;
  bounds.isCertain = isCertain();
  Location loc = context.loc;
  IntBuilder ints(b, loc);
  Int extent = context.extents[context.rowAxis];
  auto narrow = [&](Value bound, Int otherwise) -> Int {
    if (!bound)
      return otherwise;
    return ints.wrap(arith::TruncIOp::create(b, loc, b.getI32Type(), bound));
  };
  std::optional<Int> lo, hi, innerLo, innerHi;
  auto join = [](std::optional<Int> &all, Int next, auto combine) {
    all = all ? combine(*all, next) : next;
  };
  auto min = [&](Int x, Int y) { return ints.minSI(x, y); };
  auto max = [&](Int x, Int y) { return ints.maxSI(x, y); };
  unsigned count = 0;
  bool mayWrap = false;
  for (const IndexRange &range : ranges)
    for (Interval interval : intervalsOf(b, range)) {
      ++count;
      Int ownLo = narrow(interval.lo, ints.constant(0));
      Int ownHi = narrow(interval.hi, extent);
      join(lo, ownLo, min);
      join(hi, ownHi, max);
      join(innerLo, ownLo, max);
      bounds.hasLo |= bool(interval.lo);
      if (interval.isExact && bounds.isCertain) {
        mayWrap = true;
        ownHi = ints.wrap(arith::SelectOp::create(
            b, loc, interval.isExact, ints.materialise(ownHi),
            ints.materialise(ints.constant(0))));
      }
      join(innerHi, ownHi, min);
    }
  bounds.areSame = isBounded() && count == 1 && !mayWrap;
  bounds.lo = isBounded() ? *lo : ints.constant(0);
  bounds.hi = isBounded() ? *hi : extent;
  bounds.innerLo = *innerLo;
  bounds.innerHi = *innerHi;
  shareOverLanes(b, bounds);
  return bounds;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// The distance of two tiles; of a single tile, one that leaves it alone.
static Int stepOf(const IntBuilder &ints, const KernelContext &context) {
  bool isOneTile = context.numTiles.constant && *context.numTiles.constant == 1;
  return isOneTile ? ints.constant(context.tileSpan) : context.tileStep;
}

/// The number of tiles that end at `end` or before: blockBase + t tileStep +
/// tileSpan <= end.
static Int tilesInside(const IntBuilder &ints, const KernelContext &context,
                       Int end) {
  Int room = ints.sub(ints.sub(end, context.blockBase),
                      ints.constant(context.tileSpan));
  Int step = stepOf(ints, context);
  Int inside =
      ints.divUI(ints.maxSI(ints.add(room, step), ints.constant(0)), step);
  return ints.minSI(inside, context.numTiles);
}

/// The number of tiles that begin before `end`.
static Int tilesBefore(const IntBuilder &ints, const KernelContext &context,
                       Int end) {
  Int room = ints.maxSI(ints.sub(end, context.blockBase), ints.constant(0));
  return ints.minSI(ints.ceilDiv(room, stepOf(ints, context)),
                    context.numTiles);
}

TileRange TileRange::all(OpBuilder &b, const KernelContext &context) {
  IntBuilder ints(b, context.loc);
  Int extent = context.extents[context.rowAxis];
  TileRange range;
  range.first = range.firstFull = ints.constant(0);
  range.endFull = tilesInside(ints, context, extent);
  Int start =
      ints.add(context.blockBase, ints.mul(range.endFull, context.tileStep));
  range.hasTail =
      arith::AndIOp::create(b, context.loc, ints.lessThan(start, extent),
                            ints.lessThan(range.endFull, context.numTiles));
  return range;
}

std::optional<TileRange> TileRange::of(OpBuilder &b, TileEvaluator &row,
                                       const ReductionPass &pass) {
  const KernelContext &context = row.getContext();
  std::optional<DomainBounds> bounds = DomainFinder(row, pass).find(b);
  if (!bounds)
    return std::nullopt;
  IntBuilder ints(b, context.loc);
  Int zero = ints.constant(0);
  TileRange range;
  range.end = tilesBefore(ints, context, bounds->hi);
  range.first =
      bounds->hasLo
          ? ints.minSI(tilesInside(ints, context, bounds->lo), range.end)
          : zero;
  range.firstFull = range.first;
  if (bounds->hasLo)
    range.firstFull = ints.minSI(
        ints.maxSI(tilesBefore(ints, context, bounds->innerLo), range.first),
        range.end);
  range.endFull = ints.minSI(
      ints.maxSI(tilesInside(ints, context, bounds->innerHi), range.firstFull),
      range.end);
  range.hasHead = bounds->hasLo;
  range.isCertain = bounds->isCertain;
  range.limits = {bounds->lo, bounds->hi};
  if (bounds->areSame)
    range.hasTail = ints.lessThan(range.endFull, range.end);
  return range;
}

void cascade::remarkDomains(TileEvaluator &row, const ReductionPass &pass) {
  DomainFinder(row, pass).report();
}
