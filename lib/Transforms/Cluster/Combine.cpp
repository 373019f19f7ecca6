//===- Combine.cpp - Tuples in shared memory, and combining them ----------===//
//
// Every combination takes the state of the lower rank first, so that all
// threads compute the same bits.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cascade::cluster;

/// Up to this many tuples, every thread reads all of them: fewer steps than a
/// butterfly, and shared memory broadcasts.
static constexpr int64_t kMaxReadByAll = 4;
/// The same where a merge is an instruction a word, by words of all tuples.
static constexpr int64_t kMaxWordsReadByAll = 16;
/// A tuple of more words takes long code to merge (the list of a topk does): it
/// is merged in loops, with one copy of the code a collective and level.
static constexpr int64_t kMaxUnrolledWords = 12;
/// The same where a merge is an instruction a word.
static constexpr int64_t kMaxUnrolledWordsOfKinds = 32;

Value Expansion::allocate(int64_t tuples) {
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                          gpu::AddressSpace::Workgroup);
  auto type =
      MemRefType::get({tuples * packing.getNumChunks()}, packing.getChunkType(),
                      MemRefLayoutAttrInterface(), space);
  gpu::GPUFuncOp func = kernel.func;
  return func.addWorkgroupAttribution(type, loc);
}

void Expansion::store(Value buffer, Value tuple, ValueRange values) {
  storeAll(buffer, tuple, {SmallVector<Value>(values)});
}

void Expansion::storeAll(Value buffer, Value first,
                         ArrayRef<SmallVector<Value>> tuples) {
  Value place = scale(first, packing.getNumChunks());
  int64_t index = 0;
  asOneAccess([&] {
    for (ValueRange values : tuples)
      for (Value chunk : packing.toChunks(builder, loc, values))
        memref::StoreOp::create(builder, loc, chunk, buffer,
                                toIndex(add(place, index++)));
  });
}

SmallVector<Value> Expansion::load(Value buffer, Value tuple) {
  Value first = scale(tuple, packing.getNumChunks());
  SmallVector<Value> chunks;
  for (int64_t index = 0; index < packing.getNumChunks(); ++index) {
    Value at = index == 0 ? first : add(first, constant(index));
    chunks.push_back(memref::LoadOp::create(builder, loc, buffer, toIndex(at)));
  }
  return packing.fromChunks(builder, loc, chunks);
}

SmallVector<SmallVector<Value>>
Expansion::loadAll(Value buffer, Value first, int64_t stride, int64_t count) {
  SmallVector<SmallVector<Value>> tuples;
  for (int64_t k = 0; k < count; ++k)
    tuples.push_back(load(buffer, add(first, k * stride)));
  return tuples;
}

//===----------------------------------------------------------------------===//
// Combinations
//===----------------------------------------------------------------------===//

SmallVector<Value> Expansion::shuffle(ValueRange values, Value offset,
                                      gpu::ShuffleMode mode) {
  Value width = constant(kWarpSize);
  SmallVector<Value> words;
  for (Value word : packing.toWords(builder, loc, values))
    words.push_back(
        gpu::ShuffleOp::create(builder, loc, word, offset, width, mode)
            .getShuffleResult());
  return packing.fromWords(builder, loc, words);
}

SmallVector<Value> Expansion::select(Value condition, ValueRange ifTrue,
                                     ValueRange ifFalse) {
  SmallVector<Value> chosen;
  for (auto [lhs, rhs] : llvm::zip_equal(ifTrue, ifFalse))
    chosen.push_back(
        arith::SelectOp::create(builder, loc, condition, lhs, rhs));
  return chosen;
}

static bool hasLanewise(const Collective &collective) {
  return collective.lanewise && !collective.lanewise->empty();
}

bool Expansion::isLarge() const {
  return packing.getNumWords() >
         (collective.kinds ? kMaxUnrolledWordsOfKinds : kMaxUnrolledWords);
}

SmallVector<Value> Expansion::butterflyRound(ValueRange state, Value lane,
                                             Value stride, Value groupMask,
                                             int64_t present) {
  SmallVector<Value> partner =
      shuffle(state, scale(stride, who.stride), gpu::ShuffleMode::XOR);
  if (merge.commutes() && !groupMask)
    return merge(builder, loc, state, partner);
  Value bit = arith::AndIOp::create(builder, loc, lane, stride);
  Value isUpper = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                        bit, constant(0));
  SmallVector<Value> lower = select(isUpper, partner, state);
  SmallVector<Value> upper = select(isUpper, state, partner);
  SmallVector<Value> merged = merge(builder, loc, lower, upper);
  if (!groupMask)
    return merged;
  Value group = arith::AndIOp::create(builder, loc, lane, groupMask);
  return select(below(add(group, stride), present), merged, lower);
}

SmallVector<Value> Expansion::butterflyLoop(ValueRange values, Value lane,
                                            int64_t size, int64_t present) {
  auto loop =
      scf::ForOp::create(builder, loc, constant(0),
                         constant(llvm::Log2_64(size)), constant(1), values);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value stride =
      arith::ShLIOp::create(builder, loc, constant(1), loop.getInductionVar());
  Value groupMask;
  if (present < size)
    groupMask = arith::MulIOp::create(builder, loc, stride, constant(-2));
  scf::YieldOp::create(builder, loc,
                       butterflyRound(loop.getRegionIterArgs(), lane, stride,
                                      groupMask, present));
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> Expansion::butterfly(ValueRange values, Value lane,
                                        int64_t size, int64_t present) {
  if (isLarge() && size > 2)
    return butterflyLoop(values, lane, size, present);
  SmallVector<Value> state(values);
  for (int64_t stride = 1; stride < size; stride *= 2) {
    // The tuples of a lane's 2 * stride neighbours are those of the lower and
    // of the upper half; the upper half may be absent at the end.
    int64_t tail = present % (2 * stride);
    bool halfAbsent = present < size && tail > 0 && tail <= stride;
    Value groupMask = halfAbsent ? constant(~(2 * stride - 1)) : Value();
    state = butterflyRound(state, lane, constant(stride), groupMask, present);
  }
  return state;
}

SmallVector<Value> Expansion::lanewise(ValueRange values, int64_t size) {
  Block &body = collective.lanewise->front();
  IRMapping map;
  map.map(body.getArguments(), values);
  for (Operation &nested : body.without_terminator()) {
    auto reduce = dyn_cast<AllReduceOp>(nested);
    if (!reduce) {
      builder.clone(nested, map);
      continue;
    }
    auto ofLanes = cast<AllReduceOp>(builder.clone(nested, map));
    ofLanes.setLanes(size);
    ofLanes.setStride(who.stride);
    Collective ofLanesOnly = *Collective::get(ofLanes);
    Expansion inner(builder, ofLanesOnly, kernel);
    SmallVector<Value> reduced =
        inner.butterfly(ofLanesOnly.inputs, inner.who.laneInGroup, size, size);
    map.map(reduce.getResults(), reduced);
    ofLanes.erase();
  }
  SmallVector<Value> combined;
  for (Value value : body.getTerminator()->getOperands())
    combined.push_back(map.lookupOrDefault(value));
  return combined;
}

SmallVector<Value> Expansion::combineLanes(ValueRange values, Value lane,
                                           int64_t size, int64_t present) {
  // Of two small states a merge takes one exchange, the region one after
  // another; but a merge corrects both, and selects which is the lower.
  constexpr int64_t smallWords = 4;
  bool isFaster = size > 2 || packing.getNumWords() > smallWords;
  return present == size && isFaster && hasLanewise(collective)
             ? lanewise(values, size)
             : butterfly(values, lane, size, present);
}

SmallVector<Value> Expansion::combine(Value buffer, Value first, int64_t stride,
                                      int64_t count) {
  int64_t size = llvm::PowerOf2Ceil(count);
  int64_t readByAll = isLarge() || hasLanewise(collective) ? 2 : kMaxReadByAll;
  if (collective.kinds)
    readByAll = std::max(readByAll, kMaxWordsReadByAll / packing.getNumWords());
  if (count > readByAll && size <= who.lanes) {
    // Lane k reads tuple k; absent ones repeat the last, and do not count.
    Value place = arith::AndIOp::create(builder, loc, who.laneInGroup,
                                        constant(size - 1));
    Value present = place;
    if (count < size)
      present =
          arith::MinUIOp::create(builder, loc, place, constant(count - 1));
    SmallVector<Value> mine = load(buffer, add(first, scale(present, stride)));
    return combineLanes(mine, place, size, count);
  }
  return merge.all(builder, loc, loadAll(buffer, first, stride, count));
}
