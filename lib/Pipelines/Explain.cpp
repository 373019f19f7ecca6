//===- Explain.cpp - --explain --------------------------------------------===//

#include "cascade/Pipelines/Compile.h"
#include "cascade/Transforms/FuseCascades.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace cascade;

FailureOr<std::string> cascade::explainModule(ModuleOp module, bool json) {
  std::string text;
  llvm::raw_string_ostream os(text);
  bool firstFunction = true;
  if (json)
    os << "{\"functions\": [";
  for (auto function : module.getOps<func::FuncOp>()) {
    if (json)
      os << (firstFunction ? "" : ", ") << "{\"name\": \"" << function.getName()
         << "\", \"chains\": [";
    else
      os << "function " << function.getName() << "\n";
    firstFunction = false;
    bool firstChain = true, failedChain = false;
    function.walk([&](ChainOp chain) {
      ChainReport report;
      if (failed(checkAndFuseChain(chain, report))) {
        failedChain = true;
        return WalkResult::interrupt();
      }
      if (json)
        os << (firstChain ? "" : ", ") << toJSON(report);
      else
        os << toText(report);
      firstChain = false;
      return WalkResult::advance();
    });
    if (failedChain)
      return failure();
    if (json)
      os << "]}";
  }
  if (json)
    os << "]}\n";
  return text;
}
