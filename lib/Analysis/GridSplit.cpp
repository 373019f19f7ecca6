//===- GridSplit.cpp - Rows that the grid is split over -------------------===//

#include "cascade/Analysis/GridSplit.h"

using namespace mlir;
using namespace cascade;

bool cascade::replaysElements(ChainOp chain, unsigned rowAxis) {
  auto yield = cast<YieldOp>(chain.getBodyBlock()->getTerminator());
  return yield.getReplay() && AxisAnalysis(chain, chain.getBody())
                                  .of(yield.getReplay())
                                  .test(rowAxis);
}

ReductionPasses cascade::getKernelPasses(ChainOp chain, unsigned rowAxis) {
  bool isReplayed = replaysElements(chain, rowAxis);
  return ReductionPasses(chain,
                         isReplayed ? chain.getSource() : chain.getBody(),
                         /*together=*/chain.isFused() && !isReplayed);
}

/// The last cluster has the states of all in registers, and code for each.
static constexpr int64_t mostClusters = 128;

std::string cascade::whyAllBlocksGoOn(ChainOp chain, unsigned rowAxis) {
  StringRef name = chain.getAxisName(rowAxis);
  for (auto [number, map] :
       llvm::enumerate(chain.getOutputMaps().getAsValueRange<AffineMapAttr>()))
    if (map.isFunctionOfDim(rowAxis))
      return ("result " + Twine(number) + " varies over axis '" + name + "'")
          .str();
  ReductionPasses passes = getKernelPasses(chain, rowAxis);
  int64_t count =
      llvm::count_if(passes.getPasses(), [&](const ReductionPass &pass) {
        return pass.axes.test(rowAxis);
      });
  if (count != 1)
    return (Twine(count) + " passes go over axis '" + name + "'").str();
  return {};
}

PolicyAttr cascade::getMergeByLast(ChainOp chain, unsigned axis) {
  MLIRContext *context = chain.getContext();
  return PolicyAttr::get(context,
                         StringAttr::get(context, chain.getAxisName(axis)),
                         StringAttr::get(context, "last"), /*amount=*/0);
}

LogicalResult cascade::checkGridSplit(ChainOp chain, const MappingPlan &plan,
                                      unsigned rowAxis) {
  StringRef name = chain.getAxisName(rowAxis);
  const AxisPlan &row = plan.axes[rowAxis];
  const DigitPlan *grid = row.at(Level::Grid);
  bool hasPolicy = false;
  for (PolicyAttr policy : chain.getMapping()->getMerge()) {
    auto axis = dyn_cast<StringAttr>(policy.getSubject());
    if (!axis || axis.getValue() != name || !grid)
      return chain.emitOpError()
             << "the mapping has a merge policy for " << policy.getSubject()
             << "; only axis '" << name
             << "', which the kernel streams, takes one, where it is split "
                "over the grid: write "
             << name << ": grid(n) x ... and merge = [" << name
             << ": last], or leave the policy out";
    if (policy.getPolicy().getValue() != "last")
      return chain.emitOpError() << "the mapping has the merge policy '"
                                 << policy.getPolicy().getValue()
                                 << "', which no kernel follows yet; use last";
    hasPolicy = true;
  }
  if (!grid)
    return success();
  auto refuse = [&]() {
    return chain.emitOpError()
           << "the mapping splits axis '" << name << "' over the grid";
  };
  if (!hasPolicy)
    return refuse() << "; say who merges its states: merge = [" << name
                    << ": last]";
  bool isOutside = llvm::all_of(
      llvm::make_range(row.digits.begin(), grid),
      [](const DigitPlan &digit) { return isOutsideBlock(digit.level); });
  if (!isOutside || grid->size == 0)
    return refuse() << "; give that digit a size and write it before those of "
                       "a block, as in "
                    << name << ": grid(4) x cluster(2) x loop x ...";
  if (grid->size > mostClusters)
    return refuse() << " into " << grid->size << " parts; at most "
                    << mostClusters
                    << " are merged: use a larger cluster digit";
  if (plan.isResident)
    return refuse() << ", but a resident grid goes from one whole row to "
                       "another; leave one of the two out";
  std::string why = whyAllBlocksGoOn(chain, rowAxis);
  if (why.empty())
    return success();
  return refuse() << ", where only the last block to arrive knows the merged "
                     "states, but "
                  << why << "; use a cluster digit in its place";
}
