//===- Traffic.cpp - What a collective of a cluster moves -----------------===//
//
// An algorithm is a sequence of steps, in each of which all blocks do the same:
// messages to all, to one or from one, a ring, rounds of remote loads, copies
// of slices. The measured all-reduce of one word (`mailbox_cycles`) stands for
// a step in which a block hears from all others: it holds one block barrier,
// the messages, the wait, and the combination of a word of each. What is
// further sent comes at the rate of `dsmem_gbps`, what is further combined at
// that of a merge between lanes.
//
//===----------------------------------------------------------------------===//

#include "cascade/Analysis/Cluster/Traffic.h"
#include "llvm/Support/MathExtras.h"

using namespace cascade::cluster;

llvm::StringRef cascade::cluster::stringifyCollectiveKind(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::AllReduce:
    return "all_reduce";
  case CollectiveKind::Reduce:
    return "reduce";
  case CollectiveKind::ReduceScatter:
    return "reduce_scatter";
  case CollectiveKind::AllGather:
    return "all_gather";
  case CollectiveKind::Gather:
    return "gather";
  case CollectiveKind::Broadcast:
    return "broadcast";
  }
  llvm_unreachable("unknown collective");
}

Traffic &Traffic::operator+=(const Traffic &other) {
  bytes += other.bytes;
  messages += other.messages;
  rounds += other.rounds;
  slotBytes += other.slotBytes;
  cycles += other.cycles;
  return *this;
}

static Traffic operator+(Traffic lhs, const Traffic &rhs) { return lhs += rhs; }

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

namespace {
constexpr int64_t kWordBytes = 4;
/// Warps of the blocks that the barriers and exchanges of a target are for.
constexpr int64_t kMeasuredWarps = 4;

/// Tuples that one block sends to another: one of each group of threads.
struct Tuples {
  int64_t groups = 0;
  int64_t words = 0; ///< of a tuple

  int64_t bytes() const { return groups * words * kWordBytes; }
  /// Messages of 4, 8 or 16 bytes.
  int64_t messages() const {
    constexpr int64_t most = kMaxStoreAsyncBytes / kWordBytes;
    return groups * (words <= 2 ? 1 : llvm::divideCeil(words, most));
  }
};

class Model {
public:
  Model(const CollectiveShape &shape, const TargetConstants &gpu)
      : shape(shape), gpu(gpu), ranks(shape.clusterSize),
        levels(llvm::Log2_64_Ceil(ranks)),
        warps(llvm::divideCeil(shape.threads, kWarpSize)) {
    double perSecond = double(TargetConstants::at(gpu.dsmemGbps, ranks)) * 1e9 /
                       double(gpu.sms);
    bytesPerCycle = perSecond / (double(gpu.clockKhz) * 1e3);
  }

  /// The whole exchange.
  std::optional<Traffic> tuples(Algorithm algorithm) const;
  std::optional<Traffic> slices(Algorithm algorithm) const;

  double clusterBarrier() const {
    return double(gpu.clusterBarrierCycles) +
           ofFurtherWarps(gpu.clusterBarrierSlope);
  }

private:
  // Tuples, of one sender for one receiver.
  Traffic toAll(Tuples tuples) const;
  Traffic toOne(Tuples tuples) const;
  Traffic fromOne(Tuples tuples) const;
  Traffic aroundRing(Tuples tuples) const;
  Traffic downTree(Tuples tuples) const;
  Traffic remoteRounds(Tuples tuples) const;
  Traffic throughGlobal(Tuples tuples, int64_t tuplesRead) const;
  /// Combines the words of a tuple beyond the first, of all ranks.
  Traffic combination(int64_t words) const;

  // Slices of a buffer, of which every block has one.
  Traffic readAll(int64_t bytes, int64_t readers) const;
  Traffic copy(int64_t total, int64_t bytes, int64_t copies,
               int64_t rounds) const;

  /// Cycles of `bytes` through the shared memory of one block.
  double transfer(double bytes) const {
    return std::max(bytes, 0.0) / bytesPerCycle;
  }
  /// What warps beyond those of the measurements add.
  double ofFurtherWarps(int64_t slope) const {
    return double(slope * (warps - kMeasuredWarps));
  }
  double blockBarrier() const {
    return double(gpu.blockBarrierCycles) +
           ofFurtherWarps(gpu.blockBarrierSlope);
  }
  /// A step in which a block hears one word from each of `senders` - 1 others.
  double exchange(int64_t senders) const {
    return double(TargetConstants::at(gpu.mailboxCycles, senders)) +
           ofFurtherWarps(gpu.blockBarrierSlope);
  }

  /// A message that waits for the one before it.
  double hop(Tuples tuples) const {
    return double(gpu.storeAsyncCycles) +
           transfer(double(tuples.bytes() - kWordBytes));
  }

  const CollectiveShape &shape;
  const TargetConstants &gpu;
  int64_t ranks;
  int64_t levels; ///< log2 of the ranks, rounded up
  int64_t warps;  ///< of a block
  double bytesPerCycle;
};
} // namespace

Traffic Model::toAll(Tuples tuples) const {
  int64_t others = ranks - 1, received = others * tuples.bytes();
  return {ranks * received, ranks * others * tuples.messages(), /*rounds=*/1,
          ranks * tuples.bytes(),
          exchange(ranks) + transfer(double(received - others * kWordBytes))};
}

Traffic Model::toOne(Tuples tuples) const {
  Traffic step = toAll(tuples);
  step.bytes /= ranks;
  step.messages /= ranks;
  return step;
}

Traffic Model::fromOne(Tuples tuples) const {
  // A copy for each of the others leaves the sender.
  int64_t others = ranks - 1, sent = others * tuples.bytes();
  return {sent, others * tuples.messages(), /*rounds=*/1, tuples.bytes(),
          exchange(2) + transfer(double(sent - others * kWordBytes))};
}

Traffic Model::aroundRing(Tuples tuples) const {
  Traffic step = toAll(tuples);
  step.rounds = ranks - 1;
  step.cycles = exchange(ranks) - double(gpu.storeAsyncCycles) +
                double(step.rounds) * hop(tuples);
  return step;
}

Traffic Model::downTree(Tuples tuples) const {
  Traffic step = fromOne(tuples);
  step.rounds = levels;
  step.cycles = exchange(2) - double(gpu.storeAsyncCycles) +
                double(step.rounds) * hop(tuples);
  return step;
}

/// The ranks beyond a power of two meet a partner first, and all ranks follow
/// all rounds. Every warp reads the tuples of its groups.
Traffic Model::remoteRounds(Tuples tuples) const {
  int64_t powers = llvm::bit_floor(uint64_t(ranks)), surplus = ranks - powers;
  int64_t rounds = llvm::Log2_64(powers);
  int64_t reads = ranks * rounds + 2 * surplus;
  Traffic step;
  step.bytes = reads * tuples.bytes();
  step.messages = reads * tuples.messages();
  step.rounds = rounds + (surplus > 0);
  step.slotBytes = step.rounds * tuples.bytes();
  step.cycles = double(TargetConstants::at(gpu.treeCycles, powers));
  if (surplus > 0)
    step.cycles += double(TargetConstants::at(gpu.treeCycles, 2));
  int64_t further = (std::max(tuples.groups, warps) * tuples.words - warps);
  step.cycles +=
      double(step.rounds) * (ofFurtherWarps(gpu.clusterBarrierSlope) +
                             transfer(double(further * kWordBytes)));
  // The last round's slot is read before a block goes on.
  step.cycles += clusterBarrier();
  return step;
}

/// Every warp reads the tuples of its groups from the L2 cache.
Traffic Model::throughGlobal(Tuples tuples, int64_t tuplesRead) const {
  double perCycle =
      double(gpu.l2Gbps) * 1e9 / double(gpu.sms) / (double(gpu.clockKhz) * 1e3);
  int64_t words = std::max(tuples.groups, warps) * tuples.words * tuplesRead;
  Traffic step;
  step.rounds = 1;
  step.cycles = 2 * double(gpu.l2Latency) + clusterBarrier() +
                double(tuples.bytes() + words * kWordBytes) / perCycle;
  return step;
}

Traffic Model::combination(int64_t words) const {
  // A merge over 32 lanes: five rounds of two words.
  constexpr double roundsAndWords = 5 * 2;
  Traffic step;
  step.cycles = double(levels * (words - 1)) * double(gpu.laneMergeCycles) /
                roundsAndWords;
  return step;
}

/// `readers` blocks combine `bytes` each, which they read from all others, a
/// load of an element from each of them at a time.
Traffic Model::readAll(int64_t bytes, int64_t readers) const {
  int64_t elements = llvm::divideCeil(bytes, shape.unitBytes);
  double turns = double(llvm::divideCeil(elements, shape.threads));
  int64_t received = (ranks - 1) * bytes;
  Traffic step;
  step.bytes = readers * received;
  step.messages = readers * (ranks - 1) * elements;
  step.rounds = 1;
  step.cycles =
      std::max(turns * double(gpu.dsmemLatency), transfer(double(received)));
  return step;
}

/// Bulk copies of `total` bytes in the cluster, of which the busiest block
/// passes `bytes` a round.
Traffic Model::copy(int64_t total, int64_t bytes, int64_t copies,
                    int64_t rounds) const {
  double rate = std::min(bytesPerCycle, double(gpu.bulkBytesPerCycle));
  Traffic step;
  step.bytes = total;
  step.messages = copies;
  step.rounds = rounds;
  step.cycles = blockBarrier() + double(rounds) * (double(gpu.bulkCycles) +
                                                   double(bytes) / rate);
  return step;
}

//===----------------------------------------------------------------------===//
// Algorithms
//===----------------------------------------------------------------------===//

std::optional<Traffic> Model::tuples(Algorithm algorithm) const {
  using Kind = CollectiveKind;
  int64_t words = llvm::divideCeil(shape.unitBytes, kWordBytes);
  Tuples whole, slice;
  whole.groups = llvm::divideCeil(shape.payloadBytes, shape.unitBytes);
  whole.words = words;
  slice.groups = whole.groups;
  slice.words = llvm::divideCeil(words, ranks);
  bool isForAll =
      shape.kind == Kind::AllReduce || shape.kind == Kind::AllGather;
  bool isScattered = shape.kind == Kind::ReduceScatter;
  Traffic merge;
  if (shape.kind == Kind::AllReduce || shape.kind == Kind::Reduce)
    merge = combination(words);
  if (isScattered)
    merge = combination(slice.words);
  switch (algorithm) {
  case Algorithm::Mailbox:
    if (isForAll)
      return toAll(whole) + merge;
    if (isScattered)
      return toAll(slice) + merge;
    return (shape.kind == Kind::Broadcast ? fromOne(whole) : toOne(whole)) +
           merge;
  case Algorithm::Tree:
    if (shape.kind == Kind::Broadcast)
      return downTree(whole);
    if (shape.kind == Kind::AllReduce || shape.kind == Kind::Reduce)
      return remoteRounds(whole) + merge;
    return std::nullopt;
  case Algorithm::Ring:
    if (isForAll)
      return aroundRing(whole) + merge;
    return std::nullopt;
  case Algorithm::Scatter:
    if (shape.kind == Kind::AllReduce && words >= ranks)
      return toAll(slice) + combination(slice.words) + toAll(slice);
    return std::nullopt;
  case Algorithm::Global: {
    bool readsOne = shape.kind == Kind::Broadcast || isScattered;
    return throughGlobal(whole, readsOne ? 1 : ranks) + merge;
  }
  case Algorithm::Auto:
    return std::nullopt;
  }
  llvm_unreachable("unknown algorithm");
}

std::optional<Traffic> Model::slices(Algorithm algorithm) const {
  using Kind = CollectiveKind;
  int64_t bytes = shape.payloadBytes, others = ranks - 1;
  int64_t slice = llvm::divideCeil(bytes, ranks);
  bool isRing = algorithm == Algorithm::Ring;
  bool isMailbox = algorithm == Algorithm::Mailbox;
  bool isScatter = algorithm == Algorithm::Scatter;
  Traffic gather = copy(ranks * others * slice, others * slice, ranks * others,
                        /*rounds=*/1);
  Traffic around = copy(ranks * others * slice, slice, ranks * others, others);
  Traffic toRoot = copy(others * slice, others * slice, others, /*rounds=*/1);
  switch (shape.kind) {
  case Kind::AllReduce:
    if (isScatter || isRing)
      return readAll(slice, ranks) + (isRing ? around : gather);
    return std::nullopt;
  case Kind::Reduce:
    if (isScatter)
      return readAll(slice, ranks) + toRoot;
    if (isMailbox)
      return readAll(bytes, /*readers=*/1);
    return std::nullopt;
  case Kind::ReduceScatter:
    if (isScatter)
      return readAll(slice, ranks);
    return std::nullopt;
  case Kind::AllGather:
    if (isMailbox || isRing)
      return isRing ? around : gather;
    return std::nullopt;
  case Kind::Gather:
    if (isMailbox)
      return toRoot;
    return std::nullopt;
  case Kind::Broadcast:
    if (isMailbox)
      return copy(others * bytes, others * bytes, others, /*rounds=*/1);
    if (algorithm == Algorithm::Tree)
      return copy(others * bytes, bytes, others, levels);
    return std::nullopt;
  }
  llvm_unreachable("unknown collective");
}

std::optional<Traffic>
cascade::cluster::estimateTraffic(const CollectiveShape &shape,
                                  Algorithm algorithm,
                                  const TargetConstants &gpu) {
  if (shape.clusterSize <= 1)
    return Traffic();
  Model model(shape, gpu);
  if (!shape.isSlice)
    return model.tuples(algorithm);
  std::optional<Traffic> traffic = model.slices(algorithm);
  // All blocks are done with their buffers before one touches another's.
  if (traffic)
    traffic->cycles += model.clusterBarrier();
  return traffic;
}

Algorithm cascade::cluster::chooseAlgorithm(
    const CollectiveShape &shape, llvm::ArrayRef<Algorithm> candidates,
    const TargetConstants &gpu, int64_t mostSlotBytes) {
  auto costOf = [&](Algorithm algorithm) {
    std::optional<Traffic> traffic = estimateTraffic(shape, algorithm, gpu);
    constexpr double unknown = std::numeric_limits<double>::infinity();
    if (!traffic)
      return std::pair(true, unknown);
    return std::pair(traffic->slotBytes > mostSlotBytes, traffic->cycles);
  };
  Algorithm best = candidates.front();
  for (Algorithm algorithm : candidates.drop_front())
    if (costOf(algorithm) < costOf(best))
      best = algorithm;
  return best;
}
