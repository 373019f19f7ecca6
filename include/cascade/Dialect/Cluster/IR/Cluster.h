//===- Cluster.h - The cluster dialect ------------------------*- C++ -*-===//

#ifndef CASCADE_DIALECT_CLUSTER_IR_CLUSTER_H
#define CASCADE_DIALECT_CLUSTER_IR_CLUSTER_H

#include "cascade/Dialect/Cluster/IR/TargetConstants.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include <optional>

namespace cascade::cluster {

/// PTX `.shared::cluster`: the memory space of a peer's shared memory.
inline constexpr unsigned kClusterMemorySpace = 7;
/// PTX `.shared::cta`.
inline constexpr unsigned kSharedMemorySpace = 3;
/// PTX `.global`.
inline constexpr unsigned kGlobalMemorySpace = 1;
/// Lanes of a warp.
inline constexpr int32_t kWarpSize = 32;
/// The largest cluster of any size attribute (the non-portable size).
inline constexpr int32_t kMaxClusterSize = 16;
/// The most bytes of one `st.async`.
inline constexpr int64_t kMaxStoreAsyncBytes = 16;
/// Shared memory of a block, static and dynamic, in bytes.
inline constexpr int64_t kMaxSharedBytes = 227 * 1024;

/// The largest buffer of a slice collective, in bytes.
inline constexpr int64_t kMaxSliceBufferBytes = 64 * 1024;

/// Sizes and addresses of a bulk copy are multiples of this, in bytes.
inline constexpr int64_t kBulkAlignment = 16;

/// On a workgroup buffer of a gpu.func: every thread loads only what it has
/// stored itself, or what bulk copies have brought that its warp has asked and
/// waited for, so that no barrier of the block is needed. The buffer is put
/// into the dynamic shared memory of the launch, which is not limited to 48
/// KiB.
inline constexpr llvm::StringLiteral kThreadPrivateAttrName =
    "cluster.thread_private";

/// On a module or a function: the GPU that its kernels are for, a TargetAttr.
inline constexpr llvm::StringLiteral kTargetAttrName = "cluster.target";

/// On a workgroup buffer of a gpu.func: put it into the dynamic shared memory
/// of the launch, as a thread's own is. Several lie there one after another, in
/// order, each at a multiple of 16 bytes.
inline constexpr llvm::StringLiteral kDynamicAttrName = "cluster.dynamic";

/// On a kernel whose launch asks it for the size of its dynamic shared memory:
/// that size in bytes, an i64, which --convert-cluster-to-nvvm sets. The
/// expansion of collectives puts buffers there that static memory is too small
/// for.
inline constexpr llvm::StringLiteral kDynamicBytesAttrName =
    "cluster.dynamic_bytes";

/// On a kernel that uses global memory of its own, a workspace: an array of
/// i64. Its last arguments, each an !llvm.ptr<1>, are the parts of the
/// workspace, in order; each has so many bytes for every cluster of the grid.
/// The launch manifest says so, and the launcher provides it. Use
/// `addWorkspace`.
inline constexpr llvm::StringLiteral kWorkspaceBytesAttrName =
    "cluster.workspace_bytes";

/// Parts of a workspace begin and end at multiples of this, in bytes.
inline constexpr int64_t kWorkspaceAlignment = 16;

/// Gives `kernel` a part of its workspace with `bytes` bytes, rounded up to
/// kWorkspaceAlignment, for each cluster of the grid, and returns its address:
/// the part of cluster c begins at c times these bytes. A workspace is zero
/// before the first launch. What a kernel expects to find in it, it leaves
/// behind: then launches on one stream may follow each other. Only the first
/// part is at the same place whatever the size of the grid, so it is the one
/// for what is expected.
mlir::Value addWorkspace(mlir::gpu::GPUFuncOp kernel, int64_t bytes);

/// The bytes a cluster of the parts of the workspace of `kernel`, a gpu.func or
/// what has become of it; empty where it has none.
llvm::ArrayRef<int64_t> getWorkspaceBytes(mlir::Operation *kernel);

/// Bytes of a buffer of scalars or vectors; 0 where its size is unknown.
int64_t getBufferBytes(mlir::MemRefType type);

/// Whether workgroup buffer `index` of `func` is in dynamic shared memory.
bool isInDynamicShared(mlir::gpu::GPUFuncOp func, unsigned index);

/// On a gpu.func: how many of its blocks a multiprocessor has room for, an
/// integer; the compiler gives a thread no more registers than leave it.
inline constexpr llvm::StringLiteral kBlocksAtOnceAttrName =
    "cluster.blocks_at_once";

/// What a collective reads: the tuples of other threads.
struct ExchangeResource
    : public mlir::SideEffects::Resource::Base<ExchangeResource> {
  llvm::StringRef getName() final { return "cluster.exchange"; }
};

/// Merges two states: (builder, loc, lower rank's, higher rank's) -> merged.
using MergeBuilder = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::OpBuilder &, mlir::Location, mlir::ValueRange, mlir::ValueRange)>;

/// Builds what all lanes yield together from the state of one.
using LanewiseBuilder = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::OpBuilder &, mlir::Location, mlir::ValueRange state)>;

/// Blocks in a cluster of `op`'s kernel: the product of `known_cluster_size`
/// of the enclosing gpu.func, or nothing where that is absent.
std::optional<int64_t> getKnownClusterSize(mlir::Operation *op);

/// Threads in a block of `op`'s kernel, from `known_block_size`.
std::optional<int64_t> getKnownBlockSize(mlir::Operation *op);

/// Whether `op` is an exchange that --cluster-expand-collectives expands.
bool isCollective(mlir::Operation *op);

/// Whether `type` is a memref in shared memory of this block.
bool isSharedMemRef(mlir::Type type);

} // namespace cascade::cluster

#include "cascade/Dialect/Cluster/IR/ClusterDialect.h.inc"
#include "cascade/Dialect/Cluster/IR/ClusterEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "cascade/Dialect/Cluster/IR/ClusterAttrs.h.inc"
#define GET_OP_CLASSES
#include "cascade/Dialect/Cluster/IR/ClusterOps.h.inc"

#endif // CASCADE_DIALECT_CLUSTER_IR_CLUSTER_H
