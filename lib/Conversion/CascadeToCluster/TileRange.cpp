//===- TileRange.cpp - The tiles that a pass visits -----------------------===//

#include "TileRange.h"
#include "IndexInterval.h"
#include "cascade/Dialect/Cluster/IR/Cluster.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace cascade;

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
    intervals.push_back(emitInterval(b, context.loc, range, extent, valueOf));
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
