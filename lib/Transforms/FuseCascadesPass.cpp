//===- FuseCascadesPass.cpp - --cascade-fuse and its remarks --------------===//

#include "cascade/Analysis/CombinerCheck.h"
#include "cascade/Transforms/FuseCascades.h"
#include "cascade/Transforms/Passes.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace cascade {
#define GEN_PASS_DEF_FUSECASCADESPASS
#include "cascade/Transforms/Passes.h.inc"
} // namespace cascade

using namespace mlir;
using namespace cascade;

LogicalResult cascade::checkAndFuseChain(ChainOp chain, ChainReport &report) {
  if (!chain.isFused() && failed(checkCombiners(chain)))
    return failure();
  return fuseChain(chain, report);
}

namespace {

constexpr llvm::StringLiteral category = "cascade-fuse";

void emitRemark(ChainOp chain, const ReductionReport &entry) {
  auto function = chain->getParentOfType<FunctionOpInterface>();
  auto options = remark::RemarkOpts::name("reduction")
                     .category(category)
                     .function(function ? function.getName() : "");
  // One string: every piece given to a remark becomes an argument of its own.
  std::string text =
      "reduction " + std::to_string(entry.index) + " (" + entry.kind + ") ";
  if (entry.verdict == "refused") {
    text += "starts pass " + std::to_string(entry.pass) + ": " + entry.rule +
            " at " + (entry.at.empty() ? entry.value : entry.at) + ": " +
            entry.reason +
            (entry.suggestion.empty() ? "" : "; " + entry.suggestion);
    remark::missed(entry.loc, options) << text;
    return;
  }
  text += "is " + entry.verdict + ", pass " + std::to_string(entry.pass) +
          ": F = " + entry.value;
  remark::passed(entry.loc, options) << text;
}

struct FuseCascades : cascade::impl::FuseCascadesPassBase<FuseCascades> {
  void runOnOperation() override {
    SmallVector<ChainOp> chains;
    getOperation()->walk([&](ChainOp chain) { chains.push_back(chain); });
    for (ChainOp chain : chains) {
      ChainReport report;
      if (failed(checkAndFuseChain(chain, report)))
        return signalPassFailure();
      for (const ReductionReport &entry : report.reductions)
        emitRemark(chain, entry);
    }
  }
};

} // namespace
