//===- Explain.cpp - --explain --------------------------------------------===//

#include "cascade/Pipelines/Compile.h"
#include "cascade/Pipelines/Tuning.h"
#include "cascade/Transforms/FuseCascades.h"
#include "cascade/Transforms/ScheduleChains.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace mlir;
using namespace cascade;

/// The best mapping, and others that came close.
static constexpr size_t mappingsShown = 4;

/// What the passes over the row after the first read.
static StringRef residencyOf(const RankedMapping &mapping) {
  switch (mapping.residency) {
  case Residency::Registers:
    return "resident in registers";
  case Residency::Shared:
    return "resident in shared memory";
  case Residency::Cache:
    return "resident in the L2 cache";
  case Residency::Streams:
    return "streams again";
  }
  llvm_unreachable("unknown residency");
}

static std::string toString(MappingAttr mapping) {
  std::string text;
  llvm::raw_string_ostream(text) << mapping;
  return text;
}

static constexpr StringLiteral noEntry =
    "no tuned entry for this chain, shape class, type and GPU";

/// What the tuning file says of a chain, as text: the mapping that it gives.
static void printTuned(llvm::raw_ostream &os, const TunedChain &chain,
                       const TuningTable &tuning) {
  if (chain.entry)
    os << "  mapping " << toString(chain.mapping) << "\n    tuned ("
       << tuning.entry(*chain.entry).text() << ")\n";
}

/// The same in JSON.
static void writeTuned(llvm::raw_ostream &os, const TunedChain &chain,
                       const TuningTable &tuning) {
  using llvm::json::Object;
  Object object{{"key", Object{{"chain", chain.key.chain},
                               {"shape", chain.key.shape},
                               {"types", chain.key.types},
                               {"gpu", chain.key.gpu}}}};
  if (chain.entry) {
    object["mapping"] = toString(chain.mapping);
    object["reason"] = "tuned (" + tuning.entry(*chain.entry).text() + ")";
  } else {
    object["mapping"] = nullptr;
    object["reason"] = chain.isGiven ? "the chain has a mapping" : noEntry;
  }
  os << ", \"tuning\": " << llvm::json::Value(std::move(object));
}

/// `tuned` is what a tuning file says of the chain, null without one.
static void explainMappings(llvm::raw_ostream &os, bool json,
                            ArrayRef<RankedMapping> mappings,
                            const TunedChain *tuned) {
  if (json)
    os << ", \"mappings\": [";
  bool isTuned = tuned && tuned->entry;
  for (auto [index, mapping] : llvm::enumerate(mappings)) {
    if (!json && isTuned && mapping.mapping == tuned->mapping)
      continue;
    std::string estimate = "null"; // It will spill.
    if (std::isfinite(mapping.microseconds))
      estimate = llvm::formatv("{0:F1}", mapping.microseconds);
    if (json)
      os << (index ? ", " : "") << "{\"mapping\": \""
         << toString(mapping.mapping) << "\", \"estimate_us\": " << estimate
         << ", \"row\": \"" << residencyOf(mapping) << "\"}";
    else
      os << "  " << (index || isTuned ? "runner-up " : "mapping ")
         << toString(mapping.mapping) << "\n    about " << estimate
         << " us, the row " << residencyOf(mapping) << "\n";
    if (!json && index == 0 && tuned && !isTuned && !tuned->isGiven)
      os << "    " << noEntry << "\n";
  }
  if (json)
    os << "]";
}

/// The mappings of `chain` that the schedule prefers; none for a chain that it
/// does not take.
static SmallVector<RankedMapping> mappingsOf(ChainOp chain,
                                             const PipelineOptions &options) {
  ScopedDiagnosticHandler silent(
      chain.getContext(), [](Diagnostic &diagnostic) {
        return success(diagnostic.getSeverity() != DiagnosticSeverity::Remark);
      });
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
                                              const PipelineOptions &options,
                                              const TuningTable *tuning) {
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
    ArrayRef<TunedChain> tunedChains;
    if (tuning)
      tunedChains = tuning->chainsOf(function.getName());
    function.walk([&](ChainOp chain) {
      ChainReport report;
      if (failed(checkAndFuseChain(chain, report))) {
        failedChain = true;
        return WalkResult::interrupt();
      }
      SmallVector<RankedMapping> mappings = mappingsOf(chain, options);
      const TunedChain *tuned = nullptr;
      if (!tunedChains.empty()) {
        tuned = &tunedChains.front();
        tunedChains = tunedChains.drop_front();
      }
      if (json) {
        // The mappings go into the report's object.
        std::string object = toJSON(report);
        os << (firstChain ? "" : ", ") << StringRef(object).drop_back();
        explainMappings(os, json, mappings, tuned);
        if (tuned)
          writeTuned(os, *tuned, *tuning);
        os << "}";
      } else {
        os << toText(report);
        if (tuned)
          printTuned(os, *tuned, *tuning);
        explainMappings(os, json, mappings, tuned);
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
