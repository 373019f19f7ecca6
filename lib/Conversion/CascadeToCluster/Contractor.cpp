//===- Contractor.cpp - Sums of products on the tensor cores --------------===//

#include "Contractor.h"
#include "cascade/Dialect/Cluster/IR/Cluster.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace cascade;

using State = Contractor::State;

/// Parts of two factors whose products are below the last bit of f32 are left
/// out: each part is 2^-8 of the one before.
static constexpr unsigned mostParts = 3;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// `context` at the columns that a lane has of the second factor: those at
/// place g of an instruction.
static KernelContext placeColumns(OpBuilder &b, const KernelContext &context,
                                  Int rowLane, Int position) {
  IntBuilder ints(b, context.loc);
  const Contractions &contractions = *context.contractions;
  // Column g is of the lanes with c = g / 2, the first or the second there.
  KernelContext there = context;
  there.ids.lane = ints.divUI(rowLane, ints.constant(2));
  there.placeRow(b, position);
  KernelContext result = context;
  for (unsigned axis : contractions.getColumns().set_bits())
    result.axes[axis] = there.axes[axis];
  unsigned axis = contractions.getPairAxis();
  AxisPlace &pair = result.axes[axis];
  int64_t distance = pair.offsets[1] - pair.offsets[0];
  pair.base =
      ints.add(pair.base, ints.mul(ints.remUI(rowLane, ints.constant(2)),
                                   ints.constant(distance)));
  SmallVector<int64_t> firsts;
  for (size_t i = 0; i < pair.offsets.size(); i += 2)
    firsts.push_back(pair.offsets[i]);
  pair.offsets = firsts;
  if (!pair.validity.empty()) {
    pair.validity.clear();
    for (int64_t offset : firsts)
      pair.validity.push_back(ints.lessThan(
          ints.add(pair.base, ints.constant(offset)), context.extents[axis]));
  }
  return result;
}

/// `context` at the positions of the row that a lane has of the first factor of
/// a sum over it: of every eight, two neighbours.
static KernelContext placeApart(const KernelContext &context) {
  KernelContext result = context;
  SmallVector<int64_t> &offsets = result.axes[context.rowAxis].offsets;
  SmallVector<int64_t> neighbours;
  for (int64_t offset : offsets)
    neighbours.append({offset, offset + 1});
  offsets = neighbours;
  result.vectorSize = 1;
  return result;
}

Contractor::Contractor(OpBuilder &b, const KernelContext &context,
                       const ThreadLayout &layout, Int position)
    : context(context), layout(layout),
      columnLane(IntBuilder(b, context.loc).remUI(context.ids.lane, {{}, 4})),
      rowLane(IntBuilder(b, context.loc).divUI(context.ids.lane, {{}, 4})),
      columnContext(placeColumns(b, context, rowLane, position)),
      columnLayout(columnContext, layout.getAxes()),
      apartContext(placeApart(context)),
      apartLayout(apartContext, layout.getAxes()) {
  AxisSet held = context.contractions->getColumns();
  for (unsigned axis : held.set_bits())
    if (columnContext.axes[axis].offsets.size() == 1)
      held.reset(axis);
  columnTiles = columnLayout.positions(held);
  TileEvaluator columns(columnContext, columnLayout);
  for (const Contraction &contraction : context.contractions->getAll()) {
    if (contraction.isOverRow)
      continue;
    Factor factor = factorsOf(contraction).second;
    State elements = columns.evaluate(b, factor.value);
    AxisSet depth = columnLayout.reducedBy(contraction.reduce);
    for (const Position &tile : columnTiles) {
      State &words = columnWords[contraction.product].emplace_back();
      SmallVector<Position> positions = columnLayout.positions(depth, tile);
      for (size_t i = 0; i < positions.size(); i += 2)
        llvm::append_range(
            words,
            wordsOf(b, factor,
                    columnLayout.element(factor.value, elements, positions[i]),
                    columnLayout.element(factor.value, elements,
                                         positions[i + 1])));
    }
  }
}

/// Column `number` of the two that a thread has of `tile`, among the other
/// positions of a thread.
Position Contractor::columnOf(ArrayRef<unsigned> tile, unsigned number) const {
  Position position(tile);
  unsigned &pair = position[context.contractions->getPairAxis()];
  pair = 2 * pair + number;
  return position;
}

std::unique_ptr<TileEvaluator>
Contractor::evaluateApart(OpBuilder &b, TileEvaluator &row,
                          const TileEvaluator &tile) const {
  IntBuilder here(b, context.loc);
  Int base = here.add(here.sub(tile.getBase(), rowLane),
                      here.mul(columnLane, here.constant(2)));
  return std::make_unique<TileEvaluator>(row, apartLayout, b, base,
                                         tile.isPartial());
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

std::pair<Contractor::Factor, Contractor::Factor>
Contractor::factorsOf(const Contraction &contraction) {
  NarrowForm a = narrowFormOf(contraction.a), b = narrowFormOf(contraction.b);
  if (a.source && b.source && a.source.getType() == b.source.getType())
    return {{a.source, 1, true}, {b.source, 1, true}};
  auto factorOf = [](Value value, const NarrowForm &form) -> Factor {
    if (form.source && form.source.getType().isBF16())
      return {form.source, 1, true};
    return {value, form.numParts, false};
  };
  return {factorOf(contraction.a, a), factorOf(contraction.b, b)};
}

Value Contractor::neededBy(const Contraction &contraction) const {
  return factorsOf(contraction).first.value;
}

/// The bits of `numParts` numbers of type bf16, the leading bits of those of
/// f32, that add up to `number`: each takes the next eight of its digits.
static State splitNumber(OpBuilder &b, Location loc, Value number,
                         unsigned numParts) {
  Type i32 = b.getI32Type();
  Value leading = arith::ConstantOp::create(
      b, loc, b.getI32IntegerAttr(int32_t(0xFFFF0000)));
  State parts;
  for (unsigned left = numParts; left > 0; --left) {
    Value bits = arith::BitcastOp::create(b, loc, i32, number);
    parts.push_back(arith::AndIOp::create(b, loc, bits, leading));
    if (left == 1)
      break;
    Value part =
        arith::BitcastOp::create(b, loc, number.getType(), parts.back());
    number = arith::SubFOp::create(b, loc, number, part);
  }
  return parts;
}

/// `low` and `high` as pairs, one a part.
State Contractor::wordsOf(OpBuilder &b, const Factor &factor, Value low,
                          Value high) const {
  Location loc = context.loc;
  if (factor.isNarrow)
    return {vector::FromElementsOp::create(
        b, loc, VectorType::get({2}, low.getType()), ValueRange{low, high})};
  State lows = splitNumber(b, loc, low, factor.numParts);
  State highs = splitNumber(b, loc, high, factor.numParts);
  Value half = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(16));
  Type pairType = VectorType::get({2}, b.getBF16Type());
  State words;
  for (auto [first, second] : llvm::zip_equal(lows, highs)) {
    Value lower = arith::ShRUIOp::create(b, loc, first, half);
    Value word = arith::OrIOp::create(b, loc, lower, second);
    words.push_back(LLVM::BitcastOp::create(b, loc, pairType, word));
  }
  return words;
}

//===----------------------------------------------------------------------===//
// Sums inside the row
//===----------------------------------------------------------------------===//

/// `sums`, four of them, with a product of matrices.
static void multiply(OpBuilder &b, Location loc, ValueRange a, ValueRange words,
                     MutableArrayRef<Value> sums) {
  auto op =
      cluster::MmaOp::create(b, loc, a[0], a[1], a[2], a[3], words[0], words[1],
                             sums[0], sums[1], sums[2], sums[3]);
  llvm::copy(op.getResults(), sums.begin());
}

State Contractor::contractInner(OpBuilder &b, TileEvaluator &tile,
                                const Contraction &contraction) const {
  Location loc = context.loc;
  Factor factor = factorsOf(contraction).first;
  State elements = tile.evaluate(b, factor.value);
  AxisSet depth = layout.reducedBy(contraction.reduce);
  Value result = contraction.result();
  AxisSet axes = layout.of(result);
  State scores(layout.count(axes));
  Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
  const SmallVector<State> &columns =
      columnWords.find(contraction.product)->second;
  // By instruction: the words of eight positions and of the eight behind them.
  for (unsigned first = 0; first < tile.numElements(); first += 2) {
    State words[2];
    for (unsigned half : {0, 1}) {
      Position at(context.axes.size(), 0);
      at[context.rowAxis] = first + half;
      SmallVector<Position> positions = layout.positions(depth, at);
      for (size_t i = 0; i < positions.size(); i += 2)
        llvm::append_range(
            words[half],
            wordsOf(b, factor,
                    layout.element(factor.value, elements, positions[i]),
                    layout.element(factor.value, elements, positions[i + 1])));
    }
    for (auto [number, column] : llvm::enumerate(columnTiles)) {
      State sums(4, zero);
      for (size_t i = 0; i < words[0].size(); i += 2)
        multiply(b, loc,
                 {words[0][i], words[1][i], words[0][i + 1], words[1][i + 1]},
                 ValueRange(columns[number]).slice(i, 2), sums);
      for (unsigned half : {0, 1})
        for (unsigned pair : {0, 1}) {
          Position at = columnOf(column, pair);
          at[context.rowAxis] = first + half;
          scores[layout.indexOf(axes, at)] = sums[2 * half + pair];
        }
    }
  }
  return scores;
}

//===----------------------------------------------------------------------===//
// Sums over the row
//===----------------------------------------------------------------------===//

/// By position on the row and column: whether it is in the domain of `reduce`;
/// null where it is for sure.
State Contractor::domainsOf(OpBuilder &b, TileEvaluator &tile,
                            TileEvaluator &scope, ReduceOp reduce) const {
  AxisSet over = layout.getAxes().reducedBy(reduce);
  State inDomain;
  Value predicate = scope.predicateOf(reduce);
  if (predicate)
    inDomain = scope.evaluate(b, predicate);
  State domains;
  for (unsigned row = 0; row < tile.numElements(); ++row)
    for (const Position &column : columnTiles)
      for (unsigned pair : {0, 1}) {
        Position at = columnOf(column, pair);
        at[context.rowAxis] = row;
        Value domain = tile.isInside(b, over, at);
        if (predicate) {
          Value chosen = layout.element(predicate, inDomain, at);
          domain =
              domain
                  ? Value(arith::AndIOp::create(b, context.loc, domain, chosen))
                  : chosen;
        }
        domains.push_back(domain);
      }
  return domains;
}

/// `words`, by position on the row, are pairs of neighbours that a lane has of
/// the first factor. Where one is in the domain of no column, it may be
/// anything, and becomes 0: as 0 times infinity is none.
void Contractor::clearExcluded(OpBuilder &b, ArrayRef<State> words,
                               ArrayRef<Value> domains,
                               MutableArrayRef<State> cleared) const {
  Location loc = context.loc;
  Type i32 = b.getI32Type();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(i32, value));
  };
  size_t perRow = domains.size() / words.size();
  // Bit 4 g: whether position g of eight is in the domain of a column.
  Value first = constant(0x11111111), all = first;
  State used(words.size());
  for (size_t row = 0; row < words.size(); ++row) {
    ArrayRef<Value> its = domains.slice(row * perRow, perRow);
    if (llvm::is_contained(its, Value()))
      continue;
    Value any = its.front();
    for (Value other : its.drop_front())
      any = arith::OrIOp::create(b, loc, any, other);
    Value lanes = cluster::BallotOp::create(b, loc, i32, any);
    for (int64_t shift : {1, 2})
      lanes = arith::OrIOp::create(
          b, loc, lanes,
          arith::ShRUIOp::create(b, loc, lanes, constant(shift)));
    used[row] = arith::AndIOp::create(b, loc, lanes, first);
    all = arith::AndIOp::create(b, loc, all, used[row]);
  }
  llvm::copy(words, cleared.begin());
  if (llvm::none_of(used, [](Value lanes) { return bool(lanes); }))
    return;
  Value excludes =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, all, first);
  State flat;
  for (auto [row, its] : llvm::enumerate(words))
    if (used[row])
      llvm::append_range(flat, its);
  auto branch = scf::IfOp::create(b, loc, TypeRange(ValueRange(flat)), excludes,
                                  /*withElseRegion=*/true);
  {
    OpBuilder inner = branch.getThenBodyBuilder();
    State results;
    for (auto [row, its] : llvm::enumerate(words)) {
      if (!used[row])
        continue;
      IntBuilder here(inner, loc);
      auto constantHere = [&](int64_t value) {
        return here.materialise(here.constant(value));
      };
      Value mine = arith::ShRUIOp::create(
          inner, loc, used[row],
          here.materialise(here.mul(columnLane, here.constant(8))));
      // All bits of the half of a word that stays.
      Value low = arith::MulIOp::create(
          inner, loc, arith::AndIOp::create(inner, loc, mine, constantHere(1)),
          constantHere(0xFFFF));
      Value next = arith::AndIOp::create(
          inner, loc, arith::ShRUIOp::create(inner, loc, mine, constantHere(4)),
          constantHere(1));
      Value high = arith::MulIOp::create(inner, loc, next,
                                         constantHere(int32_t(0xFFFF0000)));
      Value mask = arith::OrIOp::create(inner, loc, low, high);
      for (Value word : its) {
        Value bits = LLVM::BitcastOp::create(inner, loc, i32, word);
        bits = arith::AndIOp::create(inner, loc, bits, mask);
        results.push_back(
            LLVM::BitcastOp::create(inner, loc, word.getType(), bits));
      }
    }
    scf::YieldOp::create(inner, loc, results);
    OpBuilder otherwise = branch.getElseBodyBuilder();
    scf::YieldOp::create(otherwise, loc, flat);
  }
  ValueRange results = branch.getResults();
  for (auto [row, its] : llvm::enumerate(cleared))
    if (used[row]) {
      its = State(results.take_front(its.size()));
      results = results.drop_front(its.size());
    }
}

/// By position of `tile` on the row: the words of `factor`, loaded apart, by
/// position on the rows and part, with pairs of neighbours on the row.
SmallVector<State> Contractor::wordsApart(OpBuilder &b, TileEvaluator &tile,
                                          const Factor &factor,
                                          ArrayRef<Position> rows,
                                          ArrayRef<Value> domains) const {
  State elements = tile.apart(b).evaluate(b, factor.value);
  SmallVector<State> words(tile.numElements());
  for (auto [row, its] : llvm::enumerate(words))
    for (Position at : rows) {
      at[context.rowAxis] = 2 * row;
      Value low = apartLayout.element(factor.value, elements, at);
      at[context.rowAxis] = 2 * row + 1;
      Value high = apartLayout.element(factor.value, elements, at);
      llvm::append_range(its, wordsOf(b, factor, low, high));
    }
  SmallVector<State> cleared(words.size());
  clearExcluded(b, words, domains, cleared);
  return cleared;
}

State Contractor::contractRow(OpBuilder &b, TileEvaluator &tile,
                              TileEvaluator &scope, ArrayRef<Contraction> sums,
                              State accumulators) const {
  Location loc = context.loc;
  ReduceOp reduce = sums.front().reduce;
  AxisSet states = layout.ofStates(reduce);
  AxisSet rows = states;
  rows.reset(context.contractions->getColumns());
  SmallVector<Position> results = layout.positions(rows);
  for (const Contraction &sum : sums)
    scope.evaluate(b, factorsOf(sum).second.value);
  State domains = domainsOf(b, tile, scope, reduce);
  // Sums of one reduction may have a factor in common.
  llvm::MapVector<Value, SmallVector<State>> apart;

  for (const Contraction &sum : sums) {
    Factor first, second;
    std::tie(first, second) = factorsOf(sum);
    SmallVector<State> &words = apart[first.value];
    if (words.empty())
      words = wordsApart(b, tile, first, results, domains);
    State weights = scope.evaluate(b, second.value);
    Value zero = arith::ConstantOp::create(
        b, loc, b.getFloatAttr(second.value.getType(), 0));
    auto weightAt = [&](ArrayRef<unsigned> at, size_t number) -> Value {
      Value weight = layout.element(second.value, weights, at);
      Value domain = domains[number];
      return domain
                 ? Value(arith::SelectOp::create(b, loc, domain, weight, zero))
                 : weight;
    };
    for (auto [number, column] : llvm::enumerate(columnTiles))
      for (unsigned row = 0; row < words.size(); row += 2) {
        // By part: the words of eight positions and of the eight behind them.
        SmallVector<State> ofParts(second.numParts);
        for (unsigned half : {0, 1}) {
          size_t domain = 2 * ((row + half) * columnTiles.size() + number);
          Position low = columnOf(column, 0), high = columnOf(column, 1);
          low[context.rowAxis] = high[context.rowAxis] = row + half;
          for (auto [part, word] :
               llvm::enumerate(wordsOf(b, second, weightAt(low, domain),
                                       weightAt(high, domain + 1))))
            ofParts[part].push_back(cluster::TransposeOp::create(b, loc, word));
        }
        for (size_t i = 0; i < results.size(); i += 2) {
          // Two results of each of the two columns.
          State four;
          SmallVector<unsigned> places;
          for (unsigned half : {0, 1})
            for (unsigned pair : {0, 1}) {
              Position at = columnOf(column, pair);
              for (unsigned axis : rows.set_bits())
                at[axis] = results[i + half][axis];
              places.push_back(layout.indexOf(states, at) * sums.size() +
                               sum.number);
              four.push_back(accumulators[places.back()]);
            }
          for (unsigned part = 0; part < first.numParts; ++part) {
            size_t at = i * first.numParts + part;
            size_t behind = at + first.numParts;
            State a{words[row][at], words[row][behind], words[row + 1][at],
                    words[row + 1][behind]};
            for (unsigned other = 0;
                 other < second.numParts && part + other < mostParts; ++other)
              multiply(b, loc, a, ofParts[other], four);
          }
          for (auto [place, value] : llvm::zip_equal(places, four))
            accumulators[place] = value;
        }
      }
  }
  return accumulators;
}
