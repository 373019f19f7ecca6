//===- ListStep.cpp - A tile goes into a list ----------------------------===//
//
// Few elements of a row enter its list. A tile takes three steps:
//
//   1. While the list is not full, the best key of every lane, or of several
//      parts of its elements, goes into it. Mostly most of the K best of a row
//      are in different lanes.
//   2. Groups of elements (one access) take part whose best key reaches the
//      last entry of the list, the bound. From then on mostly none does, and
//      the best key of a lane is all that is compared.
//   3. While any lane has such a group, each lane takes one of its own, and of
//      its elements those that reach the bound one after another. They are
//      evaluated again, since registers cannot be indexed, and put into the
//      list together with those of the other lanes.
//
//===----------------------------------------------------------------------===//

#include "ListReduction.h"
#include "cascade/Dialect/Cascade/IR/ReductionKind.h"
#include "cascade/Dialect/Cluster/IR/Cluster.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cascade;

//===----------------------------------------------------------------------===//
// The bound
//===----------------------------------------------------------------------===//

/// The kind of the reduction that gives the best of keys of `type`.
static ReductionKind kindOf(Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type)) ? ReductionKind::Max
                                                    : ReductionKind::Maxsi;
}

/// The key of every element of `tile`; that of the identity outside of the
/// domain.
SmallVector<Value> ListReduction::keysOf(OpBuilder &b,
                                         TileEvaluator &tile) const {
  Location loc = context.loc;
  Type type = format.getKeyType();
  SmallVector<Value> keys = tile.evaluate(b, getReduce().getValues()[0]);
  SmallVector<Value> domains = tile.domainsOf(b, reduce);
  Value worst;
  SmallVector<Value> result;
  for (unsigned i = 0; i < tile.numElements(); ++i) {
    Value key = format.toComparable(b, keys[i]);
    if (domains[i]) {
      if (!worst)
        worst =
            arith::ConstantOp::create(b, loc, identityOf(kindOf(type), type));
      key = arith::SelectOp::create(b, loc, domains[i], key, worst);
    }
    result.push_back(key);
  }
  return result;
}

/// The best key of every group of `tile`, or the best two of 16 bits.
SmallVector<Value> ListReduction::bestOf(OpBuilder &b,
                                         TileEvaluator &tile) const {
  SmallVector<Value> keys;
  size_t size = ofGroup.vectorSize;
  if (!tile.predicateOf(reduce) && size % 2 == 0)
    keys = tile.narrowPairs(b, getReduce().getValues()[0]);
  if (keys.empty())
    keys = keysOf(b, tile);
  else
    size /= 2;
  SmallVector<Value> best;
  for (size_t first = 0; first < keys.size(); first += size)
    best.push_back(reduceTree(b, context.loc, kindOf(keys[0].getType()),
                              ArrayRef(keys).slice(first, size)));
  return best;
}

/// The better one of two keys.
Value ListReduction::toKey(OpBuilder &b, Value best) const {
  if (!isa<VectorType>(best.getType()))
    return best;
  return reducePair(b, context.loc, ReductionKind::Max, best,
                    format.getKeyType());
}

/// Whether `key` is at least `bound`, or greater where it loses ties; with a
/// NaN it always is, as it may be.
static Value reaches(OpBuilder &b, Location loc, Value key, Value bound,
                     bool losesTies = false) {
  if (isa<FloatType>(key.getType()))
    return arith::CmpFOp::create(b, loc,
                                 losesTies ? arith::CmpFPredicate::UGT
                                           : arith::CmpFPredicate::UGE,
                                 key, bound);
  return arith::CmpIOp::create(
      b, loc, losesTies ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::sge,
      key, bound);
}

/// One word with bit i set where values[i] reaches `bound`.
static Value whichReach(OpBuilder &b, Location loc, ArrayRef<Value> values,
                        Value bound, ArrayRef<Value> conditions = {}) {
  auto constant = [&](uint32_t value) -> Value {
    return arith::ConstantOp::create(b, loc,
                                     b.getI32IntegerAttr(int32_t(value)));
  };
  Value word = constant(0);
  for (auto [i, value] : llvm::enumerate(values)) {
    Value is = reaches(b, loc, value, bound);
    if (!conditions.empty() && conditions[i])
      is = arith::AndIOp::create(b, loc, is, conditions[i]);
    Value bit =
        arith::SelectOp::create(b, loc, is, constant(1u << i), constant(0));
    word = arith::OrIOp::create(b, loc, word, bit);
  }
  return word;
}

//===----------------------------------------------------------------------===//
// The step
//===----------------------------------------------------------------------===//

ListReduction::State ListReduction::step(OpBuilder &b, TileEvaluator &tile,
                                         State state) const {
  SmallVector<Value> best = bestOf(b, tile);
  for (size_t first = 0; first < best.size(); first += wordBits)
    state =
        stepGroups(b, tile,
                   ArrayRef(best).slice(
                       first, std::min<size_t>(wordBits, best.size() - first)),
                   first, std::move(state));
  return state;
}

/// Parts of a lane's elements whose best ones go into a list that is not full.
/// With 2K of them in all lanes, the K-th best of them is on average the
/// 1.3 K-th best of the tile.
static constexpr int64_t mostParts = 4;

/// The step for the groups from `firstGroup` on, of which `best` are the best
/// keys.
ListReduction::State ListReduction::stepGroups(OpBuilder &b,
                                               TileEvaluator &tile,
                                               ArrayRef<Value> best,
                                               unsigned firstGroup,
                                               State state) const {
  Location loc = context.loc;
  Value all = toKey(b, reduceTree(b, loc, kindOf(best[0].getType()), best));
  // The elements of a later tile lose a tie, where their index is the position.
  // The bound of a list that is not full is a NaN, or an integer that may tie.
  bool losesTies = isa<FloatType>(format.getKeyType()) &&
                   !format.readsIndex() && firstGroup == 0 &&
                   context.tileIsContiguous;
  Value bound = format.fromOrdered(b, last(b, state)[0]);
  Value some = any(b, reaches(b, loc, all, bound, losesTies));
  return guarded(b, some, state, [&](OpBuilder &inner) {
    SmallVector<Value> keys;
    for (Value key : best)
      keys.push_back(toKey(inner, key));
    int64_t entries = getReduce().getNumEntries(), groups = best.size();
    int64_t parts = std::min<int64_t>(
        {int64_t(llvm::divideCeil(2 * entries, list.getNumLanes())), groups,
         mostParts});
    Type i1 = inner.getI1Type();
    Value isFull = format.exists(inner, last(inner, state));
    Value isOpen = any(
        inner,
        arith::XOrIOp::create(inner, loc, isFull,
                              arith::ConstantIntOp::create(inner, loc, i1, 1)));
    State seeded(state);
    seeded.append(parts, constant(inner, -1));
    seeded = guarded(inner, isOpen, seeded, [&](OpBuilder &open) {
      State next(state), positions;
      for (int64_t part = 0; part < parts; ++part) {
        int64_t first = part * groups / parts,
                end = (part + 1) * groups / parts;
        next =
            seed(open, tile, ArrayRef(keys).slice(first, end - first),
                 firstGroup + first, std::move(next), positions.emplace_back());
      }
      llvm::append_range(next, positions);
      return next;
    });
    State next(ArrayRef(seeded).drop_back(parts));
    Value bound = format.fromOrdered(inner, last(inner, next)[0]);
    return popGroups(inner, tile, whichReach(inner, loc, keys, bound),
                     ArrayRef(seeded).take_back(parts), firstGroup, next);
  });
}

namespace {
/// The highest bit of a word, and the word without it.
struct Popped {
  Value isAny, place, rest;
};
} // namespace

static Popped pop(OpBuilder &b, Location loc, Value word) {
  auto constant = [&](uint32_t value) -> Value {
    return arith::ConstantOp::create(b, loc,
                                     b.getI32IntegerAttr(int32_t(value)));
  };
  Popped popped;
  popped.isAny = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, word,
                                       constant(0));
  // Of an empty word the place is 0, and not outside of what it stands for.
  Value zeros = math::CountLeadingZerosOp::create(
      b, loc, arith::OrIOp::create(b, loc, word, constant(1)));
  popped.place = arith::SubIOp::create(b, loc, constant(wordBits - 1), zeros);
  Value bit = arith::ShLIOp::create(b, loc, constant(1), popped.place);
  Value others = arith::XOrIOp::create(b, loc, bit, constant(~0u));
  popped.rest = arith::AndIOp::create(b, loc, word, others);
  return popped;
}

/// A loop while `word`, the first of the values it carries, is not zero in some
/// lane.
static SmallVector<Value>
whileAny(OpBuilder &b, Location loc, ValueRange init,
         llvm::function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> body) {
  auto loop = scf::WhileOp::create(
      b, loc, init.getTypes(), init,
      [&](OpBuilder &inner, Location, ValueRange values) {
        Value zero =
            arith::ConstantOp::create(inner, loc, inner.getI32IntegerAttr(0));
        Value is = arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::ne,
                                         values[0], zero);
        scf::ConditionOp::create(
            inner, loc, cluster::AnyOp::create(inner, loc, is), values);
      },
      [&](OpBuilder &inner, Location, ValueRange values) {
        scf::YieldOp::create(inner, loc, body(inner, values));
      });
  return SmallVector<Value>(loop.getResults());
}

/// The distance of a group's first element from the thread's first element.
Value ListReduction::offsetOf(OpBuilder &b, Value group,
                              unsigned firstGroup) const {
  Location loc = context.loc;
  unsigned size = ofGroup.vectorSize;
  ArrayRef<int64_t> offsets = context.elementOffsets();
  unsigned count =
      std::min<unsigned>(wordBits, offsets.size() / size - firstGroup);
  auto at = [&](unsigned i) { return offsets[(firstGroup + i) * size]; };
  int64_t stride = count > 1 ? at(1) - at(0) : 0;
  bool isLinear = true;
  for (unsigned i = 0; i < count; ++i)
    isLinear &= at(i) == at(0) + stride * int64_t(i);
  if (isLinear) {
    IntBuilder ints(b, loc);
    return ints.materialise(
        ints.add(ints.mul(ints.wrap(group), ints.constant(stride)),
                 ints.constant(at(0))));
  }
  Value offset = constant(b, at(0));
  for (unsigned i = 1; i < count; ++i) {
    Value is = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, group,
                                     constant(b, i));
    offset = arith::SelectOp::create(b, loc, is, constant(b, at(i)), offset);
  }
  return offset;
}

/// The elements of the group `number` of this lane.
static TileEvaluator elementsOf(OpBuilder &b, TileEvaluator &row,
                                const ThreadLayout &group, TileEvaluator &tile,
                                Value offset) {
  IntBuilder ints(b, group.getContext().loc);
  return TileEvaluator(
      row, group, b,
      ints.wrap(ints.materialise(ints.add(tile.getBase(), ints.wrap(offset)))),
      tile);
}

/// The one of `values`, a power of two of them, whose number is `place`.
static Value choose(OpBuilder &b, Location loc, ArrayRef<Value> values,
                    Value place) {
  SmallVector<Value> rest(values);
  for (int32_t bit = 1; rest.size() > 1; bit *= 2) {
    auto constant = [&](int32_t value) -> Value {
      return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
    };
    Value masked = arith::AndIOp::create(b, loc, place, constant(bit));
    Value isOdd = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                        masked, constant(0));
    SmallVector<Value> next;
    for (size_t i = 0; i < rest.size(); i += 2)
      next.push_back(
          i + 1 == rest.size()
              ? rest[i]
              : arith::SelectOp::create(b, loc, isOdd, rest[i + 1], rest[i]));
    rest = std::move(next);
  }
  return rest[0];
}

/// The entry of the element `place` of `group`, which has `keys`.
EntryFormat::Entry ListReduction::entryOf(OpBuilder &b, TileEvaluator &group,
                                          ArrayRef<Value> keys, Value place,
                                          Value position, Value exists) const {
  Value index;
  if (format.readsIndex()) {
    IntBuilder ints(b, context.loc);
    TileEvaluator one(row, elementLayout, b, ints.wrap(position),
                      group.isPartial());
    index = one.evaluate(b, getReduce().getValues()[1])[0];
  }
  return format.encode(b, choose(b, context.loc, keys, place), index, position,
                       exists);
}

/// Puts the best element of the groups from `firstGroup` on, of which `best`
/// are the best keys, into the list; its position, or -1, goes to `position`.
/// Of keys that are NaN, another element may be taken.
ListReduction::State ListReduction::seed(OpBuilder &b, TileEvaluator &tile,
                                         ArrayRef<Value> best,
                                         unsigned firstGroup, State state,
                                         Value &position) const {
  Location loc = context.loc;
  Value key = reduceTree(b, loc, kindOf(best[0].getType()), best);
  Popped group = pop(b, loc, whichReach(b, loc, best, key));
  TileEvaluator elements = elementsOf(b, row, groupLayout, tile,
                                      offsetOf(b, group.place, firstGroup));
  SmallVector<Value> keys = keysOf(b, elements);
  Popped element =
      pop(b, loc, whichReach(b, loc, keys, key, elements.domainsOf(b, reduce)));
  Value place =
      arith::AddIOp::create(b, loc, elements.getBase().value, element.place);
  position =
      arith::SelectOp::create(b, loc, element.isAny, place, constant(b, -1));
  return list.insert(
      b, state,
      entryOf(b, elements, keys, element.place, place, element.isAny));
}

/// Puts into the list what reaches its last entry in the groups of the word
/// `groups`, but for the elements at the positions `seeds`.
ListReduction::State ListReduction::popGroups(OpBuilder &b, TileEvaluator &tile,
                                              Value groups,
                                              ArrayRef<Value> seeds,
                                              unsigned firstGroup,
                                              State state) const {
  Location loc = context.loc;
  SmallVector<Value> init{groups};
  llvm::append_range(init, state);
  auto result =
      whileAny(b, loc, init, [&](OpBuilder &inner, ValueRange values) {
        Popped group = pop(inner, loc, values[0]);
        State next(values.drop_front());
        TileEvaluator elements =
            elementsOf(inner, row, groupLayout, tile,
                       offsetOf(inner, group.place, firstGroup));
        Value base = elements.getBase().value;
        Value bound = format.fromOrdered(inner, last(inner, next)[0]);
        SmallVector<Value> keys = keysOf(inner, elements);
        Value which = whichReach(inner, loc, keys, bound,
                                 elements.domainsOf(inner, reduce));
        Value none = constant(inner, 0);
        which = arith::SelectOp::create(inner, loc, group.isAny, which, none);
        for (Value seed : seeds) {
          Value place = arith::SubIOp::create(inner, loc, seed, base);
          Value isHere = arith::CmpIOp::create(
              inner, loc, arith::CmpIPredicate::ult, place,
              constant(inner, elements.numElements()));
          Value masked = arith::AndIOp::create(inner, loc, place,
                                               constant(inner, wordBits - 1));
          Value bit =
              arith::ShLIOp::create(inner, loc, constant(inner, 1), masked);
          bit = arith::SelectOp::create(inner, loc, isHere, bit, none);
          which = arith::AndIOp::create(
              inner, loc, which,
              arith::XOrIOp::create(inner, loc, bit, constant(inner, -1)));
        }
        next = popElements(inner, elements, keys, which, std::move(next));
        SmallVector<Value> carried{group.rest};
        llvm::append_range(carried, next);
        return carried;
      });
  return State(ArrayRef(result).drop_front());
}

/// Puts the elements of `group`, which has `keys`, into the list that are in
/// the word `elements`.
ListReduction::State ListReduction::popElements(OpBuilder &b,
                                                TileEvaluator &group,
                                                ArrayRef<Value> keys,
                                                Value elements,
                                                State state) const {
  Location loc = context.loc;
  SmallVector<Value> init{elements};
  llvm::append_range(init, state);
  auto result =
      whileAny(b, loc, init, [&](OpBuilder &inner, ValueRange values) {
        Popped element = pop(inner, loc, values[0]);
        State next(values.drop_front());
        Value position = arith::AddIOp::create(
            inner, loc, group.getBase().value, element.place);
        EntryFormat::Entry entry =
            entryOf(inner, group, keys, element.place, position, element.isAny);
        Value enters = format.precedes(inner, entry, last(inner, next));
        next = list.insertFew(inner, next, entry, enters);
        SmallVector<Value> carried{element.rest};
        llvm::append_range(carried, next);
        return carried;
      });
  return State(ArrayRef(result).drop_front());
}
