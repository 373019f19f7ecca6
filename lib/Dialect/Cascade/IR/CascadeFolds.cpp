//===- CascadeFolds.cpp - Folds and canonicalisation ----------------------===//

#include "cascade/Dialect/Cascade/IR/Cascade.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace cascade;

/// The extent of a static axis is a constant.
OpFoldResult ExtentOp::fold(FoldAdaptor) {
  auto chain = (*this)->getParentOfType<ChainOp>();
  if (!chain)
    return {};
  int64_t axis = chain.getAxisNumber(getAxis());
  if (axis < 0)
    return {};
  int64_t extent = chain.getStaticExtents()[axis];
  if (ShapedType::isDynamic(extent))
    return {};
  return IntegerAttr::get(getType(), extent);
}

namespace {
/// Removes operands that the body does not read, unless an axis needs them for
/// its extent, and merges operands that are read through the same map.
struct SimplifyChainInputs : public OpRewritePattern<ChainOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ChainOp chain,
                                PatternRewriter &rewriter) const override {
    unsigned numInputs = chain.getInputs().size();
    SmallVector<int64_t> replacement(numInputs, -1);
    llvm::SmallBitVector dropped(numInputs);
    for (unsigned i = 0; i < numInputs; ++i) {
      for (unsigned j = 0; j < i && !dropped[i]; ++j) {
        if (!dropped[j] && chain.getInputs()[i] == chain.getInputs()[j] &&
            chain.getInputMap(i) == chain.getInputMap(j)) {
          dropped.set(i);
          replacement[i] = j;
        }
      }
      if (!dropped[i] && isUnused(chain, i))
        dropped.set(i);
    }
    if (dropped.none())
      return failure();
    rewriter.modifyOpInPlace(chain,
                             [&] { erase(chain, dropped, replacement); });
    return success();
  }

private:
  static bool isUnused(ChainOp chain, unsigned input) {
    for (Region *region : {&chain.getBody(), &chain.getSource()})
      if (!region->empty() && !region->front().getArgument(input).use_empty())
        return false;
    for (unsigned axis = 0; axis < chain.getNumAxes(); ++axis)
      for (AffineExpr expr : chain.getInputMap(input).getResults())
        if (expr == getAffineDimExpr(axis, chain.getContext()))
          return false;
    return true;
  }

  static void erase(ChainOp chain, const llvm::SmallBitVector &dropped,
                    ArrayRef<int64_t> replacement) {
    SmallVector<Attribute> maps;
    for (unsigned i = 0; i < dropped.size(); ++i)
      if (!dropped[i])
        maps.push_back(chain.getInputMaps()[i]);
    for (Region *region : {&chain.getBody(), &chain.getSource()}) {
      if (region->empty())
        continue;
      Block &block = region->front();
      for (unsigned i = 0; i < dropped.size(); ++i)
        if (replacement[i] >= 0)
          block.getArgument(i).replaceAllUsesWith(
              block.getArgument(replacement[i]));
      for (unsigned i = dropped.size(); i-- > 0;)
        if (dropped[i])
          block.eraseArgument(i);
    }
    for (unsigned i = dropped.size(); i-- > 0;)
      if (dropped[i])
        chain.getInputsMutable().erase(i);
    chain.setInputMapsAttr(ArrayAttr::get(chain.getContext(), maps));
  }
};
} // namespace

void ChainOp::getCanonicalizationPatterns(RewritePatternSet &results,
                                          MLIRContext *context) {
  results.add<SimplifyChainInputs>(context);
}
