//===- CompileForHost.cpp - The three evaluations on the host -------------===//

#include "cascade/Conversion/CascadeToLoops/CascadeToLoops.h"
#include "cascade/Target/CPU/HostModule.h"
#include "cascade/Transforms/Passes.h"
#include "cascade/Transforms/PromoteAccumulators.h"
#include "cascade/Transforms/WidenChains.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace cascade;

/// A copy of `module` with nothing but the functions that hold chains.
static OwningOpRef<ModuleOp> cloneChains(ModuleOp module) {
  OwningOpRef<ModuleOp> copy(module.clone());
  for (Operation &op :
       llvm::make_early_inc_range(copy->getBody()->getOperations())) {
    bool hasChain = false;
    op.walk([&](ChainOp) { hasChain = true; });
    if (!isa<func::FuncOp>(op) || !hasChain)
      op.erase();
  }
  return copy;
}

static LogicalResult fuse(ModuleOp module) {
  PassManager pm(module.getContext());
  pm.addPass(createFuseCascadesPass());
  return pm.run(module);
}

FailureOr<std::unique_ptr<HostModule>>
cascade::compileForHost(ModuleOp module, Variant variant, int64_t segments,
                        llvm::function_ref<void(ModuleOp)> afterFusion) {
  module.getContext()
      ->loadDialect<arith::ArithDialect, func::FuncDialect, math::MathDialect,
                    memref::MemRefDialect, scf::SCFDialect>();
  OwningOpRef<ModuleOp> copy = cloneChains(module);
  copy->walk([&](ChainOp chain) {
    // A chain that came fused is evaluated as it was written.
    if (variant != Variant::Fused && chain.isFused())
      chain.getBody().takeBody(chain.getSource());
    if (variant == Variant::Reference)
      widenToF64(chain);
    else
      promoteAccumulators(chain);
  });
  if (variant == Variant::Fused) {
    if (failed(fuse(*copy)))
      return failure();
    if (afterFusion)
      afterFusion(*copy);
  }
  if (failed(convertCascadeToLoops(*copy, segments)))
    return failure();
  return HostModule::create(*copy);
}
