//===- TuneSpace.cpp - --tune-space ---------------------------------------===//

#include "cascade/Conversion/CascadeToCluster/CascadeToCluster.h"
#include "cascade/Pipelines/Tuning.h"
#include "cascade/Target/Launch/Manifest.h"
#include "cascade/Transforms/ScheduleChains.h"
#include "mlir/IR/SymbolTable.h"
#include <cmath>

using namespace mlir;
using namespace cascade;

/// The best-ranked mappings of `chain`, each once.
static FailureOr<SmallVector<RankedMapping>>
rankCandidates(ChainOp chain, int64_t most, const PipelineOptions &options) {
  if (chain.getMapping())
    return chain.emitOpError()
           << "has a mapping already, so there is nothing to tune; leave it "
              "off";
  ScheduleOptions schedule;
  schedule.cluster = options.cluster;
  schedule.target = options.target;
  FailureOr<SmallVector<RankedMapping>> ranked =
      rankRowMappings(chain, schedule);
  if (failed(ranked))
    return failure();
  SmallVector<RankedMapping> candidates;
  for (const RankedMapping &mapping : *ranked) {
    bool isKnown = llvm::any_of(candidates, [&](const RankedMapping &other) {
      return other.mapping == mapping.mapping;
    });
    if (!isKnown && int64_t(candidates.size()) < most)
      candidates.push_back(mapping);
  }
  return candidates;
}

/// What the manifest says of a candidate (Target/Launch/Manifest.h).
static DictionaryAttr describe(OpBuilder &b, StringRef function, int64_t index,
                               const RankedMapping &mapping,
                               const runtime::TuningKey &key) {
  NamedAttrList list;
  list.append("of", b.getStringAttr(function));
  list.append("index", b.getI64IntegerAttr(index));
  if (std::isfinite(mapping.microseconds) && mapping.microseconds > 0)
    list.append("estimate_us", b.getF64FloatAttr(mapping.microseconds));
  list.append("chain", b.getStringAttr(key.chain));
  list.append("shape", b.getStringAttr(key.shape));
  list.append("types", b.getStringAttr(key.types));
  return list.getDictionary(b.getContext());
}

static LogicalResult expandFunction(func::FuncOp function, int64_t most,
                                    const PipelineOptions &options) {
  FailureOr<ChainOp> chain = getKernelChain(function);
  if (failed(chain))
    return failure();
  FailureOr<SmallVector<RankedMapping>> candidates =
      rankCandidates(*chain, most, options);
  if (failed(candidates))
    return failure();
  ModuleOp module = function->getParentOfType<ModuleOp>();
  if (!SymbolTable::symbolKnownUseEmpty(function, module))
    return function.emitOpError()
           << "is called by another function, so it cannot be replaced by its "
              "candidates";
  runtime::TuningKey key = tuningKeyOf(*chain, options.target);
  OpBuilder b(function);
  for (auto [index, mapping] : llvm::enumerate(*candidates)) {
    std::string name = (function.getName() + "__m" + Twine(index)).str();
    if (Operation *other = module.lookupSymbol(name))
      return other->emitError()
             << "'" << name << "' is the name of a candidate of '"
             << function.getName() << "'; rename this one";
    auto copy = cast<func::FuncOp>(b.clone(*function));
    copy.setName(name);
    copy->setAttr(candidateAttrName,
                  describe(b, function.getName(), index, mapping, key));
    for (ChainOp inside : copy.getOps<ChainOp>())
      inside.setMappingAttr(mapping.mapping);
  }
  function.erase();
  return success();
}

LogicalResult cascade::expandTuneSpace(ModuleOp fused, int64_t most,
                                       const PipelineOptions &options) {
  for (auto function : llvm::to_vector(fused.getOps<func::FuncOp>()))
    if (!function.getOps<ChainOp>().empty() &&
        failed(expandFunction(function, most, options)))
      return failure();
  return success();
}
