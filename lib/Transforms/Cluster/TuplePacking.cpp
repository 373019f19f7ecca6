//===- TuplePacking.cpp - Tuples as 32-bit words --------------------------===//

#include "cascade/Transforms/Cluster/TuplePacking.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cascade::cluster;

static constexpr int64_t kWordBits = 32;
/// The widest message has four words.
static constexpr int64_t kMaxChunkWords = 4;

/// Bits that a scalar takes in a tuple: an i1 takes a byte.
static int64_t getStorageBits(Type type) {
  return std::max<int64_t>(8, type.getIntOrFloatBitWidth());
}

TuplePacking::TuplePacking(TypeRange elements)
    : elements(elements.begin(), elements.end()) {
  for (Type element : elements) {
    auto vector = dyn_cast<VectorType>(element);
    types.append(vector ? vector.getNumElements() : 1,
                 getElementTypeOrSelf(element));
  }
  places.resize(types.size());
  // Widest first: no element straddles a word and only the end is padded.
  int64_t bits = 0;
  for (int64_t width : {64, 32, 16, 8})
    for (auto [index, type] : llvm::enumerate(types)) {
      if (getStorageBits(type) != width)
        continue;
      places[index] = {bits / kWordBits, bits % kWordBits};
      bits += width;
    }
  numWords = llvm::divideCeil(bits, kWordBits);
  chunkWords = numWords == 1 ? 1 : numWords == 2 ? 2 : kMaxChunkWords;
  numChunks = llvm::divideCeil(numWords, chunkWords);
  Type word = IntegerType::get(types.front().getContext(), kWordBits);
  chunkType = chunkWords == 1 ? word : VectorType::get({chunkWords}, word);
}

static Value makeConstant(OpBuilder &builder, Location loc, Type type,
                          int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getIntegerAttr(type, value));
}

/// `value` as an integer of its width.
static Value toInteger(OpBuilder &builder, Location loc, Value value) {
  Type type = value.getType();
  if (isa<IntegerType>(type))
    return value;
  return arith::BitcastOp::create(
      builder, loc, builder.getIntegerType(type.getIntOrFloatBitWidth()),
      value);
}

static Value fromInteger(OpBuilder &builder, Location loc, Type type,
                         Value value) {
  if (value.getType() == type)
    return value;
  return arith::BitcastOp::create(builder, loc, type, value);
}

/// The scalars of a tuple, vectors taken apart.
static SmallVector<Value> toScalars(OpBuilder &builder, Location loc,
                                    ValueRange values) {
  SmallVector<Value> scalars;
  for (Value value : values) {
    auto vector = dyn_cast<VectorType>(value.getType());
    if (!vector)
      scalars.push_back(value);
    for (int64_t at = 0; vector && at < vector.getNumElements(); ++at)
      scalars.push_back(vector::ExtractOp::create(builder, loc, value, at));
  }
  return scalars;
}

SmallVector<Value> TuplePacking::fromScalars(OpBuilder &builder, Location loc,
                                             ArrayRef<Value> scalars) const {
  SmallVector<Value> values;
  for (Type element : elements) {
    auto vector = dyn_cast<VectorType>(element);
    size_t count = vector ? vector.getNumElements() : 1;
    values.push_back(vector ? vector::FromElementsOp::create(
                                  builder, loc, vector,
                                  ValueRange(scalars.take_front(count)))
                            : scalars.front());
    scalars = scalars.drop_front(count);
  }
  return values;
}

SmallVector<Value> TuplePacking::toWords(OpBuilder &builder, Location loc,
                                         ValueRange values) const {
  Type word = builder.getI32Type();
  SmallVector<Value> words(numWords);
  auto place = [&](int64_t index, Value bits) {
    words[index] = words[index]
                       ? arith::OrIOp::create(builder, loc, words[index], bits)
                       : bits;
  };
  for (auto [value, at] :
       llvm::zip_equal(toScalars(builder, loc, values), places)) {
    Value bits = toInteger(builder, loc, value);
    int64_t width = bits.getType().getIntOrFloatBitWidth();
    if (width == 2 * kWordBits) {
      Value shift = makeConstant(builder, loc, bits.getType(), kWordBits);
      Value high = arith::ShRUIOp::create(builder, loc, bits, shift);
      place(at.word, arith::TruncIOp::create(builder, loc, word, bits));
      place(at.word + 1, arith::TruncIOp::create(builder, loc, word, high));
      continue;
    }
    if (width < kWordBits)
      bits = arith::ExtUIOp::create(builder, loc, word, bits);
    if (at.bit != 0)
      bits = arith::ShLIOp::create(builder, loc, bits,
                                   makeConstant(builder, loc, word, at.bit));
    place(at.word, bits);
  }
  return words;
}

SmallVector<Value> TuplePacking::fromWords(OpBuilder &builder, Location loc,
                                           ValueRange words) const {
  Type word = builder.getI32Type();
  Type pair = builder.getI64Type();
  SmallVector<Value> scalars;
  for (auto [type, at] : llvm::zip_equal(types, places)) {
    Value bits = words[at.word];
    int64_t width = type.getIntOrFloatBitWidth();
    if (width == 2 * kWordBits) {
      Value low = arith::ExtUIOp::create(builder, loc, pair, bits);
      Value high =
          arith::ExtUIOp::create(builder, loc, pair, words[at.word + 1]);
      Value shift = makeConstant(builder, loc, pair, kWordBits);
      bits = arith::OrIOp::create(
          builder, loc, low, arith::ShLIOp::create(builder, loc, high, shift));
    } else {
      if (at.bit != 0)
        bits = arith::ShRUIOp::create(builder, loc, bits,
                                      makeConstant(builder, loc, word, at.bit));
      if (width < kWordBits)
        bits = arith::TruncIOp::create(builder, loc,
                                       builder.getIntegerType(width), bits);
    }
    scalars.push_back(fromInteger(builder, loc, type, bits));
  }
  return fromScalars(builder, loc, scalars);
}

SmallVector<Value> TuplePacking::toChunks(OpBuilder &builder, Location loc,
                                          ValueRange values) const {
  SmallVector<Value> words = toWords(builder, loc, values);
  if (chunkWords == 1)
    return words;
  // Padding repeats a word: any value does.
  words.resize(numChunks * chunkWords, words.front());
  SmallVector<Value> chunks;
  for (int64_t chunk = 0; chunk < numChunks; ++chunk)
    chunks.push_back(vector::FromElementsOp::create(
        builder, loc, cast<VectorType>(chunkType),
        ValueRange(words).slice(chunk * chunkWords, chunkWords)));
  return chunks;
}

SmallVector<Value> TuplePacking::fromChunks(OpBuilder &builder, Location loc,
                                            ValueRange chunks) const {
  if (chunkWords == 1)
    return fromWords(builder, loc, chunks);
  SmallVector<Value> words;
  for (int64_t word = 0; word < numWords; ++word)
    words.push_back(vector::ExtractOp::create(
        builder, loc, chunks[word / chunkWords], word % chunkWords));
  return fromWords(builder, loc, words);
}
