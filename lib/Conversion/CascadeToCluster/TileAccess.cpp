//===- TileAccess.cpp - Loads and stores of a tile ------------------------===//
//
// Addresses are a 64-bit base of the row and a 32-bit offset in it. Elements of
// unit stride are loaded and stored 16 bytes at a time; elements beyond the end
// of the row are read from inside it, and not stored.
//
//===----------------------------------------------------------------------===//

#include "TileEvaluator.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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

/// Evaluates an affine expression of the axes; the row axis has `rowIndex`, and
/// the axis of a list `entry`.
static Int evaluateExpr(IntBuilder &ints, AffineExpr expr,
                        const KernelContext &context, Int rowIndex,
                        unsigned entry) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return ints.constant(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    if (context.isListAxis(dim.getPosition()))
      return ints.constant(entry);
    return dim.getPosition() == context.rowAxis
               ? rowIndex
               : context.rowIndex[dim.getPosition()];
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Int lhs = evaluateExpr(ints, binary.getLHS(), context, rowIndex, entry);
  Int rhs = evaluateExpr(ints, binary.getRHS(), context, rowIndex, entry);
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
// Streaming accesses
//===----------------------------------------------------------------------===//

/// The words of a 16-byte access, as inline assembly takes them: LLVM has no
/// cache hints for NVPTX.
static constexpr unsigned wordsOfAccess = MappingPlan::accessBytes / 4;

static LLVM::InlineAsmOp accessAsm(OpBuilder &b, Location loc, Type result,
                                   ValueRange operands, StringRef text,
                                   StringRef constraints, bool hasEffects) {
  return LLVM::InlineAsmOp::create(
      b, loc, result, operands, text, constraints, hasEffects,
      /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
}

/// Loads 16 bytes with a cache hint; `fixed` keeps it where it is.
static Value loadHinted(OpBuilder &b, Location loc, Type type, Value address,
                        StringRef hint, bool fixed) {
  SmallVector<Type> types(wordsOfAccess, b.getI32Type());
  Type result = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  std::string text =
      ("ld.global.nc" + hint + ".v4.b32 {$0, $1, $2, $3}, [$4];").str();
  auto op = accessAsm(b, loc, result, address, text, "=r,=r,=r,=r,l",
                      /*hasEffects=*/fixed);
  SmallVector<Value> words;
  for (unsigned i = 0; i < wordsOfAccess; ++i)
    words.push_back(LLVM::ExtractValueOp::create(b, loc, op.getRes(), i));
  Value bits = vector::FromElementsOp::create(
      b, loc, VectorType::get({wordsOfAccess}, b.getI32Type()), words);
  return vector::BitCastOp::create(b, loc, type, bits);
}

/// Stores 16 bytes that are the first to leave the cache.
static void storeStreaming(OpBuilder &b, Location loc, Value value,
                           Value address) {
  Type type = VectorType::get({wordsOfAccess}, b.getI32Type());
  Value words = vector::BitCastOp::create(b, loc, type, value);
  SmallVector<Value> operands{address};
  for (unsigned i = 0; i < wordsOfAccess; ++i)
    operands.push_back(vector::ExtractOp::create(b, loc, words, int64_t(i)));
  accessAsm(b, loc, Type(), operands,
            "st.global.cs.v4.b32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r",
            /*hasEffects=*/true);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

unsigned TileEvaluator::accessWidth(const BufferArgument &buffer) const {
  if (context.vectorSize == 1 || !isUnitStride(buffer.map, context.rowAxis))
    return 1;
  unsigned widest = MappingPlan::accessBytes / bytesOf(buffer.elementType);
  return std::min<unsigned>(context.vectorSize, std::max(1u, widest));
}

Value TileEvaluator::address(OpBuilder &b, const BufferArgument &buffer,
                             Int rowIndex, unsigned entry) const {
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
  // Linear index of the dimensions that do not name the row axis, in 64 bits,
  // and the 32-bit index in the last dimension where it alone names it.
  Value linear;
  unsigned rank = buffer.map.getNumResults();
  AffineExpr rowExpr = getAffineDimExpr(context.rowAxis, b.getContext());
  bool lastIsRow = rank > 0 && buffer.map.getResult(rank - 1) == rowExpr;
  for (unsigned dim = 0; dim < rank; ++dim) {
    Int index = lastIsRow && dim + 1 == rank
                    ? ints.constant(0)
                    : evaluateExpr(ints, buffer.map.getResult(dim), context,
                                   rowIndex, entry);
    Value wideIndex = wide(index);
    if (linear) {
      Value scaled =
          arith::MulIOp::create(b, loc, linear, wide(buffer.shape[dim]));
      linear = arith::AddIOp::create(b, loc, scaled, wideIndex);
    } else {
      linear = wideIndex;
    }
  }
  Value base = buffer.pointer;
  if (linear)
    base = LLVM::GEPOp::create(b, loc, pointer, element, base,
                               ArrayRef<LLVM::GEPArg>{linear},
                               LLVM::GEPNoWrapFlags::inbounds);
  if (lastIsRow)
    base = LLVM::GEPOp::create(b, loc, pointer, element, base,
                               ArrayRef<LLVM::GEPArg>{wide(rowIndex)},
                               LLVM::GEPNoWrapFlags::inbounds);
  return base;
}

Value TileEvaluator::keptPlace(OpBuilder &b, unsigned input,
                               unsigned first) const {
  auto it = llvm::find(context.keptInputs, input);
  if (!context.kept || it == context.keptInputs.end())
    return {};
  IntBuilder ints(b, context.loc);
  int64_t number = it - context.keptInputs.begin();
  Int element = ints.add(place, ints.constant(context.elementOffsets[first]));
  Int access = ints.divUI(element, ints.constant(context.vectorSize));
  access = ints.add(access, ints.constant(number * context.accessesOfBlock));
  return arith::IndexCastUIOp::create(b, context.loc, b.getIndexType(),
                                      ints.materialise(access));
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
  auto loadOne = [&](Int rowIndex, unsigned width, unsigned entry) -> Value {
    Type type = width == 1 ? element : VectorType::get({width}, element);
    bool isWide = width > 1 && width * bytesOf(buffer.elementType) ==
                                   MappingPlan::accessBytes;
    if (isWide && (context.streams || early))
      return loadHinted(b, loc, type, address(b, buffer, rowIndex, entry),
                        context.streams ? ".L1::no_allocate" : "", early);
    auto op =
        LLVM::LoadOp::create(b, loc, type, address(b, buffer, rowIndex, entry),
                             width * bytesOf(buffer.elementType));
    op.setInvariant(true);
    return op;
  };
  SmallVector<Value> elements;
  if (!axes.of(argument).test(context.rowAxis)) {
    for (unsigned entry = 0; entry < countOf(argument); ++entry)
      elements.push_back(fromStorage(
          b, loc, loadOne(ints.constant(0), 1, entry), buffer.elementType));
    return elements;
  }
  unsigned width = accessWidth(buffer);
  TileEvaluator &row = rowScope();
  bool isKept = row.kept.contains(input);
  SmallVector<std::pair<Value, Value>> toKeep;
  for (unsigned first = 0; first < numElements(); first += width) {
    Value loaded;
    Value place = keptPlace(b, input, first);
    if (isKept) {
      loaded = vector::BitCastOp::create(
          b, loc, VectorType::get({width}, element),
          memref::LoadOp::create(b, loc, context.kept, place));
    } else {
      Int index = ints.add(base, ints.constant(context.elementOffsets[first]));
      if (!validity.empty()) {
        Int last =
            ints.sub(context.extents[context.rowAxis], ints.constant(width));
        index = ints.minSI(index, last);
      }
      loaded = loadOne(index, width, 0);
    }
    if (place && !isKept)
      toKeep.push_back({place, loaded});
    for (unsigned i = 0; i < width; ++i) {
      Value value =
          width == 1
              ? loaded
              : Value(vector::ExtractOp::create(b, loc, loaded, int64_t(i)));
      elements.push_back(fromStorage(b, loc, value, buffer.elementType));
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

/// The axes that `map`, of bare axes, mentions.
static AxisSet axesOf(AffineMap map) {
  AxisSet axes(map.getNumDims());
  for (AffineExpr expr : map.getResults())
    axes.set(cast<AffineDimExpr>(expr).getPosition());
  return axes;
}

void TileEvaluator::store(OpBuilder &b, unsigned output,
                          ArrayRef<Value> elements) {
  Location loc = context.loc;
  const BufferArgument &buffer = context.outputs[output];
  Type element = storageType(b, buffer.elementType);
  IntBuilder ints(b, loc);
  auto guarded = [&](Value condition, auto emit) {
    if (!condition)
      return emit(b);
    auto ifOp = scf::IfOp::create(b, loc, condition, /*withElse=*/false);
    OpBuilder inner = ifOp.getThenBodyBuilder();
    emit(inner);
  };
  if (!isTile()) {
    std::optional<unsigned> list = listAxisIn(context, axesOf(buffer.map));
    unsigned count = list ? context.plan.axes[*list].extent : 1;
    guarded(context.isLeader, [&](OpBuilder &b) {
      for (unsigned entry = 0; entry < count; ++entry)
        LLVM::StoreOp::create(
            b, loc, toStorage(b, loc, elementOf(elements, entry), element),
            address(b, buffer, ints.constant(0), entry),
            bytesOf(buffer.elementType));
    });
    return;
  }
  unsigned width = accessWidth(buffer);
  for (unsigned first = 0; first < numElements(); first += width) {
    Value condition = context.rowValid;
    if (Value inside = valid(first))
      condition = condition
                      ? Value(arith::AndIOp::create(b, loc, condition, inside))
                      : inside;
    guarded(condition, [&](OpBuilder &b) {
      IntBuilder ints(b, loc);
      SmallVector<Value> stored;
      for (unsigned i = 0; i < width; ++i)
        stored.push_back(
            toStorage(b, loc, elementOf(elements, first + i), element));
      Value value = stored[0];
      if (width > 1)
        value = vector::FromElementsOp::create(
            b, loc, VectorType::get({width}, element), stored);
      Int index = ints.add(base, ints.constant(context.elementOffsets[first]));
      unsigned bytes = width * bytesOf(buffer.elementType);
      Value pointer = address(b, buffer, index);
      // The row is read again from the L2 cache, which its results must not
      // push it out of.
      bool isResident = context.kept || (context.numTiles.constant &&
                                         *context.numTiles.constant == 1);
      if (!isResident && width > 1 && bytes == MappingPlan::accessBytes)
        storeStreaming(b, loc, value, pointer);
      else
        LLVM::StoreOp::create(b, loc, value, pointer, bytes);
    });
  }
}
