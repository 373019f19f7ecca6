//===- KeyedReductions.cpp - argmax, argmin and topk ----------------------===//
//
// Two sorted lists of n entries, n a power of two, merge in two steps (K. E.
// Batcher, Sorting networks and their applications, 1968): the better of lhs[i]
// and rhs[n - 1 - i], for every i, are the n best, in an order that falls and
// then rises; log2 n rounds of exchanges at distance n/2, n/4, ... 1 sort it.
// Lists of other lengths are taken as ending in entries that are absent.
//
//===----------------------------------------------------------------------===//

#include "KeyedReductions.h"
#include "cascade/Dialect/Cascade/IR/ReductionKind.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cascade;

bool cascade::isKeyed(ReductionKind kind) {
  return kind == ReductionKind::Argmax || kind == ReductionKind::Argmin ||
         kind == ReductionKind::Topk;
}

/// Whether greater keys are better.
static bool prefersGreater(ReductionKind kind) {
  return kind != ReductionKind::Argmin;
}

TypedAttr cascade::keyIdentity(ReductionKind kind, Type type) {
  bool isMax = prefersGreater(kind);
  if (isa<FloatType>(type))
    return identityOf(isMax ? ReductionKind::Max : ReductionKind::Min, type);
  return identityOf(isMax ? ReductionKind::Maxsi : ReductionKind::Minsi, type);
}

Value cascade::isMissing(OpBuilder &b, Location loc, Value index) {
  Value none =
      arith::ConstantOp::create(b, loc, b.getIntegerAttr(index.getType(), -1));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, index, none);
}

SmallVector<Value> cascade::keyedIdentity(OpBuilder &b, Location loc,
                                          ReduceOp reduce) {
  SmallVector<Value> entry;
  for (auto [position, type] : llvm::enumerate(reduce->getResultTypes())) {
    // The identity of a sum is 0, that of a conjunction -1.
    TypedAttr value = position == 0   ? keyIdentity(reduce.getKind(), type)
                      : position == 1 ? identityOf(ReductionKind::And, type)
                                      : identityOf(ReductionKind::Add, type);
    entry.push_back(arith::ConstantOp::create(b, loc, value));
  }
  SmallVector<Value> list;
  for (int64_t i = 0; i < reduce.getNumEntries(); ++i)
    llvm::append_range(list, entry);
  return list;
}

namespace {
/// Compares and moves the entries of one reduction.
class EntryBuilder {
public:
  EntryBuilder(OpBuilder &b, Location loc, ReduceOp reduce)
      : b(b), loc(loc), isMax(prefersGreater(reduce.getKind())) {}

  /// Whether `challenger` comes before `holder`. A NaN is better than any
  /// number, and of equal keys the lower index wins. Indices compare unsigned,
  /// so that the -1 of the identity loses to every iteration.
  Value beats(ValueRange challenger, ValueRange holder) {
    auto [better, tied] = isa<FloatType>(holder[0].getType())
                              ? compareFloats(challenger[0], holder[0])
                              : compareIntegers(challenger[0], holder[0]);
    Value lower = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                        challenger[1], holder[1]);
    return arith::OrIOp::create(b, loc, better,
                                arith::AndIOp::create(b, loc, tied, lower));
  }

  SmallVector<Value> select(Value condition, ValueRange ifTrue,
                            ValueRange ifFalse) {
    SmallVector<Value> chosen;
    for (auto [yes, no] : llvm::zip_equal(ifTrue, ifFalse))
      chosen.push_back(arith::SelectOp::create(b, loc, condition, yes, no));
    return chosen;
  }

private:
  using Order = std::pair<Value, Value>; // better, tied

  Order compareFloats(Value challenger, Value holder) {
    auto compare = [&](arith::CmpFPredicate predicate, Value x, Value y) {
      return arith::CmpFOp::create(b, loc, predicate, x, y).getResult();
    };
    using arith::CmpFPredicate;
    Value holderNaN = compare(CmpFPredicate::UNO, holder, holder);
    Value challengerNaN = compare(CmpFPredicate::UNO, challenger, challenger);
    // Unordered or greater, but not where the holder's key is the NaN.
    Value wins = compare(isMax ? CmpFPredicate::UGT : CmpFPredicate::ULT,
                         challenger, holder);
    Value one = arith::ConstantIntOp::create(b, loc, 1, 1);
    Value holderNumber = arith::XOrIOp::create(b, loc, holderNaN, one);
    Value bothNaN = arith::AndIOp::create(b, loc, holderNaN, challengerNaN);
    Value equal = compare(CmpFPredicate::OEQ, holder, challenger);
    return {arith::AndIOp::create(b, loc, wins, holderNumber),
            arith::OrIOp::create(b, loc, equal, bothNaN)};
  }

  Order compareIntegers(Value challenger, Value holder) {
    auto compare = [&](arith::CmpIPredicate predicate) {
      return arith::CmpIOp::create(b, loc, predicate, challenger, holder)
          .getResult();
    };
    return {
        compare(isMax ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt),
        compare(arith::CmpIPredicate::eq)};
  }

  OpBuilder &b;
  Location loc;
  bool isMax;
};

using Entry = SmallVector<Value>; // Empty where it is absent.
} // namespace

/// The entries of `list`, followed by absent ones up to `size`.
static SmallVector<Entry> entriesOf(ValueRange list, unsigned width,
                                    unsigned size) {
  SmallVector<Entry> entries;
  for (unsigned first = 0; first < list.size(); first += width)
    entries.push_back(Entry(list.slice(first, width)));
  entries.resize(size);
  return entries;
}

static SmallVector<Value> flatten(ArrayRef<Entry> entries) {
  SmallVector<Value> list;
  for (const Entry &entry : entries)
    llvm::append_range(list, entry);
  return list;
}

SmallVector<Value> cascade::mergeLists(OpBuilder &b, Location loc,
                                       ReduceOp reduce, ValueRange lhs,
                                       ValueRange rhs) {
  unsigned width = reduce.getNumResults(), count = reduce.getNumEntries();
  unsigned size = llvm::PowerOf2Ceil(count);
  EntryBuilder build(b, loc, reduce);
  SmallVector<Entry> left = entriesOf(lhs, width, size);
  SmallVector<Entry> right = entriesOf(rhs, width, size);
  SmallVector<Entry> best(size);
  for (unsigned i = 0; i < size; ++i) {
    // At least one of the two is present: 2 * count >= size.
    Entry &lower = left[i], &upper = right[size - 1 - i];
    if (lower.empty() || upper.empty())
      best[i] = lower.empty() ? upper : lower;
    else
      best[i] = build.select(build.beats(upper, lower), upper, lower);
  }
  for (unsigned distance = size / 2; distance > 0; distance /= 2)
    for (unsigned i = 0; i < size; ++i) {
      if (i & distance)
        continue;
      Entry first = best[i], second = best[i + distance];
      Value exchange = build.beats(second, first);
      best[i] = build.select(exchange, second, first);
      best[i + distance] = build.select(exchange, first, second);
    }
  return flatten(ArrayRef(best).take_front(count));
}

/// `insertIntoList` without its conditions.
static SmallVector<Value> placeEntry(OpBuilder &b, Location loc,
                                     ReduceOp reduce, ArrayRef<Entry> entries,
                                     ValueRange entry) {
  EntryBuilder build(b, loc, reduce);
  SmallVector<Entry> placed;
  Value beatsPrevious;
  for (auto [i, holder] : llvm::enumerate(entries)) {
    // The last one is known to lose.
    bool isLast = i + 1 == entries.size();
    Value beats = isLast ? Value() : build.beats(entry, holder);
    Entry next = isLast ? Entry(entry) : build.select(beats, entry, holder);
    if (i > 0)
      next = build.select(beatsPrevious, entries[i - 1], next);
    placed.push_back(next);
    beatsPrevious = beats;
  }
  return flatten(placed);
}

SmallVector<Value> cascade::insertIntoList(OpBuilder &b, Location loc,
                                           ReduceOp reduce, ValueRange list,
                                           ValueRange entry, Value domain) {
  unsigned count = reduce.getNumEntries();
  SmallVector<Entry> entries = entriesOf(list, entry.size(), count);
  Value enters = EntryBuilder(b, loc, reduce).beats(entry, entries.back());
  if (domain)
    enters = arith::AndIOp::create(b, loc, domain, enters);
  auto branch = scf::IfOp::create(
      b, loc, enters,
      [&](OpBuilder &inner, Location) {
        scf::YieldOp::create(inner, loc,
                             placeEntry(inner, loc, reduce, entries, entry));
      },
      [&](OpBuilder &inner, Location) {
        scf::YieldOp::create(inner, loc, list);
      });
  return SmallVector<Value>(branch.getResults());
}
