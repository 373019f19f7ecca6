//===- cascade-opt.cpp - mlir-opt with the dialects of cascade ------------===//

#include "cascade/Pipelines/Register.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  cascade::registerEverything(registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Cascade: reduction fusion on MLIR\n", registry));
}
