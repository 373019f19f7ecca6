//===- Traffic.cpp - What a collective of a cluster moves -----------------===//
//
// An algorithm is a sequence of steps, in each of which all blocks do the same:
// messages to all, to one or from one, a ring, rounds of remote loads, copies
// of slices. A measured exchange of one word (`mailbox_cycles`) stands for a
// step in which a block hears from all others: it holds one block barrier, the
// messages, and the wait. What more there is to send, read and combine comes at
// rates that are fields of the target, too.
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
  case CollectiveKind::GatherScatter:
    return "gather_scatter";
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
/// A bulk copy, a remote load of a slice.
constexpr int64_t kUnitBytes = 16;

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

/// A field in thousandths.
double ofThousand(int64_t value) { return double(value) / 1e3; }

class Model {
public:
  Model(const CollectiveShape &shape, const TargetConstants &gpu)
      : shape(shape), gpu(gpu), ranks(shape.clusterSize),
        levels(llvm::Log2_64_Ceil(ranks)),
        warps(llvm::divideCeil(shape.threads, kWarpSize)) {
    if (!shape.isSlice)
      lanes = std::clamp<int64_t>(shape.lanes, 1, kWarpSize);
  }

  /// The whole exchange.
  std::optional<Traffic> tuples(Algorithm algorithm) const;
  std::optional<Traffic> slices(Algorithm algorithm) const;

  double sliceBarrier() const {
    return double(gpu.sliceBarrierCycles) +
           ofFurtherWarps(gpu.clusterBarrierSlope);
  }

private:
  // Tuples, of one sender for one receiver.
  Traffic toAll(Tuples tuples) const;
  Traffic toOne(Tuples tuples) const;
  Traffic toEach(Tuples tuples) const;
  Traffic fromOne(Tuples tuples) const;
  Traffic aroundRing(Tuples tuples) const;
  Traffic downTree(Tuples tuples) const;
  Traffic remoteRounds(Tuples tuples) const;
  Traffic throughGlobal(Tuples tuples, int64_t wordsRead) const;
  /// Combines tuples of `words` words of all ranks, which have arrived.
  Traffic combination(int64_t words) const;
  /// Combines the tuples of the threads of each group.
  Traffic withinBlock(Tuples tuples) const;

  // Slices of a buffer, of which every block has one.
  Traffic readAll(int64_t bytes, int64_t readers) const;
  /// Bulk copies of `bytes` in all, the busiest block's part of which takes
  /// `cycles`.
  Traffic copy(int64_t bytes, int64_t copies, int64_t rounds,
               double cycles) const;

  /// What warps beyond those of the measurements add.
  double ofFurtherWarps(int64_t slope) const {
    return double(slope * (warps - kMeasuredWarps));
  }
  double clusterBarrier() const {
    return double(gpu.clusterBarrierCycles) +
           ofFurtherWarps(gpu.clusterBarrierSlope);
  }
  /// A step in which a block hears one word from each of `senders` - 1 others.
  double exchange(int64_t senders) const {
    return double(TargetConstants::at(gpu.mailboxCycles, senders)) +
           ofFurtherWarps(gpu.blockBarrierSlope);
  }

  /// Sending `tuples` to each of `receivers`, beyond one message each.
  double sending(Tuples tuples, int64_t receivers) const {
    // Lanes that are groups of their own write next to each other.
    if (lanes == 1 && tuples.messages() == tuples.groups)
      return double(receivers * tuples.bytes()) /
             ofThousand(gpu.packetBytesPerKcycle);
    double further = double((tuples.messages() - 1) * receivers);
    return further * ofThousand(gpu.sendMillicycles) + serial(tuples);
  }
  /// The messages of one tuple, one after another.
  double serial(Tuples tuples) const {
    return tuples.groups == 1
               ? double(tuples.messages() - 1) * gpu.nextMessageCycles
               : 0;
  }

  const CollectiveShape &shape;
  const TargetConstants &gpu;
  int64_t ranks;
  int64_t levels;            ///< log2 of the ranks, rounded up
  int64_t warps;             ///< of a block
  int64_t lanes = kWarpSize; ///< of a group
};
} // namespace

Traffic Model::toAll(Tuples tuples) const {
  int64_t others = ranks - 1, received = others * tuples.bytes();
  return {ranks * received, ranks * others * tuples.messages(), /*rounds=*/1,
          ranks * tuples.bytes(), exchange(ranks) + sending(tuples, ranks)};
}

Traffic Model::toOne(Tuples tuples) const {
  Traffic step = toAll(tuples);
  step.bytes /= ranks;
  step.messages /= ranks;
  double received = double(ranks * (tuples.messages() - 1)) *
                    ofThousand(gpu.receiveMillicycles);
  step.cycles = exchange(2) + gpu.oneSidedCycles +
                std::max(sending(tuples, 1), received + serial(tuples));
  return step;
}

/// Every block sends each tuple to one block, and equally many to all.
Traffic Model::toEach(Tuples tuples) const {
  int64_t others = ranks - 1;
  return {others * tuples.bytes(), others * tuples.messages(), /*rounds=*/1,
          tuples.bytes(), exchange(ranks) + sending(tuples, 1)};
}

Traffic Model::fromOne(Tuples tuples) const {
  // A copy for each of the others leaves the sender.
  int64_t others = ranks - 1;
  return {others * tuples.bytes(), others * tuples.messages(), /*rounds=*/1,
          tuples.bytes(),
          exchange(2) + gpu.oneSidedCycles + sending(tuples, ranks)};
}

Traffic Model::aroundRing(Tuples tuples) const {
  // In the first step a block sends to itself as well.
  Traffic step = toAll(tuples);
  step.rounds = ranks - 1;
  step.cycles =
      exchange(2) + sending(tuples, 2) +
      double(step.rounds - 1) * (gpu.ringHopCycles + sending(tuples, 1));
  return step;
}

Traffic Model::downTree(Tuples tuples) const {
  // The root sends to itself first.
  Traffic step = fromOne(tuples);
  step.rounds = levels;
  step.cycles = exchange(2) + gpu.oneSidedCycles -
                double(gpu.treeHopCycles) / 4 +
                double(levels * gpu.treeHopCycles) +
                double(levels + 1) * sending(tuples, 1);
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
  double read = double(warps * (kWarpSize / lanes) * tuples.words * kWordBytes);
  double further = std::max(double(tuples.words - 1) * gpu.remoteWordCycles,
                            read / ofThousand(gpu.remoteTupleBytesPerKcycle));
  step.cycles +=
      double(step.rounds) * (ofFurtherWarps(gpu.clusterBarrierSlope) +
                             (tuples.words > 1 ? further : 0));
  // A second round frees the slot of the first; the only one has a barrier.
  if (step.rounds == 1)
    step.cycles += gpu.closeBarrierCycles;
  return step;
}

/// A group's first thread stores its tuple word by word, and every lane group
/// loads `wordsRead` words, one at a time.
Traffic Model::throughGlobal(Tuples tuples, int64_t wordsRead) const {
  int64_t loads = warps * (kWarpSize / lanes) * wordsRead;
  Traffic step;
  step.rounds = 1;
  step.cycles = 2 * double(gpu.l2Latency) + clusterBarrier() +
                double(tuples.words * gpu.globalWordCycles) +
                double(tuples.groups * tuples.words) *
                    ofThousand(gpu.globalStoreMillicycles) +
                double(loads) * ofThousand(gpu.globalLoadMillicycles);
  return step;
}

Traffic Model::combination(int64_t words) const {
  double perWord =
      lanes == kWarpSize ? gpu.wordMergeCycles : gpu.scatteredMergeCycles;
  double byAll = double(ranks * words) * perWord;
  double byLanes = double(levels) *
                   (gpu.laneRoundCycles + double(words) * gpu.laneWordCycles);
  Traffic step;
  step.cycles = lanes >= ranks ? std::min(byAll, byLanes) : byAll;
  return step;
}

Traffic Model::withinBlock(Tuples tuples) const {
  Traffic step;
  step.cycles =
      double(llvm::Log2_64_Ceil(lanes)) *
      (gpu.laneRoundCycles + double(tuples.words) * gpu.laneWordCycles);
  int64_t groupWarps = warps * (kWarpSize / lanes) / tuples.groups;
  if (groupWarps > 1)
    step.cycles += gpu.warpBufferCycles +
                   double(groupWarps * tuples.words) *
                       (lanes == kWarpSize ? double(gpu.wordMergeCycles) / 2
                                           : gpu.scatteredMergeCycles);
  return step;
}

/// `readers` blocks combine `bytes` each, which they read from all others: in
/// a turn every thread reads a unit of each of them.
Traffic Model::readAll(int64_t bytes, int64_t readers) const {
  int64_t units = llvm::divideCeil(bytes, kUnitBytes), others = ranks - 1;
  int64_t turns = llvm::divideCeil(units, shape.threads);
  double rate = readers == 1 ? ofThousand(gpu.remoteLoneBytesPerKcycle)
                             : ofThousand(gpu.remoteReadBytesPerKcycle);
  double turn = double(others * std::min(units, shape.threads) * kUnitBytes);
  Traffic step;
  step.bytes = readers * others * bytes;
  step.messages = readers * others * llvm::divideCeil(bytes, shape.unitBytes);
  step.rounds = 1;
  step.cycles =
      double(turns) *
      std::max(gpu.remoteTurnCycles + double(others) * gpu.remotePeerCycles,
               turn / rate);
  return step;
}

Traffic Model::copy(int64_t bytes, int64_t copies, int64_t rounds,
                    double cycles) const {
  Traffic step;
  step.bytes = bytes;
  step.messages = copies;
  step.rounds = rounds;
  step.cycles = gpu.copyCycles + ofFurtherWarps(gpu.blockBarrierSlope) + cycles;
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
  Traffic block;
  if (shape.kind == Kind::AllReduce || shape.kind == Kind::Reduce ||
      isScattered)
    block = withinBlock(whole);
  if (shape.kind == Kind::AllReduce || shape.kind == Kind::Reduce)
    merge = block + combination(words);
  if (isScattered)
    merge = block + combination(slice.words);
  switch (algorithm) {
  case Algorithm::Mailbox:
    if (isForAll)
      return toAll(whole) + merge;
    if (isScattered)
      return toAll(slice) + merge;
    if (shape.kind == Kind::GatherScatter)
      return toEach(whole);
    return (shape.kind == Kind::Broadcast ? fromOne(whole) : toOne(whole)) +
           merge;
  case Algorithm::Tree:
    if (shape.kind == Kind::Broadcast)
      return downTree(whole);
    if (shape.kind == Kind::AllReduce || shape.kind == Kind::Reduce)
      return remoteRounds(whole) + block;
    return std::nullopt;
  case Algorithm::Ring:
    if (isForAll)
      return aroundRing(whole) + merge;
    return std::nullopt;
  case Algorithm::Scatter:
    if (shape.kind == Kind::AllReduce && words >= ranks)
      return block + toAll(slice) + combination(slice.words) + toAll(slice);
    return std::nullopt;
  case Algorithm::Global: {
    // What is gathered counts as read where it is used, as by messages.
    int64_t wordsRead = 0;
    if (shape.kind == Kind::Broadcast)
      wordsRead = words;
    else if (isScattered)
      wordsRead = ranks * slice.words;
    else if (shape.kind == Kind::AllReduce || shape.kind == Kind::Reduce)
      wordsRead = ranks * words;
    return throughGlobal(whole, wordsRead) + merge;
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
  // By copies to all others at once, on around a ring, or to one.
  double atOnce = double(ranks - 2) * gpu.copyNextCycles;
  Traffic gather = copy(ranks * others * slice, ranks * others, /*rounds=*/1,
                        atOnce + double(others * slice) /
                                     ofThousand(TargetConstants::at(
                                         gpu.copyToAllBytesPerKcycle, ranks)));
  Traffic around =
      copy(ranks * others * slice, ranks * others, others,
           double(others - 1) * gpu.copyHopCycles +
               double(others * slice) / ofThousand(gpu.copySendBytesPerKcycle));
  Traffic toRoot =
      copy(others * slice, others, /*rounds=*/1,
           std::max(double(slice) / ofThousand(gpu.copySendBytesPerKcycle),
                    double(others * slice) /
                        ofThousand(gpu.copyReceiveBytesPerKcycle)));
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
  case Kind::GatherScatter:
    return std::nullopt;
  case Kind::Broadcast:
    if (isMailbox)
      return copy(others * bytes, others, /*rounds=*/1,
                  atOnce + double(others * bytes) /
                               ofThousand(gpu.copySendBytesPerKcycle));
    if (algorithm == Algorithm::Tree)
      return copy(others * bytes, others, levels,
                  double(levels) * (double(bytes) /
                                    ofThousand(gpu.copySendBytesPerKcycle)) +
                      (double(levels) - 0.5) * gpu.copyHopCycles);
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
    traffic->cycles += model.sliceBarrier();
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
