//===- InterleaveBlocks.cpp - Blocks take tiles in turn -------------------===//

#include "InterleaveBlocks.h"
#include "cascade/Analysis/IndexRange.h"

using namespace mlir;
using namespace cascade;

/// `axis` with its loop before the digits of blocks that precede it.
static AxisMappingAttr interleave(AxisMappingAttr axis) {
  SmallVector<DigitAttr> digits(axis.getDigits());
  auto isOfBlock = [](DigitAttr digit) {
    return llvm::is_contained({Level::Grid, Level::Cluster}, digit.getLevel());
  };
  auto *loop = llvm::find_if_not(digits, isOfBlock);
  if (loop != digits.end() && loop->getLevel() == Level::Loop)
    std::rotate(digits.begin(), loop, loop + 1);
  return AxisMappingAttr::get(axis.getContext(), axis.getName(), digits);
}

void cascade::interleaveBlocks(ChainOp chain, unsigned rowAxis,
                               MutableArrayRef<RankedMapping> mappings) {
  if (!hasIntervals(chain, rowAxis))
    return;
  StringRef name = chain.getAxisName(rowAxis);
  for (RankedMapping &ranked : mappings) {
    MappingAttr mapping = ranked.mapping;
    SmallVector<AxisMappingAttr> axes;
    for (AxisMappingAttr axis : mapping.getAxes())
      axes.push_back(axis.getName() == name ? interleave(axis) : axis);
    ranked.mapping = MappingAttr::get(
        mapping.getContext(), axes, mapping.getLoad(), mapping.getKeep(),
        mapping.getMerge(), mapping.getContract());
  }
}
