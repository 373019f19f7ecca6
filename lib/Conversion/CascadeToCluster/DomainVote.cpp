//===- DomainVote.cpp - Whether a warp has to do with a tile --------------===//

#include "DomainVote.h"
#include "cascade/Dialect/Cluster/IR/Cluster.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace cascade;

/// So many times the elements of the predicates' inputs are those of another
/// one, in a thread: then the vote is worth its turn before the loads.
static constexpr unsigned leastRatio = 4;

bool cascade::isVotedOn(TileEvaluator &row, const ReductionPass &pass) {
  const ThreadLayout &layout = row.getLayout();
  const KernelContext &context = row.getContext();
  // The most elements of a tile that a thread loads of one input below `roots`;
  // fails where a root needs a reduction that is not known yet.
  auto mostLoaded = [&](ArrayRef<Value> roots,
                        bool isBefore) -> std::optional<unsigned> {
    unsigned most = 0;
    SmallVector<Value> worklist(roots);
    llvm::DenseSet<Value> seen;
    while (!worklist.empty()) {
      Value value = worklist.pop_back_val();
      if (!seen.insert(value).second ||
          !layout.getAxes().of(value).test(context.rowAxis)) {
        if (isBefore && !layout.getAxes().of(value).test(context.rowAxis) &&
            !row.isAvailable(value))
          return std::nullopt;
        continue;
      }
      if (Operation *op = value.getDefiningOp())
        llvm::append_range(worklist, op->getOperands());
      else
        most = std::max(most, layout.count(layout.of(value)));
    }
    return most;
  };
  SmallVector<Value> predicates, values;
  for (ReduceOp reduce : pass.reduces) {
    if (!reduce.getPredicate())
      return false;
    predicates.push_back(reduce.getPredicate());
    llvm::append_range(values, reduce.getValues());
  }
  std::optional<unsigned> ofPredicates = mostLoaded(predicates, true);
  return ofPredicates &&
         *mostLoaded(values, false) >= leastRatio * std::max(1u, *ofPredicates);
}

Value cascade::emitVote(OpBuilder &b, TileEvaluator &tile,
                        const ReductionPass &pass) {
  const ThreadLayout &layout = tile.getLayout();
  Location loc = tile.getContext().loc;
  Value any;
  llvm::DenseSet<Value> seen;
  for (ReduceOp reduce : pass.reduces) {
    Value predicate = reduce.getPredicate();
    if (!seen.insert(predicate).second)
      continue;
    SmallVector<Value> chosen = tile.evaluate(b, predicate);
    for (const Position &position : layout.positions(layout.of(predicate))) {
      Value domain = layout.element(predicate, chosen, position);
      if (Value inside =
              tile.isInside(b, layout.getAxes().of(predicate), position))
        domain = arith::AndIOp::create(b, loc, domain, inside);
      any = any ? Value(arith::OrIOp::create(b, loc, any, domain)) : domain;
    }
  }
  return cluster::AnyOp::create(b, loc, any);
}
