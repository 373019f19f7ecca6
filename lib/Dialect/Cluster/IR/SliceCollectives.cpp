//===- SliceCollectives.cpp - Verification of collectives on buffers ------===//

#include "OpSupport.h"
#include "cascade/Dialect/Cluster/IR/KindTable.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cascade::cluster;

static int64_t getBytes(MemRefType type) {
  int64_t bits = type.getElementType().getIntOrFloatBitWidth();
  return type.getNumElements() * llvm::divideCeil(bits, 8);
}

/// A buffer of one dimension in the shared memory of the block.
static LogicalResult verifyBuffer(Operation *op, MemRefType type) {
  if (!isSharedMemRef(type))
    return op->emitOpError()
           << "operand 'buffer' of type " << type
           << " must be in the shared memory of this block: give it "
              "#gpu.address_space<workgroup>";
  if (type.getRank() != 1 || !type.hasStaticShape() ||
      !type.getLayout().isIdentity() || !isExchangeable(type.getElementType()))
    return op->emitOpError()
           << "operand 'buffer' has type " << type
           << "; use one dimension of static size, of f64 f32 f16 bf16 i64 "
              "i32 i16 i8 or i1";
  if (getBytes(type) <= kMaxSliceBufferBytes)
    return success();
  return op->emitOpError() << "operand 'buffer' has " << getBytes(type)
                           << " bytes, of " << kMaxSliceBufferBytes
                           << " at most: exchange it in parts";
}

/// The buffer falls into `parts` parts, each of whole bulk copies.
static LogicalResult verifyParts(Operation *op, MemRefType type,
                                 int64_t parts) {
  if (type.getNumElements() % parts == 0 &&
      getBytes(type) / parts % kBulkAlignment == 0)
    return success();
  InFlightDiagnostic diag = op->emitOpError();
  diag << "operand 'buffer' of " << getBytes(type)
       << " bytes is no multiple of ";
  if (parts != 1)
    diag << parts << " slices of ";
  return diag << kBulkAlignment << " bytes: pad it";
}

/// What all slice collectives have in common; `isSliced` where the ranks have a
/// slice each.
template <typename OpT>
static LogicalResult verifySlice(OpT op, bool isSliced) {
  auto type = cast<MemRefType>(op.getBuffer().getType());
  if (failed(verifyInKernel(op)) || failed(verifyBuffer(op, type)) ||
      failed(verifyClusterSize(op)))
    return failure();
  int64_t parts = isSliced ? getKnownClusterSize(op).value_or(1) : 1;
  return verifyParts(op, type, parts);
}

template <typename OpT>
static SmallVector<Type> getElement(OpT op) {
  return {cast<MemRefType>(op.getBuffer().getType()).getElementType()};
}

LogicalResult SliceAllReduceOp::verify() {
  if (failed(verifySlice(*this, /*isSliced=*/true)))
    return failure();
  return verifyKinds(*this, getKinds(), getMerge(), getElement(*this));
}

LogicalResult SliceAllReduceOp::verifyRegions() {
  return verifyMerge(*this, getMerge(), getElement(*this));
}

LogicalResult SliceReduceOp::verify() {
  if (getRoot().has_value() == getScatter())
    return emitOpError("needs exactly one of root(...) and scatter");
  if (failed(verifySlice(*this, /*isSliced=*/true)))
    return failure();
  if (getRoot() && failed(verifyRoot(*this, static_cast<int32_t>(*getRoot()),
                                     getKnownClusterSize(*this))))
    return failure();
  return verifyKinds(*this, getKinds(), getMerge(), getElement(*this));
}

LogicalResult SliceReduceOp::verifyRegions() {
  return verifyMerge(*this, getMerge(), getElement(*this));
}

LogicalResult SliceAllGatherOp::verify() {
  return verifySlice(*this, /*isSliced=*/true);
}

LogicalResult SliceGatherOp::verify() {
  if (failed(verifySlice(*this, /*isSliced=*/true)))
    return failure();
  return verifyRoot(*this, static_cast<int32_t>(getRoot()),
                    getKnownClusterSize(*this));
}

LogicalResult SliceBroadcastOp::verify() {
  if (failed(verifySlice(*this, /*isSliced=*/false)))
    return failure();
  return verifyRoot(*this, static_cast<int32_t>(getRoot()),
                    getKnownClusterSize(*this));
}
