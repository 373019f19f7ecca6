//===- ChooseAlgorithm.cpp - How blocks exchange --------------------------===//

#include "ChooseAlgorithm.h"
#include "Collective.h"

using namespace cascade::cluster;

namespace {
/// The algorithms of a collective, the best for small payloads first.
struct Row {
  CollectiveKind kind;
  bool isSlice;
  llvm::SmallVector<Algorithm, 5> algorithms;
};
} // namespace

static const Row kTable[] = {
    {CollectiveKind::AllReduce,
     false,
     {Algorithm::Mailbox, Algorithm::Tree, Algorithm::Ring, Algorithm::Scatter,
      Algorithm::Global}},
    {CollectiveKind::Reduce,
     false,
     {Algorithm::Mailbox, Algorithm::Tree, Algorithm::Global}},
    {CollectiveKind::ReduceScatter,
     false,
     {Algorithm::Mailbox, Algorithm::Global}},
    {CollectiveKind::AllGather,
     false,
     {Algorithm::Mailbox, Algorithm::Ring, Algorithm::Global}},
    {CollectiveKind::Gather, false, {Algorithm::Mailbox, Algorithm::Global}},
    {CollectiveKind::GatherScatter,
     false,
     {Algorithm::Mailbox, Algorithm::Global}},
    {CollectiveKind::Broadcast,
     false,
     {Algorithm::Mailbox, Algorithm::Tree, Algorithm::Global}},
    {CollectiveKind::AllReduce, true, {Algorithm::Scatter, Algorithm::Ring}},
    {CollectiveKind::Reduce, true, {Algorithm::Scatter, Algorithm::Mailbox}},
    {CollectiveKind::ReduceScatter, true, {Algorithm::Scatter}},
    {CollectiveKind::AllGather, true, {Algorithm::Mailbox, Algorithm::Ring}},
    {CollectiveKind::Gather, true, {Algorithm::Mailbox}},
    {CollectiveKind::Broadcast, true, {Algorithm::Mailbox, Algorithm::Tree}},
};

llvm::ArrayRef<Algorithm> cascade::cluster::getAlgorithms(CollectiveKind kind,
                                                          bool isSlice) {
  for (const Row &row : kTable)
    if (row.kind == kind && row.isSlice == isSlice)
      return row.algorithms;
  llvm_unreachable("every collective has a row");
}

llvm::SmallVector<Algorithm>
cascade::cluster::getAutoAlgorithms(const Collective &collective) {
  llvm::SmallVector<Algorithm> algorithms(
      getAlgorithms(collective.kind, collective.isSlice()));
  if (!collective.isSlice())
    llvm::erase_if(algorithms, [&](Algorithm algorithm) {
      return algorithm == Algorithm::Global ||
             (algorithm == Algorithm::Scatter && !collective.canBeCut());
    });
  return algorithms;
}

Algorithm cascade::cluster::chooseAlgorithm(const Collective &collective,
                                            const TargetConstants &gpu) {
  return chooseAlgorithm(collective.getShape(), getAutoAlgorithms(collective),
                         gpu, kMaxSlotBytes / collective.getNumSets());
}
