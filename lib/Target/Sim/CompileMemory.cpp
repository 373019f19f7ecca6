//===- CompileMemory.cpp - Memory, threads and clusters -------------------===//

#include "KernelCompiler.h"
#include "cascade/Dialect/Cluster/IR/Cluster.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace cascade::sim;
using namespace cascade::cluster;
using cascade::runtime::byteSize;

bool cascade::sim::isSharedMemory(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return false;
  auto space = dyn_cast_if_present<IntegerAttr>(memref.getMemorySpace());
  return isSharedMemRef(type) ||
         (space && space.getInt() == kClusterMemorySpace);
}

/// Scalars of an element and bytes of a scalar in memory.
static unsigned countOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}
static unsigned scalarBytesOf(Type type) {
  return byteSize(*scalarTypeOf(type));
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

LogicalResult KernelCompiler::addIndices(Value memref, ValueRange indices,
                                         SmallVectorImpl<Index> &list) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.hasStaticShape() || !type.getLayout().isIdentity() ||
      !scalarTypeOf(type.getElementType()))
    return failure();
  int64_t stride =
      countOf(type.getElementType()) * scalarBytesOf(type.getElementType());
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    int64_t extent = type.getDimSize(dim);
    list.push_back({getOne(indices[dim]), extent, stride});
    stride *= extent;
  }
  return success();
}

Instr &KernelCompiler::emitAccess(Kind kind, Access access) {
  bool isShared = kind != Kind::GlobalLoad && kind != Kind::GlobalStore;
  if (isShared && kind < Kind::MBarrierInit)
    program.sharedGranule = std::min(program.sharedGranule, access.scalarBytes);
  Instr &instr = emit(kind);
  instr.access = program.accesses.size();
  program.accesses.push_back(std::move(access));
  return instr;
}

LogicalResult KernelCompiler::emitMemRefAccess(Value memref, ValueRange indices,
                                               Type type,
                                               const Registers &scalars,
                                               bool isStore) {
  Access access;
  access.address = getOne(memref);
  access.values.assign(scalars.begin(), scalars.end());
  access.scalarBytes = scalarBytesOf(type);
  access.alignment = access.bytes();
  if (failed(addIndices(memref, indices, access.indices)))
    return failure();
  bool isShared = isSharedMemory(memref.getType());
  Kind kind = isStore ? (isShared ? Kind::SharedStore : Kind::GlobalStore)
                      : (isShared ? Kind::SharedLoad : Kind::GlobalLoad);
  emitAccess(kind, std::move(access));
  return success();
}

LogicalResult KernelCompiler::emitMemoryOp(Operation *op) {
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    Registers results = define(load.getResult());
    return emitMemRefAccess(load.getMemRef(), load.getIndices(), load.getType(),
                            results, /*isStore=*/false);
  }
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    Registers scalars = get(store.getValue());
    return emitMemRefAccess(store.getMemRef(), store.getIndices(),
                            store.getValue().getType(), scalars,
                            /*isStore=*/true);
  }
  // Of consecutive elements, as one access.
  if (auto load = dyn_cast<vector::LoadOp>(op)) {
    Registers results = define(load.getResult());
    return emitMemRefAccess(load.getBase(), load.getIndices(), load.getType(),
                            results, /*isStore=*/false);
  }
  if (auto store = dyn_cast<vector::StoreOp>(op)) {
    Registers scalars = get(store.getValueToStore());
    return emitMemRefAccess(store.getBase(), store.getIndices(),
                            store.getValueToStore().getType(), scalars,
                            /*isStore=*/true);
  }
  return failure();
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

static bool isGlobalPointer(Value value) {
  auto type = dyn_cast<LLVM::LLVMPointerType>(value.getType());
  return type && (type.getAddressSpace() == 1 || type.getAddressSpace() == 0);
}

static bool isCachePolicy(LLVM::InlineAsmOp op) {
  StringRef text = op.getAsmString();
  return text.consume_front("createpolicy.fractional.L2::evict_") &&
         (text == "last.b64 $0, 1.0;" || text == "first.b64 $0, 1.0;");
}

/// The accesses that carry cache hints, which LLVM has no operations for, and
/// the policies that L2::cache_hint takes:
///   ld.global[.nc][.HINT...].vN.b32|b64 {...}, [$k][, $policy];
///   st.global[.HINT...].vN.b32|b64 [$0], {...};
///   createpolicy.fractional.L2::PRIORITY.b64 $0, 1.0;
/// No hint changes what an access does.
LogicalResult KernelCompiler::emitInlineAsm(Operation *op) {
  auto inlineAsm = cast<LLVM::InlineAsmOp>(op);
  StringRef text = inlineAsm.getAsmString();
  // A copy of which the compiler does not know the origin.
  if (text.empty() && inlineAsm.getConstraints() == "=r,0") {
    Registers same = get(op->getOperand(0));
    values[op->getResult(0)] = same;
    return success();
  }
  if (isCachePolicy(inlineAsm)) {
    values[op->getResult(0)] = {constant(0, true)};
    return success();
  }
  StringRef mnemonic = text.take_until([](char c) { return c == ' '; });
  bool isLoad = mnemonic.consume_front("ld.global.");
  if (!isLoad && !mnemonic.consume_front("st.global."))
    return failure();
  SmallVector<StringRef> parts;
  mnemonic.split(parts, '.');
  Access access;
  access.scalarBytes = parts.back() == "b64" ? 8 : 4;
  access.isReadOnly = isLoad && llvm::is_contained(parts, "nc");
  if (parts.back() != "b32" && parts.back() != "b64")
    return failure();
  Value address = op->getOperand(0);
  if (!isGlobalPointer(address))
    return failure();
  access.address = getOne(address);
  if (isLoad) {
    bool hasPolicy = llvm::is_contained(parts, "L2::cache_hint");
    if (op->getNumOperands() != (hasPolicy ? 2 : 1) || op->getNumResults() != 1)
      return failure();
    auto policy = hasPolicy
                      ? op->getOperand(1).getDefiningOp<LLVM::InlineAsmOp>()
                      : LLVM::InlineAsmOp();
    if (hasPolicy && (!policy || !isCachePolicy(policy)))
      return failure();
    Registers results = define(op->getResult(0));
    access.values.assign(results.begin(), results.end());
  } else {
    Registers scalars = flatten(op->getOperands().drop_front());
    access.values.assign(scalars.begin(), scalars.end());
  }
  access.alignment = access.bytes();
  emitAccess(isLoad ? Kind::GlobalLoad : Kind::GlobalStore, std::move(access));
  return success();
}

LogicalResult KernelCompiler::emitPointerOp(Operation *op) {
  if (isa<LLVM::InlineAsmOp>(op))
    return emitInlineAsm(op);
  if (isa<LLVM::BitcastOp>(op))
    return emitBitcast(op);
  if (auto extract = dyn_cast<LLVM::ExtractValueOp>(op)) {
    if (extract.getPosition().size() != 1)
      return failure();
    uint32_t member = get(extract.getContainer())[extract.getPosition()[0]];
    values[op->getResult(0)] = {member};
    return success();
  }
  if (auto gep = dyn_cast<LLVM::GEPOp>(op)) {
    if (!isGlobalPointer(gep.getBase()) || gep.getIndices().size() != 1 ||
        !scalarTypeOf(gep.getElemType()))
      return failure();
    int64_t bytes =
        countOf(gep.getElemType()) * scalarBytesOf(gep.getElemType());
    uint32_t base = getOne(gep.getBase()), offset;
    auto index = gep.getIndices()[0];
    if (auto number = dyn_cast<IntegerAttr>(index)) {
      offset = constant(number.getInt() * bytes, true);
    } else {
      Value value = cast<Value>(index);
      ElementType type = *scalarTypeOf(value.getType());
      uint32_t wide = getOne(value);
      if (!isWide(type)) {
        wide = newRegister(true);
        emitCompute(findConversion("arith.extsi", type, ElementType::I64), wide,
                    getOne(value));
      }
      offset = newRegister(true);
      emitCompute(findIntegerOp("arith.muli", ElementType::I64).compute, offset,
                  wide, constant(bytes, true));
    }
    uint32_t result = define(gep.getResult()).front();
    emitCompute(findIntegerOp("arith.addi", ElementType::I64).compute, result,
                base, offset);
    return success();
  }
  auto load = dyn_cast<LLVM::LoadOp>(op);
  auto store = dyn_cast<LLVM::StoreOp>(op);
  if (!load && !store)
    return failure();
  Value address = load ? load.getAddr() : store.getAddr();
  Type type = load ? load.getType() : store.getValue().getType();
  if (!isGlobalPointer(address) || !scalarTypeOf(type))
    return failure();
  Access access;
  access.address = getOne(address);
  access.scalarBytes = scalarBytesOf(type);
  Registers scalars = load ? define(load.getResult()) : get(store.getValue());
  access.values.assign(scalars.begin(), scalars.end());
  access.isReadOnly = load && load.getInvariant();
  // Without an alignment, that of one scalar.
  std::optional<uint64_t> alignment =
      load ? load.getAlignment() : store.getAlignment();
  access.alignment = alignment.value_or(access.scalarBytes);
  emitAccess(load ? Kind::GlobalLoad : Kind::GlobalStore, std::move(access));
  return success();
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

LogicalResult KernelCompiler::emitThreadOp(Operation *op) {
  auto set = [&](uint32_t reg) {
    values[op->getResult(0)] = {reg};
    return success();
  };
  auto dimension = [&](Special first, gpu::Dimension which) {
    return set(special(Special(unsigned(first) + unsigned(which))));
  };
  if (auto id = dyn_cast<gpu::ThreadIdOp>(op))
    return dimension(Special::ThreadX, id.getDimension());
  if (auto id = dyn_cast<gpu::BlockIdOp>(op))
    return dimension(Special::BlockX, id.getDimension());
  if (auto size = dyn_cast<gpu::BlockDimOp>(op))
    return dimension(Special::BlockDimX, size.getDimension());
  if (auto size = dyn_cast<gpu::GridDimOp>(op))
    return dimension(Special::GridDimX, size.getDimension());
  if (auto id = dyn_cast<gpu::ClusterIdOp>(op))
    return dimension(Special::ClusterIdX, id.getDimension());
  if (auto size = dyn_cast<gpu::ClusterDimOp>(op))
    return dimension(Special::ClusterDimX, size.getDimension());
  if (isa<gpu::BarrierOp>(op)) {
    emit(Kind::BlockBarrier);
    return success();
  }
  if (auto shuffle = dyn_cast<gpu::ShuffleOp>(op)) {
    auto type = scalarTypeOf(shuffle.getValue().getType());
    if (!type || isa<VectorType>(shuffle.getValue().getType()))
      return failure();
    uint32_t value = getOne(shuffle.getValue());
    uint32_t offset = getOne(shuffle.getOffset());
    uint32_t width = getOne(shuffle.getWidth());
    uint32_t result = define(shuffle.getShuffleResult()).front();
    uint32_t valid = define(shuffle.getValid()).front();
    Instr &instr = emit(Kind::Shuffle);
    instr.dst = result;
    instr.a = value;
    instr.b = valid;
    instr.c = offset;
    instr.imm = int64_t(shuffle.getMode()) | int64_t(isWide(*type)) << 8;
    Access access;
    access.rank = width;
    instr.access = program.accesses.size();
    program.accesses.push_back(access);
    return success();
  }
  return failure();
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

/// The buffers of mbarriers are never views.
void KernelCompiler::noteMBarrier(Value memref) {
  gpu::GPUFuncOp func = program.func;
  for (auto [buffer, attribution] :
       llvm::zip_equal(program.shared, func.getWorkgroupAttributions()))
    buffer.holdsMBarriers |= attribution == memref;
}

LogicalResult KernelCompiler::emitClusterOp(Operation *op) {
  auto mbarrierOf = [&](Value memref, ValueRange indices, Access &access) {
    noteMBarrier(memref);
    access.mbarrier = getOne(memref);
    return addIndices(memref, indices, access.mbarrierIndices);
  };
  auto mbarrierOp = [&](Kind kind, Value memref, ValueRange indices,
                        Value operand) -> LogicalResult {
    Access access;
    if (failed(mbarrierOf(memref, indices, access)))
      return failure();
    emitAccess(kind, std::move(access)).a = getOne(operand);
    return success();
  };
  if (isa<RankOp>(op)) {
    values[op->getResult(0)] = {special(Special::ClusterRank)};
    return success();
  }
  if (isa<SizeOp>(op)) {
    values[op->getResult(0)] = {special(Special::ClusterSize)};
    return success();
  }
  if (isa<AnyOp, BallotOp>(op)) {
    uint32_t condition = getOne(op->getOperand(0));
    uint32_t result = define(op->getResult(0)).front();
    Instr &instr = emit(Kind::Vote);
    instr.dst = result;
    instr.a = condition;
    instr.imm = isa<BallotOp>(op);
    return success();
  }
  if (isa<MmaOp, TransposeOp>(op)) {
    Access access;
    for (uint32_t reg : flatten(op->getOperands()))
      access.values.push_back(reg);
    for (Value result : op->getResults())
      llvm::append_range(access.values, define(result));
    Instr &instr = emit(isa<MmaOp>(op) ? Kind::Multiply : Kind::Transpose);
    instr.imm = getElementTypeOrSelf(op->getOperand(0).getType()).isBF16();
    instr.access = program.accesses.size();
    program.accesses.push_back(std::move(access));
    return success();
  }
  if (auto barrier = dyn_cast<BarrierOp>(op)) {
    if (barrier.getPhase() != BarrierPhase::Wait)
      emit(Kind::ClusterArrive).imm =
          barrier.getOrdering() == Ordering::Relaxed;
    if (barrier.getPhase() != BarrierPhase::Arrive)
      emit(Kind::ClusterWait);
    return success();
  }
  if (auto arrive = dyn_cast<ArriveLastOp>(op)) {
    uint32_t counter = getOne(arrive.getCounter());
    uint32_t count = getOne(arrive.getCount());
    uint32_t result = define(arrive.getLast()).front();
    Instr &instr = emit(Kind::ArriveLast);
    instr.dst = result;
    instr.a = counter;
    instr.b = count;
    program.hasArrivals = true;
    return success();
  }
  if (isa<WarpBarrierOp>(op)) {
    emit(Kind::WarpBarrier);
    return success();
  }
  if (auto fence = dyn_cast<FenceOp>(op)) {
    emit(Kind::Fence).imm = static_cast<int64_t>(fence.getKind());
    return success();
  }
  if (auto map = dyn_cast<MapSharedOp>(op)) {
    // Replaces the rank in the address.
    uint32_t result = define(map.getResult()).front();
    uint32_t offset = newRegister(false);
    emitCompute(extractBitsOp(true, ElementType::I32), offset,
                getOne(map.getSource()));
    uint32_t low = newRegister(true);
    emitCompute(insertBitsOp(false, true), low, offset);
    emitCompute(insertBitsOp(false, true), result, getOne(map.getRank()), low)
        .imm = 32;
    return success();
  }
  if (auto store = dyn_cast<StoreAsyncOp>(op)) {
    Access access;
    Type type = store.getValue().getType();
    access.address = getOne(store.getDest());
    Registers scalars = get(store.getValue());
    access.values.assign(scalars.begin(), scalars.end());
    access.scalarBytes = scalarBytesOf(type);
    access.alignment = access.bytes();
    access.rank = getOne(store.getRank());
    if (failed(
            addIndices(store.getDest(), store.getIndices(), access.indices)) ||
        failed(mbarrierOf(store.getMbarrier(), store.getMbarrierIndices(),
                          access)))
      return failure();
    emitAccess(Kind::StoreAsync, std::move(access));
    return success();
  }
  if (auto copy = dyn_cast<CopyAsyncOp>(op)) {
    Access access;
    access.address = getOne(copy.getDest());
    access.source = getOne(copy.getSource());
    access.rank = getOne(copy.getRank());
    access.alignment = kBulkAlignment;
    if (failed(addIndices(copy.getDest(), copy.getDestIndices(),
                          access.indices)) ||
        failed(addIndices(copy.getSource(), copy.getSourceIndices(),
                          access.sourceIndices)) ||
        failed(
            mbarrierOf(copy.getMbarrier(), copy.getMbarrierIndices(), access)))
      return failure();
    emitAccess(Kind::CopyAsync, std::move(access)).a = getOne(copy.getBytes());
    return success();
  }
  if (auto load = dyn_cast<LoadAsyncOp>(op)) {
    Access access;
    access.address = getOne(load.getDest());
    access.source = getOne(load.getSource());
    access.alignment = kBulkAlignment;
    if (failed(addIndices(load.getDest(), load.getIndices(), access.indices)) ||
        failed(
            mbarrierOf(load.getMbarrier(), load.getMbarrierIndices(), access)))
      return failure();
    emitAccess(Kind::LoadAsync, std::move(access)).a = getOne(load.getBytes());
    return success();
  }
  if (auto init = dyn_cast<MBarrierInitOp>(op))
    return mbarrierOp(Kind::MBarrierInit, init.getMbarrier(), init.getIndices(),
                      init.getCount());
  if (auto expect = dyn_cast<MBarrierExpectTxOp>(op))
    return mbarrierOp(Kind::MBarrierExpectTx, expect.getMbarrier(),
                      expect.getIndices(), expect.getBytes());
  if (auto wait = dyn_cast<MBarrierWaitOp>(op))
    return mbarrierOp(Kind::MBarrierWait, wait.getMbarrier(), wait.getIndices(),
                      wait.getParity());
  return failure();
}
