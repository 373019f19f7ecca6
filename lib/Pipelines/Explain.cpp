//===- Explain.cpp - --explain --------------------------------------------===//

#include "cascade/Pipelines/Compile.h"
#include "cascade/Transforms/FuseCascades.h"
#include "cascade/Transforms/ScheduleChains.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;
using namespace cascade;

/// The best mapping, and others that came close.
static constexpr size_t mappingsShown = 4;

/// What the passes over the row after the first read.
static StringRef residencyOf(const RankedMapping &mapping) {
  return mapping.isResident ? "resident in registers" : "streams again";
}

static std::string toString(const RankedMapping &mapping) {
  std::string text;
  llvm::raw_string_ostream(text) << mapping.mapping;
  return text;
}

static void explainMappings(llvm::raw_ostream &os, bool json,
                            ArrayRef<RankedMapping> mappings) {
  if (json)
    os << ", \"mappings\": [";
  for (auto [index, mapping] : llvm::enumerate(mappings)) {
    std::string estimate = "null"; // It will spill.
    if (std::isfinite(mapping.microseconds))
      estimate = llvm::formatv("{0:F1}", mapping.microseconds);
    if (json)
      os << (index ? ", " : "") << "{\"mapping\": \"" << toString(mapping)
         << "\", \"estimate_us\": " << estimate << ", \"row\": \""
         << residencyOf(mapping) << "\"}";
    else
      os << "  " << (index ? "runner-up " : "mapping ") << toString(mapping)
         << "\n    about " << estimate << " us, the row "
         << residencyOf(mapping) << "\n";
  }
  if (json)
    os << "]";
}

/// The mappings of `chain` that the schedule prefers; none for a chain that it
/// does not take.
static SmallVector<RankedMapping> mappingsOf(ChainOp chain,
                                             const PipelineOptions &options) {
  ScopedDiagnosticHandler silent(chain.getContext(),
                                 [](Diagnostic &) { return success(); });
  ScheduleOptions schedule;
  schedule.cluster = options.cluster;
  schedule.target = options.target;
  FailureOr<SmallVector<RankedMapping>> ranked =
      rankRowMappings(chain, schedule);
  if (failed(ranked))
    return {};
  ranked->truncate(std::min(ranked->size(), mappingsShown));
  return *ranked;
}

FailureOr<std::string> cascade::explainModule(ModuleOp module, bool json,
                                              const PipelineOptions &options) {
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
      SmallVector<RankedMapping> mappings = mappingsOf(chain, options);
      if (json) {
        // The mappings go into the report's object.
        std::string object = toJSON(report);
        os << (firstChain ? "" : ", ") << StringRef(object).drop_back();
        explainMappings(os, json, mappings);
        os << "}";
      } else {
        os << toText(report);
        explainMappings(os, json, mappings);
      }
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
