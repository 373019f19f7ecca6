//===- TuningTable.cpp - --tuned ------------------------------------------===//

#include "cascade/Analysis/MappingPlan.h"
#include "cascade/Pipelines/Tuning.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace cascade;
using runtime::Error;
using runtime::Expected;

namespace {
/// Keeps the first error instead of printing it.
class FirstError {
public:
  explicit FirstError(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (text.empty())
            text = diagnostic.str();
          return success();
        }) {}
  std::string text;

private:
  ScopedDiagnosticHandler handler;
};
} // namespace

std::string TuningTable::place(size_t number) const {
  return file.path + ": entries[" + std::to_string(number) + "]";
}

Expected<TuningTable> TuningTable::read(const std::string &path,
                                        MLIRContext &context) {
  context.getOrLoadDialect<CascadeDialect>();
  Expected<runtime::TuningFile> file = runtime::readTuning(path);
  if (!file)
    return file.error();
  TuningTable table;
  table.file = std::move(*file);
  for (auto [number, entry] : llvm::enumerate(table.file.entries)) {
    FirstError error(&context);
    auto mapping =
        dyn_cast_or_null<MappingAttr>(parseAttribute(entry.mapping, &context));
    if (!mapping)
      return Error::input(table.place(number) + ".mapping: '" + entry.mapping +
                          "' is not a mapping: " + error.text +
                          "; tune it again");
    table.mappings.push_back(mapping);
  }
  return table;
}

Error TuningTable::apply(ModuleOp fused, StringRef gpu) {
  chains.clear();
  Error result = Error::success();
  for (auto function : fused.getOps<func::FuncOp>())
    function.walk([&](ChainOp chain) {
      if (result)
        return;
      TunedChain tuned;
      tuned.key = tuningKeyOf(chain, gpu);
      tuned.isGiven = chain.getMapping().has_value();
      if (!tuned.isGiven)
        tuned.entry = file.lookup(tuned.key);
      if (tuned.entry) {
        tuned.mapping = mappings[*tuned.entry];
        chain.setMappingAttr(tuned.mapping);
        FirstError error(chain.getContext());
        if (failed(MappingPlan::get(chain)))
          result = Error::input(place(*tuned.entry) +
                                ": the mapping does not fit the chain of " +
                                "function '" + function.getName().str() +
                                "': " + error.text + "; tune it again");
      }
      chains[function.getName()].push_back(std::move(tuned));
    });
  return result;
}

ArrayRef<TunedChain> TuningTable::chainsOf(StringRef function) const {
  auto found = chains.find(function);
  if (found == chains.end())
    return {};
  return found->second;
}
