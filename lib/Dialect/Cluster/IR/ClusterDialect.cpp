//===- ClusterDialect.cpp - The cluster dialect ---------------------------===//

#include "cascade/Dialect/Cluster/IR/Cluster.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cascade::cluster;

#include "cascade/Dialect/Cluster/IR/ClusterDialect.cpp.inc"
#include "cascade/Dialect/Cluster/IR/ClusterEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "cascade/Dialect/Cluster/IR/ClusterAttrs.cpp.inc"

void ClusterDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "cascade/Dialect/Cluster/IR/ClusterOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "cascade/Dialect/Cluster/IR/ClusterAttrs.cpp.inc"
      >();
}

Operation *ClusterDialect::materializeConstant(OpBuilder &builder,
                                               Attribute value, Type type,
                                               Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

static std::optional<int64_t> product(std::optional<ArrayRef<int32_t>> sizes) {
  if (!sizes)
    return std::nullopt;
  int64_t result = 1;
  for (int32_t size : *sizes)
    result *= size;
  return result;
}

std::optional<int64_t> cascade::cluster::getKnownClusterSize(Operation *op) {
  auto func = op->getParentOfType<gpu::GPUFuncOp>();
  return func ? product(func.getKnownClusterSize()) : std::nullopt;
}

std::optional<int64_t> cascade::cluster::getKnownBlockSize(Operation *op) {
  auto func = op->getParentOfType<gpu::GPUFuncOp>();
  return func ? product(func.getKnownBlockSize()) : std::nullopt;
}

int64_t cascade::cluster::getBufferBytes(MemRefType type) {
  Type element = type.getElementType();
  int64_t count = 1;
  if (auto vector = dyn_cast<VectorType>(element)) {
    count = vector.getNumElements();
    element = vector.getElementType();
  }
  if (!type.hasStaticShape() || !element.isIntOrFloat())
    return 0;
  int64_t elementBytes = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  return type.getNumElements() * count * elementBytes;
}

bool cascade::cluster::isInDynamicShared(gpu::GPUFuncOp func, unsigned index) {
  return func.getWorkgroupAttributionAttr(index, kThreadPrivateAttrName) ||
         func.getWorkgroupAttributionAttr(index, kDynamicAttrName);
}

bool cascade::cluster::isCollective(Operation *op) {
  return isa<AllReduceOp, ReduceOp, AllGatherOp, GatherOp, BroadcastOp,
             SliceAllReduceOp, SliceReduceOp, SliceAllGatherOp, SliceGatherOp,
             SliceBroadcastOp>(op);
}

bool cascade::cluster::isSharedMemRef(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref)
    return false;
  Attribute space = memref.getMemorySpace();
  if (auto address = dyn_cast_if_present<gpu::AddressSpaceAttr>(space))
    return address.getValue() == gpu::AddressSpace::Workgroup;
  if (auto number = dyn_cast_if_present<IntegerAttr>(space))
    return number.getInt() == kSharedMemorySpace;
  return false;
}
