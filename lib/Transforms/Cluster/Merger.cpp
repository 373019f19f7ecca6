//===- Merger.cpp - Merging two states of a collective --------------------===//

#include "Expansion.h"
#include "cascade/Dialect/Cluster/IR/KindTable.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace cascade::cluster;

Merger::Merger(const Collective &collective, TypeRange types)
    : kinds(collective.kinds), region(collective.merge),
      isCommutative(kinds.has_value()) {
  if (!kinds)
    return;
  for (auto [attr, type] : llvm::zip_equal(*kinds, types))
    isCommutative &= commutesBitwise(cast<KindAttr>(attr).getValue(), type);
}

SmallVector<Value> Merger::cloneRegion(OpBuilder &builder, ValueRange lower,
                                       ValueRange higher) const {
  Block &body = region->front();
  IRMapping map;
  map.map(body.getArguments().take_front(lower.size()), lower);
  map.map(body.getArguments().drop_front(lower.size()), higher);
  for (Operation &nested : body.without_terminator())
    builder.clone(nested, map);
  SmallVector<Value> merged;
  for (Value value : body.getTerminator()->getOperands())
    merged.push_back(map.lookupOrDefault(value));
  return merged;
}

SmallVector<Value> Merger::operator()(OpBuilder &builder, Location loc,
                                      ValueRange lower,
                                      ValueRange higher) const {
  SmallVector<Value> merged;
  if (kinds) {
    for (auto [attr, lhs, rhs] : llvm::zip_equal(*kinds, lower, higher))
      merged.push_back(buildCombine(builder, loc,
                                    cast<KindAttr>(attr).getValue(), lhs, rhs));
    return merged;
  }
  Block &body = region->front();
  ValueRange arguments = body.getArguments().take_front(lower.size());
  if (llvm::equal(arguments.getTypes(), lower.getTypes()))
    return cloneRegion(builder, lower, higher);
  // Slices of one length each, merged element by element.
  int64_t length = cast<VectorType>(lower.front().getType()).getNumElements();
  SmallVector<SmallVector<Value>> columns(lower.size());
  for (int64_t at = 0; at < length; ++at) {
    auto elements = [&](ValueRange vectors) {
      SmallVector<Value> scalars;
      for (Value vector : vectors)
        scalars.push_back(vector::ExtractOp::create(builder, loc, vector, at));
      return scalars;
    };
    SmallVector<Value> one =
        cloneRegion(builder, elements(lower), elements(higher));
    for (auto [column, value] : llvm::zip_equal(columns, one))
      column.push_back(value);
  }
  for (auto [column, value] : llvm::zip_equal(columns, lower))
    merged.push_back(vector::FromElementsOp::create(
        builder, loc, cast<VectorType>(value.getType()), column));
  return merged;
}

SmallVector<Value> Merger::all(OpBuilder &builder, Location loc,
                               SmallVector<SmallVector<Value>> states) const {
  while (states.size() > 1) {
    SmallVector<SmallVector<Value>> merged;
    for (size_t k = 0; k + 1 < states.size(); k += 2)
      merged.push_back((*this)(builder, loc, states[k], states[k + 1]));
    if (states.size() % 2 != 0)
      merged.push_back(states.back());
    states = std::move(merged);
  }
  return states.front();
}
