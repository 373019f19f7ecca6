//===- ClusterOps.cpp - Primitives of the cluster dialect -----------------===//

#include "OpSupport.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace cascade::cluster;

//===----------------------------------------------------------------------===//
// Checks shared by the primitives
//===----------------------------------------------------------------------===//

LogicalResult cascade::cluster::verifyInKernel(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp()) {
    if (isa<gpu::GPUFuncOp, gpu::LaunchOp>(parent) ||
        parent->getName().getStringRef() == "llvm.func")
      return success();
    if (isa<FunctionOpInterface>(parent)) {
      InFlightDiagnostic diag =
          op->emitOpError("works only in a kernel: move it into a gpu.func");
      diag.attachNote(parent->getLoc()) << "the enclosing function is here";
      return diag;
    }
  }
  return op->emitOpError("works only in a kernel: move it into a gpu.func");
}

/// A note at the gpu.func that says what its clusters are.
static void noteClusterSize(InFlightDiagnostic &diag, Operation *op) {
  if (auto func = op->getParentOfType<gpu::GPUFuncOp>())
    diag.attachNote(func.getLoc())
        << "the kernel's known_cluster_size makes clusters of "
        << *getKnownClusterSize(op) << " blocks";
}

/// A constant rank must be one of the cluster's.
static LogicalResult verifyRank(Operation *op, Value rank) {
  APInt value;
  if (!matchPattern(rank, m_ConstantInt(&value)))
    return success();
  std::optional<int64_t> known = getKnownClusterSize(op);
  int64_t size = known.value_or(kMaxClusterSize);
  if (value.getSExtValue() >= 0 && value.getSExtValue() < size)
    return success();
  InFlightDiagnostic diag = op->emitOpError()
                            << "operand 'rank' is " << value.getSExtValue()
                            << ", outside the cluster: use 0 to " << size - 1;
  if (known)
    noteClusterSize(diag, op);
  return diag;
}

static LogicalResult verifyShared(Operation *op, StringRef operand,
                                  Value memref) {
  if (isSharedMemRef(memref.getType()))
    return success();
  return op->emitOpError() << "operand '" << operand << "' of type "
                           << memref.getType()
                           << " must be in the shared memory of this block: "
                              "give it #gpu.address_space<workgroup>";
}

static LogicalResult verifyIndices(Operation *op, StringRef operand,
                                   Value memref, ValueRange indices) {
  int64_t rank = cast<MemRefType>(memref.getType()).getRank();
  if (static_cast<int64_t>(indices.size()) == rank)
    return success();
  return op->emitOpError() << "operand '" << operand << "' of rank " << rank
                           << " needs as many indices, not " << indices.size();
}

static LogicalResult verifyMBarrier(Operation *op, Value mbarrier,
                                    ValueRange indices) {
  if (failed(verifyInKernel(op)) ||
      failed(verifyShared(op, "mbarrier", mbarrier)))
    return failure();
  return verifyIndices(op, "mbarrier", mbarrier, indices);
}

/// A constant `operand` must be within [low, high].
static LogicalResult verifyRange(Operation *op, StringRef operand, Value value,
                                 int64_t low, int64_t high) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)) ||
      (constant.getSExtValue() >= low && constant.getSExtValue() <= high))
    return success();
  return op->emitOpError() << "operand '" << operand << "' is "
                           << constant.getSExtValue() << "; use " << low
                           << " to " << high;
}

//===----------------------------------------------------------------------===//
// rank, size
//===----------------------------------------------------------------------===//

LogicalResult RankOp::verify() { return verifyInKernel(*this); }

OpFoldResult RankOp::fold(FoldAdaptor) {
  if (getKnownClusterSize(*this) == 1)
    return IntegerAttr::get(getType(), 0);
  return {};
}

LogicalResult SizeOp::verify() {
  if (failed(verifyInKernel(*this)))
    return failure();
  std::optional<int64_t> size = getKnownClusterSize(*this);
  if (!size || (*size >= 1 && *size <= kMaxClusterSize))
    return success();
  InFlightDiagnostic diag = emitOpError()
                            << "needs a cluster of 1 to " << kMaxClusterSize
                            << " blocks: change known_cluster_size";
  noteClusterSize(diag, *this);
  return diag;
}

OpFoldResult SizeOp::fold(FoldAdaptor) {
  if (std::optional<int64_t> size = getKnownClusterSize(*this))
    return IntegerAttr::get(getType(), *size);
  return {};
}

//===----------------------------------------------------------------------===//
// barrier
//===----------------------------------------------------------------------===//

LogicalResult BarrierOp::verify() {
  if (getOrdering() == Ordering::Relaxed && getPhase() != BarrierPhase::Arrive)
    return emitOpError("has an ordering only on 'arrive': write 'arrive "
                       "relaxed', and 'wait' without one");
  return verifyInKernel(*this);
}

LogicalResult WarpBarrierOp::verify() { return verifyInKernel(*this); }

LogicalResult ArriveLastOp::verify() {
  if (failed(verifyInKernel(*this)))
    return failure();
  return verifyRange(*this, "count", getCount(), 1,
                     std::numeric_limits<int32_t>::max());
}

//===----------------------------------------------------------------------===//
// map_shared
//===----------------------------------------------------------------------===//

static MemRefType getMappedType(MemRefType type) {
  auto space = IntegerAttr::get(IntegerType::get(type.getContext(), 32),
                                kClusterMemorySpace);
  return MemRefType::get(type.getShape(), type.getElementType(),
                         type.getLayout(), space);
}

void MapSharedOp::build(OpBuilder &, OperationState &state, Value source,
                        Value rank) {
  state.addOperands({source, rank});
  state.addTypes(getMappedType(cast<MemRefType>(source.getType())));
}

Value MapSharedOp::getViewSource() { return getSource(); }

LogicalResult MapSharedOp::verify() {
  if (failed(verifyInKernel(*this)) ||
      failed(verifyShared(*this, "source", getSource())))
    return failure();
  MemRefType expected = getMappedType(cast<MemRefType>(getSource().getType()));
  if (getResult().getType() != expected)
    return emitOpError() << "must give " << expected << ", not "
                         << getResult().getType();
  return verifyRank(*this, getRank());
}

//===----------------------------------------------------------------------===//
// store_async, copy_async, load_async
//===----------------------------------------------------------------------===//

/// Bytes of a scalar or vector of one to four 32- or 64-bit scalars that
/// `st.async` stores in one piece, or 0.
static int64_t getStoreAsyncBytes(Type type) {
  int64_t count = 1;
  if (auto vector = dyn_cast<VectorType>(type)) {
    count = vector.getRank() == 1 ? vector.getNumElements() : 0;
    type = vector.getElementType();
  }
  if (!type.isIntOrFloat())
    return 0;
  int64_t width = type.getIntOrFloatBitWidth();
  int64_t bytes = count * width / 8;
  bool whole = (width == 32 && (count == 1 || count == 2 || count == 4)) ||
               (width == 64 && (count == 1 || count == 2));
  return whole && bytes <= kMaxStoreAsyncBytes ? bytes : 0;
}

int64_t StoreAsyncOp::getNumBytes() {
  return getStoreAsyncBytes(getValue().getType());
}

LogicalResult StoreAsyncOp::verify() {
  if (getNumBytes() == 0)
    return emitOpError() << "cannot store a value of type "
                         << getValue().getType()
                         << " in one piece: use a 32- or 64-bit scalar, or a "
                            "vector of them of 8 or 16 bytes";
  if (failed(verifyMBarrier(*this, getMbarrier(), getMbarrierIndices())) ||
      failed(verifyShared(*this, "dest", getDest())) ||
      failed(verifyIndices(*this, "dest", getDest(), getIndices())))
    return failure();
  return verifyRank(*this, getRank());
}

/// A constant size of a bulk copy must be one that there is.
static LogicalResult verifyBulkBytes(Operation *op, Value bytes) {
  APInt constant;
  if (!matchPattern(bytes, m_ConstantInt(&constant)) ||
      (constant.getSExtValue() > 0 &&
       constant.getSExtValue() % kBulkAlignment == 0))
    return success();
  return op->emitOpError() << "operand 'bytes' is " << constant.getSExtValue()
                           << "; use a positive multiple of " << kBulkAlignment;
}

LogicalResult CopyAsyncOp::verify() {
  if (failed(verifyMBarrier(*this, getMbarrier(), getMbarrierIndices())) ||
      failed(verifyShared(*this, "source", getSource())) ||
      failed(verifyShared(*this, "dest", getDest())) ||
      failed(verifyIndices(*this, "source", getSource(), getSourceIndices())) ||
      failed(verifyIndices(*this, "dest", getDest(), getDestIndices())) ||
      failed(verifyRank(*this, getRank())))
    return failure();
  return verifyBulkBytes(*this, getBytes());
}

LogicalResult LoadAsyncOp::verify() {
  if (failed(verifyMBarrier(*this, getMbarrier(), getMbarrierIndices())) ||
      failed(verifyShared(*this, "dest", getDest())) ||
      failed(verifyIndices(*this, "dest", getDest(), getIndices())))
    return failure();
  return verifyBulkBytes(*this, getBytes());
}

//===----------------------------------------------------------------------===//
// mbarrier.*
//===----------------------------------------------------------------------===//

/// Pending arrivals and transaction bytes are below 2^20 (PTX ISA, mbarrier).
static constexpr int64_t kMaxPending = (int64_t(1) << 20) - 1;

LogicalResult MBarrierInitOp::verify() {
  if (failed(verifyMBarrier(*this, getMbarrier(), getIndices())))
    return failure();
  return verifyRange(*this, "count", getCount(), 1, kMaxPending);
}

LogicalResult MBarrierExpectTxOp::verify() {
  if (failed(verifyMBarrier(*this, getMbarrier(), getIndices())))
    return failure();
  return verifyRange(*this, "bytes", getBytes(), 0, kMaxPending);
}

LogicalResult MBarrierWaitOp::verify() {
  if (failed(verifyMBarrier(*this, getMbarrier(), getIndices())))
    return failure();
  return verifyRange(*this, "parity", getParity(), 0, 1);
}

#define GET_OP_CLASSES
#include "cascade/Dialect/Cluster/IR/ClusterOps.cpp.inc"
