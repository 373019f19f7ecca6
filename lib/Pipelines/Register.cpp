//===- Register.cpp - The dialects and passes of the tools ----------------===//

#include "cascade/Pipelines/Register.h"
#include "cascade/Dialect/Cascade/IR/Cascade.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"

using namespace mlir;

void cascade::registerDialects(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registry.insert<CascadeDialect>();
}

void cascade::registerEverything(DialectRegistry &registry) {
  registerDialects(registry);
  registerAllPasses();
}
