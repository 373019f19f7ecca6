//===- Register.cpp - The dialects and passes of the tools ----------------===//

#include "cascade/Pipelines/Register.h"
#include "cascade/Conversion/ClusterToNVVM/ClusterToNVVM.h"
#include "cascade/Conversion/Passes.h"
#include "cascade/Dialect/Cascade/IR/Cascade.h"
#include "cascade/Dialect/Cluster/IR/Cluster.h"
#include "cascade/Pipelines/Pipelines.h"
#include "cascade/Transforms/Cluster/Passes.h"
#include "cascade/Transforms/Passes.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"

using namespace mlir;

void cascade::registerDialects(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registry.insert<CascadeDialect, cluster::ClusterDialect>();
}

void cascade::registerEverything(DialectRegistry &registry) {
  registerDialects(registry);
  registerAllPasses();
  registerCascadeTransformsPasses();
  registerCascadeConversionPasses();
  cluster::registerClusterPasses();
  cluster::registerClusterToNVVMPasses();
  registerPipelines();
}
