//===- SharedEffects.cpp - Accesses of shared memory ----------------------===//

#include "SharedEffects.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace cascade::cluster;

/// The address space of a memref or pointer, or -1.
static int64_t getSpace(Type type) {
  if (auto pointer = dyn_cast<LLVM::LLVMPointerType>(type))
    return pointer.getAddressSpace();
  if (isSharedMemRef(type))
    return kSharedMemorySpace;
  if (auto memref = dyn_cast<MemRefType>(type))
    if (auto space = dyn_cast_if_present<IntegerAttr>(memref.getMemorySpace()))
      return space.getInt();
  return -1;
}

static bool isShared(Type type) {
  int64_t space = getSpace(type);
  return space == kSharedMemorySpace || space == kClusterMemorySpace;
}

/// What names the memory behind views and pointer arithmetic: a workgroup
/// buffer, or the symbol's first address.
static Value getBuffer(Value value, gpu::GPUFuncOp func) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(op))
      value = view.getViewSource();
    else if (auto gep = dyn_cast<LLVM::GEPOp>(op))
      value = gep.getBase();
    else if (auto castOp = dyn_cast<LLVM::AddrSpaceCastOp>(op))
      value = castOp.getArg();
    else
      break;
  }
  // Every address of one symbol names the same memory.
  auto address = value.getDefiningOp<LLVM::AddressOfOp>();
  if (!address)
    return value;
  Value first = value;
  func.walk([&](LLVM::AddressOfOp other) {
    if (other.getGlobalName() != address.getGlobalName())
      return WalkResult::advance();
    first = other;
    return WalkResult::interrupt();
  });
  return first;
}

SharedEffects::SharedEffects(gpu::GPUFuncOp func) : func(func) {
  for (auto [index, buffer] : llvm::enumerate(func.getWorkgroupAttributions()))
    if (func.getWorkgroupAttributionAttr(index, kThreadPrivateAttrName))
      ordered.insert(buffer);
  func.walk([&](Operation *op) {
    SmallVector<Value> memory;
    if (auto store = dyn_cast<StoreAsyncOp>(op))
      memory = {store.getDest(), store.getMbarrier()};
    else if (auto copy = dyn_cast<CopyAsyncOp>(op))
      memory = {copy.getMbarrier()};
    else if (auto load = dyn_cast<LoadAsyncOp>(op))
      memory = {load.getDest(), load.getMbarrier()};
    else if (auto init = dyn_cast<MBarrierInitOp>(op))
      memory = {init.getMbarrier()};
    for (Value value : memory)
      ordered.insert(getBuffer(value, func));
  });
}

void SharedEffects::collect(Operation *op,
                            SmallVectorImpl<SharedAccess> &accesses) const {
  if (auto copy = dyn_cast<CopyAsyncOp>(op)) {
    Value mbarrier = getBuffer(copy.getMbarrier(), func);
    accesses.push_back({op, getBuffer(copy.getSource(), func),
                        /*isWrite=*/false, /*isRemote=*/true, mbarrier});
    accesses.push_back({op, getBuffer(copy.getDest(), func), /*isWrite=*/true,
                        /*isRemote=*/true, mbarrier});
    return;
  }
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface)
    return;
  SmallVector<MemoryEffects::EffectInstance> effects;
  interface.getEffects(effects);
  for (const MemoryEffects::EffectInstance &effect : effects) {
    Value value = effect.getValue();
    bool isWrite = isa<MemoryEffects::Write>(effect.getEffect());
    if (!value || !isShared(value.getType()) ||
        !(isWrite || isa<MemoryEffects::Read>(effect.getEffect())))
      continue;
    Value buffer = getBuffer(value, func);
    if (!ordered.contains(buffer))
      accesses.push_back({op, buffer, isWrite,
                          getSpace(value.getType()) == kClusterMemorySpace});
  }
}

Value SharedEffects::getMBarrier(MBarrierWaitOp op) const {
  return getBuffer(op.getMbarrier(), func);
}

/// Whether `index` is different in every thread: the thread's number along x in
/// a block of one dimension, plus a constant.
bool SharedEffects::isThreadNumber(Value index) const {
  gpu::GPUFuncOp kernel = func;
  std::optional<ArrayRef<int32_t>> block = kernel.getKnownBlockSize();
  if (!block || (*block)[1] != 1 || (*block)[2] != 1)
    return false;
  while (Operation *op = index.getDefiningOp()) {
    if (auto thread = dyn_cast<gpu::ThreadIdOp>(op))
      return thread.getDimension() == gpu::Dimension::x;
    if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtUIOp,
            arith::ExtSIOp>(op)) {
      index = op->getOperand(0);
      continue;
    }
    if (isa<arith::AddIOp>(op) &&
        matchPattern(op->getOperand(1), m_Constant())) {
      index = op->getOperand(0);
      continue;
    }
    return false;
  }
  return false;
}

static ValueRange getIndices(Operation *op) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return load.getIndices();
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return store.getIndices();
  return {};
}

bool SharedEffects::conflict(const SharedAccess &first,
                             const SharedAccess &second) const {
  if (first.buffer != second.buffer || !(first.isWrite || second.isWrite))
    return false;
  if (first.isInBlock && !second.isRemote)
    return false;
  if (first.isRemote || second.isRemote)
    return true;
  ValueRange indices = getIndices(first.op);
  bool isOwn =
      !indices.empty() && indices == getIndices(second.op) &&
      llvm::any_of(indices, [&](Value index) { return isThreadNumber(index); });
  return !isOwn;
}
