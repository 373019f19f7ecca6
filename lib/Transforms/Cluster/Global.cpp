//===- Global.cpp - Exchange through global memory ------------------------===//
//
// Exists to measure what distributed shared memory is worth: every block writes
// its tuples to the workspace, meets the others in a cluster barrier, which
// orders global memory too, and reads theirs. The workspace holds no flags and
// needs no initialisation. Word w of a cluster's part is word
// cluster * workspaceWords + w of it. It is an operand, or a part of the
// kernel's own.
//
// Rounds alternate between two sets: a block writes round r + 2 after the
// barrier of round r + 1, before which all blocks have read round r.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace cascade::cluster;

namespace {
/// The tuples of this group of threads in the workspace.
class WorkspaceTuples {
public:
  WorkspaceTuples(Expansion &e, const ExchangePlan &plan, int64_t count)
      : e(e) {
    Round round = getRound(e, plan);
    first = e.scale(placeInSet(e, round, e.who.group, e.who.groups), count);
    Value words = index(e.kernel.workspaceWords);
    base = arith::MulIOp::create(e.builder, e.loc, e.kernel.cluster, words);
    base = arith::AddIOp::create(e.builder, e.loc, base,
                                 index(plan.workspaceOffset));
  }

  void store(Value tuple, ValueRange values) {
    for (auto [word, value] :
         llvm::enumerate(e.packing.toWords(e.builder, e.loc, values)))
      storeWord(value, at(tuple, word));
  }

  SmallVector<Value> load(Value tuple) {
    SmallVector<Value> words;
    for (int64_t word = 0; word < e.packing.getNumWords(); ++word)
      words.push_back(loadWord(at(tuple, word)));
    return e.packing.fromWords(e.builder, e.loc, words);
  }

private:
  /// The address of a word of the kernel's own workspace.
  Value addressOf(Value index) {
    Value word = arith::IndexCastUIOp::create(e.builder, e.loc,
                                              e.builder.getI64Type(), index);
    return LLVM::GEPOp::create(e.builder, e.loc, e.kernel.workspace.getType(),
                               e.builder.getI32Type(), e.kernel.workspace,
                               ArrayRef<LLVM::GEPArg>{word});
  }
  void storeWord(Value value, Value index) {
    if (e.collective.workspace)
      memref::StoreOp::create(e.builder, e.loc, value, e.collective.workspace,
                              index);
    else
      LLVM::StoreOp::create(e.builder, e.loc, value, addressOf(index),
                            kWordBytes);
  }
  Value loadWord(Value index) {
    if (e.collective.workspace)
      return memref::LoadOp::create(e.builder, e.loc, e.collective.workspace,
                                    index);
    return LLVM::LoadOp::create(e.builder, e.loc, e.builder.getI32Type(),
                                addressOf(index), kWordBytes);
  }

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(e.builder, e.loc, value);
  }
  Value at(Value tuple, int64_t word) {
    Value place = e.scale(e.add(first, tuple), e.packing.getNumWords());
    return arith::AddIOp::create(e.builder, e.loc, base,
                                 e.toIndex(e.add(place, word)));
  }

  Expansion &e;
  Value first, base;
};
} // namespace

SmallVector<Value> cascade::cluster::expandGlobal(Expansion &e,
                                                  const ExchangePlan &plan,
                                                  ValueRange values) {
  int64_t ranks = e.kernel.clusterSize;
  CollectiveKind kind = e.collective.kind;
  bool isScattered = kind == CollectiveKind::ReduceScatter;
  bool isFromRoot = kind == CollectiveKind::Broadcast;
  int64_t tuplesOfRank = isScattered ? ranks : 1;
  Expansion part = isScattered ? e.ofSlices(ranks) : e;
  WorkspaceTuples tuples(part, plan, ranks * tuplesOfRank);
  SmallVector<SmallVector<Value>> mine = e.slice(values, tuplesOfRank);

  Value isRoot = e.isRoot();
  Value isWriter = e.both(e.isLeader(), isFromRoot ? isRoot : Value());
  e.guarded(isWriter, [&] {
    Value first = e.scale(e.kernel.rank, tuplesOfRank);
    for (auto [index, tuple] : llvm::enumerate(mine))
      tuples.store(e.add(first, index), tuple);
  });
  BarrierOp::create(e.builder, e.loc);
  return e.onlyWhere(e.collective.isToRoot() ? isRoot : Value(),
                     e.collective.op->getResultTypes(),
                     [&]() -> SmallVector<Value> {
                       if (isFromRoot)
                         return tuples.load(e.constant(e.collective.root));
                       SmallVector<SmallVector<Value>> all;
                       for (int64_t rank = 0; rank < ranks; ++rank) {
                         Value tuple = e.constant(rank * tuplesOfRank);
                         if (isScattered)
                           tuple = e.add(tuple, e.kernel.rank);
                         all.push_back(tuples.load(tuple));
                       }
                       return e.collective.isReduction()
                                  ? part.merge.all(e.builder, e.loc, all)
                                  : e.concatenate(all);
                     });
}
