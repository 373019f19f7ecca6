//===- Combine.cpp - Combining tuples within a block ----------------------===//
//
// Every combination takes the state of the lower rank first, so that all
// threads compute the same bits.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "cascade/Dialect/Cluster/IR/KindTable.h"
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
/// A tuple of more words takes long code to merge (the list of a topk does): it
/// is merged in loops, with one copy of the code a collective and level.
static constexpr int64_t kMaxUnrolledWords = 12;

//===----------------------------------------------------------------------===//
// Merger
//===----------------------------------------------------------------------===//

Merger::Merger(AllReduceOp op) : op(op) {
  isCommutative = op.getKinds().has_value();
  if (!isCommutative)
    return;
  for (auto [attr, type] :
       llvm::zip_equal(*op.getKinds(), op.getInputs().getTypes()))
    isCommutative &= commutesBitwise(cast<KindAttr>(attr).getValue(), type);
}

SmallVector<Value> Merger::operator()(OpBuilder &builder, Location loc,
                                      ValueRange lower,
                                      ValueRange higher) const {
  SmallVector<Value> merged;
  AllReduceOp reduce = op;
  if (reduce.getKinds()) {
    for (auto [attr, lhs, rhs] :
         llvm::zip_equal(*reduce.getKinds(), lower, higher))
      merged.push_back(buildCombine(builder, loc,
                                    cast<KindAttr>(attr).getValue(), lhs, rhs));
    return merged;
  }
  Block &body = reduce.getMerge().front();
  IRMapping map;
  map.map(body.getArguments().take_front(lower.size()), lower);
  map.map(body.getArguments().drop_front(lower.size()), higher);
  for (Operation &nested : body.without_terminator())
    builder.clone(nested, map);
  for (Value value : body.getTerminator()->getOperands())
    merged.push_back(map.lookupOrDefault(value));
  return merged;
}

//===----------------------------------------------------------------------===//
// Small builders
//===----------------------------------------------------------------------===//

Value Expansion::constant(int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI32IntegerAttr(value));
}

Value Expansion::add(Value lhs, Value rhs) {
  return arith::AddIOp::create(builder, loc, lhs, rhs);
}

Value Expansion::scale(Value value, int64_t factor) {
  if (factor == 1)
    return value;
  return arith::MulIOp::create(builder, loc, value, constant(factor));
}

Value Expansion::both(Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return arith::AndIOp::create(builder, loc, lhs, rhs);
}

Value Expansion::below(Value value, int64_t limit) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, value,
                               constant(limit));
}

Value Expansion::toIndex(Value value) {
  return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                      value);
}

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
  Value first = scale(tuple, packing.getNumChunks());
  for (auto [index, chunk] :
       llvm::enumerate(packing.toChunks(builder, loc, values))) {
    Value at = index == 0 ? first : add(first, constant(index));
    memref::StoreOp::create(builder, loc, chunk, buffer, toIndex(at));
  }
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

void Expansion::guarded(Value condition, function_ref<void()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(builder, loc, condition);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  body();
}

//===----------------------------------------------------------------------===//
// Combinations
//===----------------------------------------------------------------------===//

bool Expansion::isLarge() const {
  return packing.getNumWords() > kMaxUnrolledWords;
}

SmallVector<Value> Expansion::butterflyRound(ValueRange state, Value lane,
                                             Value stride, Value groupMask,
                                             int64_t present) {
  auto select = [&](Value condition, ValueRange ifTrue, ValueRange ifFalse) {
    SmallVector<Value> chosen;
    for (auto [lhs, rhs] : llvm::zip_equal(ifTrue, ifFalse))
      chosen.push_back(
          arith::SelectOp::create(builder, loc, condition, lhs, rhs));
    return chosen;
  };
  Value width = constant(kWarpSize), distance = scale(stride, who.stride);
  SmallVector<Value> words;
  for (Value word : packing.toWords(builder, loc, state))
    words.push_back(gpu::ShuffleOp::create(builder, loc, word, distance, width,
                                           gpu::ShuffleMode::XOR)
                        .getShuffleResult());
  SmallVector<Value> partner = packing.fromWords(builder, loc, words);
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
  Block &body = op.getLanewise().front();
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
    Expansion inner(builder, ofLanes, kernel);
    SmallVector<Value> reduced =
        inner.butterfly(ofLanes.getInputs(), inner.who.laneInGroup, size, size);
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
  bool isWhole = present == size && size > 2;
  return isWhole && !op.getLanewise().empty()
             ? lanewise(values, size)
             : butterfly(values, lane, size, present);
}

SmallVector<Value> Expansion::combine(Value buffer, Value first, int64_t stride,
                                      int64_t count) {
  int64_t size = llvm::PowerOf2Ceil(count);
  int64_t readByAll =
      isLarge() || !op.getLanewise().empty() ? 2 : kMaxReadByAll;
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
  SmallVector<SmallVector<Value>> states;
  for (int64_t k = 0; k < count; ++k)
    states.push_back(
        load(buffer, k == 0 ? first : add(first, constant(k * stride))));
  // Neighbours in pairs: in rank order, log2 steps deep.
  while (states.size() > 1) {
    SmallVector<SmallVector<Value>> merged;
    for (size_t k = 0; k + 1 < states.size(); k += 2)
      merged.push_back(merge(builder, loc, states[k], states[k + 1]));
    if (states.size() % 2 != 0)
      merged.push_back(states.back());
    states = std::move(merged);
  }
  return states.front();
}
