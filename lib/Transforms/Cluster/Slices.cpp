//===- Slices.cpp - Collectives on buffers of shared memory ---------------===//
//
// In place, between the blocks of a cluster. Reductions read the slices of all
// ranks where they lie, by remote loads in rank order; slices are moved by bulk
// copies that complete on the receiver's mbarrier.
//
// The accesses of one collective do not conflict: rank r alone reads slice r of
// any block, writes it in its own, and copies it over slice r of the others,
// once all of its threads have read. So they are one access; what orders it
// with the rest of the kernel, --cluster-insert-barriers places before. Bulk
// copies are of another proxy: every thread that may have written the buffer
// fences before that barrier.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cascade::cluster;

namespace {
class SliceExchange : Emitter {
public:
  SliceExchange(OpBuilder &builder, const Collective &collective,
                const KernelFrame &kernel, const ExchangePlan &plan);
  void run();

private:
  /// Combines elements first, first + 1, ... of all ranks into this block's.
  void combine(Value first, int64_t count);
  void expect(Value isReceiver, int64_t number, int64_t bytes);
  void wait(int64_t number = 0);
  /// Copies `bytes` bytes from element `first` (i32) on to block `target`.
  void copy(Value condition, Value first, int64_t bytes, Value target,
            int64_t number = 0);
  /// To every other block, by one thread each.
  void copyToAll(Value condition, Value first, int64_t bytes);
  /// Makes what the threads of this block have stored ready to be copied.
  void publish();

  void gatherAround();
  void gather();
  void broadcastTree();
  void reduce();

  const Collective &collective;
  const KernelFrame &kernel;
  const ExchangePlan &plan;
  Value buffer, rank;
  int64_t ranks, length, bytes, sliceLength, sliceBytes;
  Round round;
  Value isRoot;
};
} // namespace

SliceExchange::SliceExchange(OpBuilder &builder, const Collective &collective,
                             const KernelFrame &kernel,
                             const ExchangePlan &plan)
    : Emitter{builder, collective.op->getLoc()}, collective(collective),
      kernel(kernel), plan(plan), buffer(collective.buffer), rank(kernel.rank),
      ranks(kernel.clusterSize) {
  auto type = cast<MemRefType>(buffer.getType());
  length = type.getNumElements();
  sliceLength = length / ranks;
  int64_t bits = type.getElementType().getIntOrFloatBitWidth();
  bytes = length * llvm::divideCeil(bits, 8);
  sliceBytes = bytes / ranks;
  round = getRound(*this, plan);
  isRoot = equals(rank, collective.root);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void SliceExchange::combine(Value first, int64_t count) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  Merger merge(collective, {element});
  SmallVector<Value> peers;
  for (int64_t peer = 0; peer < ranks; ++peer)
    peers.push_back(MapSharedOp::create(builder, loc, buffer, constant(peer)));
  auto loop = scf::ForOp::create(builder, loc, kernel.thread, constant(count),
                                 constant(kernel.threads));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value at = toIndex(add(first, loop.getInductionVar()));
  SmallVector<SmallVector<Value>> states;
  for (Value peer : peers)
    states.push_back({memref::LoadOp::create(builder, loc, peer, at)});
  Value merged = merge.all(builder, loc, states).front();
  memref::StoreOp::create(builder, loc, merged, buffer, at);
}

void SliceExchange::expect(Value isReceiver, int64_t number, int64_t bytes) {
  Value mbarrier = getMBarrier(*this, plan, round, number);
  guarded(both(kernel.isThread0, isReceiver), [&] {
    MBarrierExpectTxOp::create(builder, loc, kernel.mbarriers, mbarrier,
                               constant(bytes));
  });
}

void SliceExchange::wait(int64_t number) {
  MBarrierWaitOp::create(builder, loc, kernel.mbarriers,
                         getMBarrier(*this, plan, round, number), round.parity);
}

void SliceExchange::copy(Value condition, Value first, int64_t bytes,
                         Value target, int64_t number) {
  Value at = toIndex(first);
  Value mbarrier = getMBarrier(*this, plan, round, number);
  guarded(condition, [&] {
    CopyAsyncOp::create(builder, loc, buffer, at, buffer, at, kernel.mbarriers,
                        mbarrier, target, constant(bytes));
  });
}

void SliceExchange::copyToAll(Value condition, Value first, int64_t bytes) {
  Value isOther = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                        kernel.thread, rank);
  copy(both(both(below(kernel.thread, ranks), isOther), condition), first,
       bytes, kernel.thread);
}

void SliceExchange::publish() {
  FenceOp::create(builder, loc, FenceKind::ProxyAsyncShared);
  gpu::BarrierOp::create(builder, loc);
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// In step k the slice of rank r - k goes to the next block, which gets it on
/// mbarrier k.
void SliceExchange::gatherAround() {
  for (int64_t step = 0; step + 1 < ranks; ++step)
    expect({}, step, sliceBytes);
  Value next = modulo(add(rank, 1), ranks);
  for (int64_t step = 0; step + 1 < ranks; ++step) {
    Value from = modulo(add(rank, ranks - step), ranks);
    copy(kernel.isThread0, scale(from, sliceLength), sliceBytes, next, step);
    wait(step);
  }
}

void SliceExchange::gather() {
  Value first = scale(rank, sliceLength);
  int64_t received = (ranks - 1) * sliceBytes;
  if (collective.algorithm == Algorithm::Ring)
    return gatherAround();
  if (!collective.isToRoot()) {
    expect({}, 0, received);
    copyToAll({}, first, sliceBytes);
    return wait();
  }
  expect(isRoot, 0, received);
  Value isOther = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                        rank, constant(collective.root));
  copy(both(kernel.isThread0, isOther), first, sliceBytes,
       constant(collective.root));
  guarded(isRoot, [&] { wait(); });
}

/// With ranks counted from the root, rank p sends the buffer to p + 2^k for
/// every 2^k above p, once it has it; thread k does.
void SliceExchange::broadcastTree() {
  Value fromRoot = modulo(add(rank, (ranks - collective.root) % ranks), ranks);
  Value stride =
      arith::ShLIOp::create(builder, loc, constant(1), kernel.thread);
  Value isAbove = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt,
                                        stride, fromRoot);
  Value isThere = below(add(fromRoot, stride), ranks);
  Value isSender = below(kernel.thread, llvm::Log2_64_Ceil(ranks));
  copy(both(isSender, both(isAbove, isThere)), constant(0), bytes,
       modulo(add(rank, stride), ranks));
}

void SliceExchange::reduce() {
  bool isWhole = collective.algorithm == Algorithm::Mailbox;
  if (isWhole)
    return guarded(isRoot, [&] { combine(constant(0), length); });
  combine(scale(rank, sliceLength), sliceLength);
  if (collective.kind == CollectiveKind::ReduceScatter)
    return;
  publish();
  gather();
}

void SliceExchange::run() {
  if (collective.isReduction())
    return reduce();
  if (collective.kind != CollectiveKind::Broadcast)
    return gather();
  Value isOther = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                                        rank, constant(collective.root));
  expect(isOther, 0, bytes);
  if (collective.algorithm != Algorithm::Tree)
    copyToAll(isRoot, constant(0), bytes);
  guarded(isOther, [&] { wait(); });
  if (collective.algorithm == Algorithm::Tree)
    broadcastTree();
}

void cascade::cluster::expandSlices(OpBuilder &builder,
                                    const Collective &collective,
                                    const KernelFrame &kernel,
                                    const ExchangePlan &plan) {
  // Without a copy everything is of one proxy.
  Location loc = collective.op->getLoc();
  if (plan.mbarriers > 0)
    FenceOp::create(builder, loc, FenceKind::ProxyAsyncShared);
  Emitter{builder, loc}.asOneAccess(
      [&] { SliceExchange(builder, collective, kernel, plan).run(); });
}
