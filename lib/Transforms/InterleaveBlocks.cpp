//===- InterleaveBlocks.cpp - Blocks take tiles in turn -------------------===//

#include "InterleaveBlocks.h"
#include "cascade/Analysis/IndexRange.h"

using namespace mlir;
using namespace cascade;

/// `axis` with its loop before its cluster digit, where they are neighbours.
static AxisMappingAttr interleave(AxisMappingAttr axis) {
  SmallVector<DigitAttr> digits(axis.getDigits());
  for (size_t i = 0; i + 1 < digits.size(); ++i)
    if (digits[i].getLevel() == Level::Cluster &&
        digits[i + 1].getLevel() == Level::Loop)
      std::swap(digits[i], digits[i + 1]);
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
    ranked.mapping =
        MappingAttr::get(mapping.getContext(), axes, mapping.getLoad(),
                         mapping.getKeep(), mapping.getMerge());
  }
}
