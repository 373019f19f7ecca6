//===- PrepareCollectives.cpp - What can be expanded, and by what ---------===//

#include "Expansion.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cascade::cluster;

static LogicalResult checkScattered(const Collective &c) {
  if (c.canBeCut())
    return success();
  return c.op->emitOpError()
         << "by algorithm(scatter) takes vectors whose length the "
         << *getKnownClusterSize(c.op)
         << " blocks divide, and kind(...): use algorithm(mailbox)";
}

static LogicalResult checkAlgorithm(const Collective &c) {
  ArrayRef<Algorithm> known = getAlgorithms(c.kind, c.isSlice());
  if (!llvm::is_contained(known, c.algorithm)) {
    InFlightDiagnostic diag = c.op->emitOpError();
    diag << "has no algorithm '" << stringifyAlgorithm(c.algorithm)
         << "': use ";
    llvm::interleave(
        known, [&](Algorithm each) { diag << stringifyAlgorithm(each); },
        [&] { diag << ", "; });
    return diag << " or auto";
  }
  // The launcher of a kernel with this attribute provides what is asked for.
  bool isProvided =
      c.op->getParentOfType<gpu::GPUFuncOp>()->hasAttr(kWorkspaceBytesAttrName);
  if (c.algorithm == Algorithm::Global && !c.workspace && !isProvided)
    return c.op->emitOpError("by algorithm(global) needs memory to exchange "
                             "through: add workspace(...)");
  if (c.algorithm == Algorithm::Scatter && !c.isSlice())
    return checkScattered(c);
  return success();
}

LogicalResult cascade::cluster::prepare(Collective &c,
                                        const TargetConstants &gpu) {
  Operation *op = c.op;
  std::optional<int64_t> threads = getKnownBlockSize(op);
  if (c.scope != Scope::Warp && !threads)
    return op->emitOpError("needs the size of the block: set known_block_size "
                           "on the gpu.func");
  if (c.scope != Scope::Cluster)
    return success();
  std::optional<int64_t> ranks = getKnownClusterSize(op);
  if (!ranks)
    return op->emitOpError("needs the size of the cluster: set "
                           "known_cluster_size on the gpu.func");
  if (*ranks == 1)
    return success();
  if (c.isSlice() && *threads < *ranks)
    return op->emitOpError() << "needs a thread for each of the " << *ranks
                             << " blocks, but the block has " << *threads;
  if (c.algorithm == Algorithm::Auto)
    c.algorithm = chooseAlgorithm(c, gpu);
  return checkAlgorithm(c);
}
