//===- TileAccess.cpp - Loads and stores of a tile ------------------------===//
//
// Addresses are a 64-bit base of the row and a 32-bit offset in it. Elements of
// unit stride are loaded and stored 16 bytes at a time; elements beyond the end
// of the row are read from inside it, and not stored.
//
//===----------------------------------------------------------------------===//

#include "CacheHints.h"
#include "TileEvaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

using namespace mlir;
using namespace cascade;

static unsigned bytesOf(Type type) {
  return type.isIndex() ? 8 : (type.getIntOrFloatBitWidth() + 7) / 8;
}

Type cascade::storageType(OpBuilder &b, Type type) {
  if (type.isInteger(1))
    return b.getI8Type();
  if (type.isIndex())
    return b.getI64Type();
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8)
    return b.getI8Type();
  return type;
}

Value cascade::fromStorage(OpBuilder &b, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (type.isInteger(1)) {
    Value zero = arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(0));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, zero);
  }
  if (type.isIndex())
    return arith::IndexCastOp::create(b, loc, type, value);
  return arith::BitcastOp::create(b, loc, type, value);
}

static Value toStorage(OpBuilder &b, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (value.getType().isInteger(1))
    return arith::ExtUIOp::create(b, loc, type, value);
  if (value.getType().isIndex())
    return arith::IndexCastOp::create(b, loc, type, value);
  return arith::BitcastOp::create(b, loc, type, value);
}

/// Evaluates an affine expression of the axes, which have `indices`.
static Int evaluateExpr(IntBuilder &ints, AffineExpr expr,
                        ArrayRef<Int> indices) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return ints.constant(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return indices[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Int lhs = evaluateExpr(ints, binary.getLHS(), indices);
  Int rhs = evaluateExpr(ints, binary.getRHS(), indices);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return ints.add(lhs, rhs);
  case AffineExprKind::Mul:
    return ints.mul(lhs, rhs);
  case AffineExprKind::Mod:
    return ints.remUI(lhs, rhs);
  case AffineExprKind::FloorDiv:
    return ints.divUI(lhs, rhs);
  default:
    return ints.ceilDiv(lhs, rhs);
  }
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

TileEvaluator::Run
TileEvaluator::accessRun(const BufferArgument &buffer) const {
  for (const AxisPlan &axis : context.plan.axes) {
    int64_t vector = axis.sizeAt(Level::Vector);
    if (axis.axis == context.rowAxis)
      vector = context.vectorSize;
    if (vector == 1 || !isUnitStride(buffer.map, axis.axis))
      continue;
    unsigned widest = MappingPlan::accessBytes / bytesOf(buffer.elementType);
    // A thread may be at some of its positions only.
    unsigned held = context.axes[axis.axis].offsets.size();
    unsigned width = std::min<unsigned>(vector, std::max(1u, widest));
    return {axis.axis, std::gcd(width, held)};
  }
  return {context.rowAxis, 1};
}

/// The distance in memory, in elements, of neighbours on `axis`, where that is
/// a constant.
static std::optional<int64_t> strideOf(const BufferArgument &buffer,
                                       unsigned axis) {
  AffineExpr expr = getAffineDimExpr(axis, buffer.map.getContext());
  int64_t stride = 0, ofDim = 1;
  for (unsigned dim = buffer.map.getNumResults(); dim-- > 0;) {
    AffineExpr index = buffer.map.getResult(dim);
    if (index == expr)
      stride += ofDim;
    else if (index.isFunctionOfDim(axis))
      return std::nullopt;
    if (!buffer.shape[dim].constant) {
      // What is further out is at an unknown distance.
      for (unsigned outer = 0; outer < dim; ++outer)
        if (buffer.map.getResult(outer).isFunctionOfDim(axis))
          return std::nullopt;
      return stride;
    }
    ofDim *= *buffer.shape[dim].constant;
  }
  return stride;
}

Value TileEvaluator::address(OpBuilder &b, const BufferArgument &buffer,
                             ArrayRef<unsigned> position, Run run) const {
  Location loc = context.loc;
  IntBuilder ints(b, loc);
  Type i64 = b.getI64Type();
  Type element = storageType(b, buffer.elementType);
  Type pointer = buffer.pointer.getType();
  auto wide = [&](Int x) -> Value {
    if (x.constant)
      return arith::ConstantOp::create(b, loc,
                                       b.getI64IntegerAttr(*x.constant));
    return arith::ExtSIOp::create(b, loc, i64, x.value);
  };
  // Indices on the axes. Distances that are constant are left for the end, so
  // that accesses of one thread share the arithmetic before them.
  unsigned rank = buffer.map.getNumResults();
  SmallVector<Int> indices(context.plan.axes.size(), ints.constant(0));
  int64_t distance = 0;
  for (unsigned axis = 0; axis < indices.size(); ++axis) {
    if (!buffer.map.isFunctionOfDim(axis))
      continue;
    bool isRow = axis == context.rowAxis;
    const AxisPlace &place = context.axes[axis];
    bool isBounded = isRow ? !validity.empty() : !place.validity.empty();
    std::optional<int64_t> stride = strideOf(buffer, axis);
    bool isLast = rank > 0 && isUnitStride(buffer.map, axis);
    if (isBounded) {
      bool isLimited = isRow && limits;
      Int end = isLimited ? limits->end : context.extents[axis];
      Int last = ints.sub(end, ints.constant(axis == run.axis ? run.width : 1));
      Int index = indexOn(ints, axis, position[axis]);
      if (isLimited)
        index = ints.maxSI(index, limits->begin);
      indices[axis] = ints.minSI(index, last);
    } else if (stride && !(isRow && isLast)) {
      indices[axis] = isRow ? base : place.base;
      distance += *stride * place.offsets[position[axis]];
    } else {
      indices[axis] = indexOn(ints, axis, position[axis]);
    }
  }
  // Linear index of the dimensions that do not name the axis of unit stride, in
  // 64 bits, and the 32-bit index in the last dimension where it alone does.
  Value linear;
  Int inLast = ints.constant(0);
  for (unsigned dim = 0; dim < rank; ++dim) {
    AffineExpr expr = buffer.map.getResult(dim);
    Int index = evaluateExpr(ints, expr, indices);
    auto bare = dyn_cast<AffineDimExpr>(expr);
    if (dim + 1 == rank && bare && isUnitStride(buffer.map, bare.getPosition()))
      std::swap(index, inLast);
    Value wideIndex = wide(index);
    if (linear) {
      Value scaled =
          arith::MulIOp::create(b, loc, linear, wide(buffer.shape[dim]));
      linear = arith::AddIOp::create(b, loc, scaled, wideIndex);
    } else {
      linear = wideIndex;
    }
  }
  Value at = buffer.pointer;
  auto advance = [&](Value elements) {
    at = LLVM::GEPOp::create(b, loc, pointer, element, at,
                             ArrayRef<LLVM::GEPArg>{elements},
                             LLVM::GEPNoWrapFlags::inbounds);
  };
  if (linear)
    advance(linear);
  if (inLast.value || *inLast.constant != 0)
    advance(wide(inLast));
  if (distance != 0)
    advance(wide(ints.constant(distance)));
  return at;
}

Value TileEvaluator::keptPlace(OpBuilder &b, unsigned input,
                               unsigned first) const {
  auto it = llvm::find(context.keptInputs, input);
  if (!context.kept || it == context.keptInputs.end())
    return {};
  IntBuilder ints(b, context.loc);
  int64_t number = it - context.keptInputs.begin();
  Int element = ints.add(place, ints.constant(context.elementOffsets()[first]));
  Int access = ints.divUI(element, ints.constant(context.vectorSize));
  access = ints.add(access, ints.constant(number * context.accessesOfBlock));
  return arith::IndexCastUIOp::create(b, context.loc, b.getIndexType(),
                                      ints.materialise(access));
}

/// Bytes of a line of the L1 cache.
static constexpr int64_t cacheLineBytes = 128;

CacheHint TileEvaluator::hintOf(unsigned input) const {
  CacheHint hint;
  hint.streams = context.streams;
  if (!llvm::is_contained(context.cachedInputs, input))
    return hint;
  // What is released goes past the L1 cache, too.
  hint.streams |= released.contains(input);
  hint.policy =
      released.contains(input) ? context.releaseFromCache : context.keepInCache;
  return hint;
}

void TileEvaluator::prefetch(OpBuilder &b, ValueRange inputs) {
  for (Value input : inputs)
    if (!values.contains(input))
      values[input] = load(b, cast<BlockArgument>(input), /*early=*/true);
}

SmallVector<Value> TileEvaluator::load(OpBuilder &b, BlockArgument argument,
                                       bool early) {
  Location loc = context.loc;
  unsigned input = argument.getArgNumber();
  if (context.scalars[input])
    return {context.scalars[input]};
  const BufferArgument &buffer = context.inputs[input];
  Type element = storageType(b, buffer.elementType);
  IntBuilder ints(b, loc);
  Run run = accessRun(buffer);
  AxisSet varies = layout.of(argument);
  CacheHint hint = rowScope().hintOf(input);
  // Not more than the thread has of it.
  if (!varies.test(run.axis))
    run.width = 1;
  // The rest of a line that lanes take in part is for their next load.
  if (context.plan.axes[run.axis].sizeAt(Level::Lane) *
          MappingPlan::accessBytes <
      cacheLineBytes)
    hint.streams = false;
  auto loadAt = [&](ArrayRef<unsigned> position) -> Value {
    Type type =
        run.width == 1 ? element : VectorType::get({run.width}, element);
    unsigned bytes = run.width * bytesOf(buffer.elementType);
    bool isWide = run.width > 1 && bytes == MappingPlan::accessBytes;
    Value at = address(b, buffer, position, run);
    if (isWide && (hint.streams || hint.policy || early))
      return loadHinted(b, loc, type, at, hint, early);
    auto op = LLVM::LoadOp::create(b, loc, type, at, bytes);
    op.setInvariant(true);
    return op;
  };
  TileEvaluator &row = rowScope();
  bool isKept = row.kept.contains(input);
  SmallVector<std::pair<Value, Value>> toKeep;
  SmallVector<Value> elements(layout.count(varies));
  for (const Position &first : layout.positions(varies)) {
    if (run.width > 1 && first[run.axis] % run.width != 0)
      continue;
    Value loaded;
    Value place = varies.test(context.rowAxis)
                      ? keptPlace(b, input, first[context.rowAxis])
                      : Value();
    if (isKept)
      loaded = vector::BitCastOp::create(
          b, loc, VectorType::get({run.width}, element),
          memref::LoadOp::create(b, loc, context.kept, place));
    else
      loaded = loadAt(first);
    if (place && !isKept)
      toKeep.push_back({place, loaded});
    Position position = first;
    for (unsigned i = 0; i < run.width; ++i) {
      Value value =
          run.width == 1
              ? loaded
              : Value(vector::ExtractOp::create(b, loc, loaded, int64_t(i)));
      elements[layout.indexOf(varies, position)] =
          fromStorage(b, loc, value, buffer.elementType);
      ++position[run.axis];
    }
  }
  for (auto [place, loaded] : toKeep) {
    auto type = cast<MemRefType>(context.kept.getType()).getElementType();
    Value words = vector::BitCastOp::create(b, loc, type, loaded);
    memref::StoreOp::create(b, loc, words, context.kept, place);
    row.loadedToKeep.insert(input);
  }
  return elements;
}

void TileEvaluator::store(OpBuilder &b, unsigned output, Value value,
                          ArrayRef<Value> elements) {
  Location loc = context.loc;
  const BufferArgument &buffer = context.outputs[output];
  Type element = storageType(b, buffer.elementType);
  Run run = accessRun(buffer);
  AxisSet varies = layout.ofMap(buffer.map);
  if (!varies.test(run.axis))
    run.width = 1;
  auto guarded = [&](Value condition, auto emit) {
    if (!condition)
      return emit(b);
    auto ifOp = scf::IfOp::create(b, loc, condition, /*withElse=*/false);
    OpBuilder inner = ifOp.getThenBodyBuilder();
    emit(inner);
  };
  auto storeAt = [&](OpBuilder &b, const Position &first) {
    SmallVector<Value> stored;
    Position position = first;
    for (unsigned i = 0; i < run.width; ++i, ++position[run.axis])
      stored.push_back(toStorage(
          b, loc, layout.element(value, elements, position), element));
    Value whole = stored[0];
    if (run.width > 1)
      whole = vector::FromElementsOp::create(
          b, loc, VectorType::get({run.width}, element), stored);
    unsigned bytes = run.width * bytesOf(buffer.elementType);
    Value pointer = address(b, buffer, first, run);
    // The row is read again from the L2 cache, which its results must not
    // push it out of.
    bool isResident =
        !isTile() || context.kept ||
        (context.numTiles.constant && *context.numTiles.constant == 1);
    if (!isResident && run.width > 1 && bytes == MappingPlan::accessBytes)
      storeStreaming(b, loc, whole, pointer);
    else
      LLVM::StoreOp::create(b, loc, whole, pointer, bytes);
  };
  Value stores = IntBuilder(b, loc).both(context.firsts[output],
                                         context.firstRows[output]);
  SmallVector<Position> firsts = layout.positions(varies);
  llvm::erase_if(firsts, [&](const Position &first) {
    return run.width > 1 && first[run.axis] % run.width != 0;
  });
  // Also on axes of which the thread has one position.
  AxisSet named(context.plan.axes.size());
  bool isBounded = false;
  for (unsigned axis = 0; axis < named.size(); ++axis) {
    if (!buffer.map.isFunctionOfDim(axis))
      continue;
    named.set(axis);
    isBounded |= axis == context.rowAxis ? !validity.empty()
                                         : !context.axes[axis].validity.empty();
  }
  if (!isTile() && !isBounded)
    return guarded(stores, [&](OpBuilder &b) {
      for (const Position &first : firsts)
        storeAt(b, first);
    });
  for (const Position &first : firsts) {
    Value condition = stores;
    if (Value inside = isInside(b, named, first))
      condition = condition
                      ? Value(arith::AndIOp::create(b, loc, condition, inside))
                      : inside;
    guarded(condition, [&](OpBuilder &b) { storeAt(b, first); });
  }
}
