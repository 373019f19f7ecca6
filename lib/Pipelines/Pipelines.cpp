//===- Pipelines.cpp - The phases from a chain to PTX ---------------------===//

#include "cascade/Pipelines/Pipelines.h"
#include "cascade/Conversion/CascadeToCluster/CascadeToCluster.h"
#include "cascade/Conversion/ClusterToNVVM/ClusterToNVVM.h"
#include "cascade/Conversion/Passes.h"
#include "cascade/Target/Launch/Manifest.h"
#include "cascade/Transforms/Cluster/Passes.h"
#include "cascade/Transforms/Passes.h"
#include "cascade/Transforms/PromoteAccumulators.h"
#include "cascade/Transforms/ScheduleChains.h"
#include "cascade/Transforms/WidenChains.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace cascade;

static constexpr std::pair<Phase, llvm::StringLiteral> phaseNames[] = {
    {Phase::Input, "input"},     {Phase::Chains, "chains"},
    {Phase::Fused, "fused"},     {Phase::Mapped, "mapped"},
    {Phase::Cluster, "cluster"}, {Phase::Expanded, "expanded"},
    {Phase::NVVM, "nvvm"},       {Phase::PTX, "ptx"}};

StringRef cascade::spelling(Phase phase) {
  return phaseNames[static_cast<unsigned>(phase)].second;
}

std::optional<Phase> cascade::phaseNamed(StringRef name) {
  for (auto [phase, word] : phaseNames)
    if (word == name)
      return phase;
  return std::nullopt;
}

void cascade::addPhase(OpPassManager &passes, Phase phase,
                       const PipelineOptions &options) {
  switch (phase) {
  case Phase::Input:
  case Phase::PTX:
    break;
  case Phase::Chains:
    passes.addPass(createCanonicalizerPass());
    passes.addPass(createCSEPass());
    break;
  case Phase::Fused:
    passes.addPass(createFuseCascadesPass());
    break;
  case Phase::Mapped: {
    ScheduleChainsPassOptions schedule;
    schedule.cluster = options.cluster;
    schedule.mapping = options.mapping;
    schedule.target = options.target;
    passes.addPass(createScheduleChainsPass(schedule));
    break;
  }
  case Phase::Cluster: {
    CascadeToClusterPassOptions cluster;
    cluster.algorithm = options.algorithm;
    passes.addPass(createCascadeToClusterPass(cluster));
    passes.addPass(createCanonicalizerPass());
    passes.addPass(createCSEPass());
    break;
  }
  case Phase::Expanded: {
    OpPassManager &kernels = passes.nest<gpu::GPUModuleOp>();
    kernels.addNestedPass<gpu::GPUFuncOp>(
        cluster::createExpandCollectivesPass({options.target}));
    kernels.addNestedPass<gpu::GPUFuncOp>(cluster::createInsertBarriersPass());
    break;
  }
  case Phase::NVVM:
    passes.addNestedPass<gpu::GPUModuleOp>(cluster::createClusterToNVVMPass());
    break;
  }
}

LogicalResult
cascade::runPhases(ModuleOp module, Phase last, const PipelineOptions &options,
                   llvm::function_ref<LogicalResult(Phase, ModuleOp)> visit) {
  for (auto [phase, name] : phaseNames) {
    if (phase == Phase::Input || phase == Phase::PTX)
      continue;
    if (phase > last)
      break;
    PassManager passes(module.getContext());
    addPhase(passes, phase, options);
    if (failed(passes.run(module)) || failed(visit(phase, module)))
      return failure();
  }
  return success();
}

FailureOr<OwningOpRef<ModuleOp>> cascade::buildReference(ModuleOp chains) {
  OwningOpRef<ModuleOp> reference(chains.clone());
  ScheduleOptions schedule;
  schedule.reference = true;
  schedule.vectorise = false;
  OpBuilder b(chains.getContext());
  for (auto function : llvm::to_vector(reference->getOps<func::FuncOp>())) {
    b.setInsertionPoint(function);
    for (bool wide : {false, true}) {
      auto copy = cast<func::FuncOp>(b.clone(*function));
      copy.setName(
          (function.getName() + (wide ? referenceRSuffix : referenceUSuffix))
              .str());
      copy->setAttr(wholeDomainAttrName, b.getUnitAttr());
      copy.walk([&](ChainOp chain) {
        chain.removeMappingAttr();
        if (wide)
          widenToF64(chain);
        else
          promoteAccumulators(chain);
      });
      if (failed(scheduleFunction(copy, schedule, {})))
        return failure();
    }
    function.erase();
  }
  return reference;
}

void cascade::registerPipelines() {
  PassPipelineRegistration<>("cascade-to-ptx", "all phases from chains to nvvm",
                             [](OpPassManager &passes) {
                               for (auto [phase, name] : phaseNames)
                                 addPhase(passes, phase, PipelineOptions());
                             });
  PassPipelineRegistration<>("cascade-to-cpu", "fused chains as loops",
                             [](OpPassManager &passes) {
                               passes.addPass(createFuseCascadesPass());
                               passes.addPass(createCascadeToLoopsPass());
                             });
}
