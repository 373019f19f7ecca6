//===- Machine.h - Blocks, warps and lanes of one cluster ------*- C++ -*-===//

#ifndef CASCADE_LIB_TARGET_SIM_MACHINE_H
#define CASCADE_LIB_TARGET_SIM_MACHINE_H

#include "GlobalMemory.h"
#include "SharedMemory.h"
#include "cascade/Target/Sim/Simulator.h"
#include <deque>
#include <optional>

namespace cascade::sim {

/// What lanes wait for.
enum class Wait : uint8_t {
  None,
  Lanes, ///< the other lanes of the warp, at the same instruction
  BlockBarrier,
  ClusterBarrier,
  MBarrier,
};

/// Lanes of a warp at the same instruction. Lanes part at branches; they meet
/// again when one group comes to the instruction of another. The group that is
/// furthest behind runs first, so that they do.
struct LaneGroup {
  uint32_t pc = 0;
  uint32_t mask = 0;
  Wait wait = Wait::None;
};

struct Block;

struct Warp {
  Block *block = nullptr;
  uint32_t firstThread = 0; ///< component of lane 0
  uint32_t present = 0;     ///< lanes that exist
  uint32_t live = 0;        ///< lanes that have not returned
  uint32_t epoch = 1;
  bool isReady = true;
  uint64_t instructions = 0;
  std::vector<uint8_t> frame;
  llvm::SmallVector<LaneGroup, 4> groups;
  /// Of each lane: its clock; what a proxy fence has published to the async
  /// proxy; what a fence has published for a relaxed arrival.
  ClockRef clock[kLanes], proxy[kLanes], fenced[kLanes];
  /// Cluster barriers that each lane has arrived at, and waited for.
  uint32_t arrivals[kLanes] = {}, waits[kLanes] = {};

  View view(unsigned lane) const {
    return {clock[lane].get(), firstThread + lane};
  }
};

struct MBarrier {
  bool isInitialised = false;
  int64_t count = 0, pending = 0, bytes = 0;
  uint32_t phase = 0; ///< that is not complete
  Stamp init;
  /// The number of the cluster barrier that published the initialisation, or
  /// none: the fence that must stand between is missing.
  bool isFenced = false;
  uint32_t publishedBy = ~0u;
  /// Whether a fence has made the initialisation visible to bulk copies of its
  /// block, and of all.
  bool isKnownToOwnBulk = false, isKnownToBulk = false;
  ClockSum arrived;
  ClockRef completed; ///< of the phase before
  Stamp lastStore;    ///< asynchronous
};

struct Block {
  uint32_t rank = 0;
  std::array<uint32_t, 3> index = {};
  std::vector<Warp> warps;
  SharedMemory shared;
  std::vector<MBarrier> mbarriers;
  uint32_t waiting = 0;  ///< warps at the block barrier
  uint32_t returned = 0; ///< threads
  uint32_t threads = 0;
  bool hasExited = false;
  /// The last access of each thread of another block, and the last read of each
  /// mbarrier's bulk copies.
  std::map<uint32_t, Stamp> remoteAccesses;
  /// Everything that its threads knew when they returned.
  ClockSum knownAtExit;
};

/// An asynchronous store or a piece of a bulk copy on its way.
struct Message {
  uint32_t from, to; ///< ranks
  uint32_t offset, bytes, mbarrier, op;
  std::optional<uint32_t> source; ///< offset in block `from`, of a copy
  std::optional<uint64_t> global; ///< address, of a bulk load
  uint8_t data[16];
  Warp *warp;
  uint32_t lane, epoch; ///< of the thread that issued it
  ClockRef clock, proxy;
};

/// One cluster of a launch, from its start to the return of all its threads.
class Machine {
public:
  Machine(const Program &program, const LaunchSize &size, GlobalMemory &global,
          llvm::ArrayRef<uint64_t> arguments, Reporter &reporter,
          const Options &options);

  /// Runs the cluster whose first block is `origin`. False: it cannot go on.
  bool run(std::array<uint32_t, 3> origin, uint32_t clusterNumber);

private:
  // Start and schedule (Schedule.cpp).
  void start(std::array<uint32_t, 3> origin);
  void startWarp(Block &block, uint32_t number);
  Warp *chooseWarp();
  void deliverOne();
  void reportDeadlock();
  std::string describeWait(const Warp &warp, const LaneGroup &group) const;

  // Execution (Execute.cpp).
  /// Runs `warp` until it waits, or `events` synchronising operations are done.
  void runWarp(Warp &warp, unsigned events);
  size_t chooseGroup(Warp &warp);
  void mergeGroups(Warp &warp);
  /// Executes what is no arithmetic. False: the lanes wait; otherwise the group
  /// has moved on.
  bool step(Warp &warp, LaneGroup &group, const Instr &instr);
  void shuffle(Warp &warp, uint32_t mask, const Instr &instr);
  void vote(Warp &warp, uint32_t mask, const Instr &instr);
  // Matrices (Tensor.cpp).
  bool checkWholeWarp(Warp &warp, const Instr &instr);
  void multiply(Warp &warp, const Instr &instr);
  void transpose(Warp &warp, const Instr &instr);

  void returnLanes(Warp &warp, uint32_t mask);
  void exitBlock(Block &block, uint32_t op);

  // Barriers (Barriers.cpp).
  bool blockBarrier(Warp &warp, LaneGroup &group);
  ClockRef arriveLast(Block &block, const Instr &instr, const ClockRef &known);
  void warpBarrier(Warp &warp);
  void clusterArrive(Warp &warp, uint32_t mask, const Instr &instr);
  bool clusterWait(Warp &warp, LaneGroup &group, const Instr &instr);
  void completeClusterBarrier();
  void fence(Warp &warp, uint32_t mask, const Instr &instr);
  void wakeBlock(Block &block, Wait wait);
  /// The clock of a lane with its own epoch in it.
  void publishOwn(ClockSum &sum, const Warp &warp, unsigned lane);
  void publish(ClockSum &sum, const Warp &warp, unsigned lane) {
    sum.add(warp.clock[lane]);
    sum.add(warp.firstThread + lane, warp.epoch);
  }

  // Mbarriers and asynchronous operations (Asynchronous.cpp).
  MBarrier *findMBarrier(Warp &warp, unsigned lane, const Instr &instr,
                         uint32_t &number);
  bool checkVisible(const Warp &warp, unsigned lane, Block &block,
                    uint32_t number, uint32_t op);
  void mbarrierInit(Warp &warp, uint32_t mask, const Instr &instr);
  void mbarrierExpect(Warp &warp, uint32_t mask, const Instr &instr);
  bool mbarrierWait(Warp &warp, LaneGroup &group, const Instr &instr);
  void storeAsync(Warp &warp, uint32_t mask, const Instr &instr);
  void copyAsync(Warp &warp, uint32_t mask, const Instr &instr);
  void loadAsync(Warp &warp, uint32_t mask, const Instr &instr);
  bool checkBulkBytes(uint32_t bytes, uint32_t op);
  bool checkBulkMBarrier(bool isOwn, const Block &block, uint32_t number,
                         uint32_t op);
  void sendPieces(Message piece, uint32_t bytes);
  bool readGlobal(const Message &message, uint8_t *to);
  void deliver(const Message &message);
  void completeIfDone(Block &block, uint32_t number, uint32_t op);
  uint32_t componentOf(const Block &block, uint32_t mbarrier) const {
    return numThreads + block.rank * mbarriersPerBlock + mbarrier;
  }

  // Loads and stores (Access.cpp).
  void sharedAccess(Warp &warp, uint32_t mask, const Instr &instr,
                    bool isStore);
  void globalAccess(Warp &warp, uint32_t mask, const Instr &instr,
                    bool isStore);
  /// The address of one lane with its indices, or none after a report.
  std::optional<uint64_t> addressOf(Warp &warp, unsigned lane, uint32_t base,
                                    llvm::ArrayRef<Index> indices, uint32_t op);
  /// The block that a shared address is in, if that block may be touched.
  Block *blockOf(Warp &warp, unsigned lane, uint32_t rank, uint32_t op);
  bool checkSharedRange(uint32_t offset, uint32_t bytes, unsigned alignment,
                        uint32_t op);

  std::string describe(uint32_t component) const;
  void fail() { hasFailed = true; }

  const Program &program;
  const LaunchSize &size;
  GlobalMemory &global;
  llvm::ArrayRef<uint64_t> arguments;
  Reporter &reporter;
  const Options &options;
  uint64_t random;
  uint32_t nextRandom(uint32_t below);

  std::vector<uint8_t> initialFrame;
  uint32_t numBlocks, warpsPerBlock, threadsPerBlock, numThreads;
  uint32_t mbarriersPerBlock = 0, numComponents;
  std::vector<Block> blocks;
  std::vector<Message> messages;
  ClockJoin join, joinProxy;
  ClockSum clusterSum, clusterProxySum;
  uint32_t clusterPhase = 0, clusterArrived = 0, clusterReturned = 0;
  ClockRef clusterClock, clusterProxy; ///< of the phase before
  uint32_t clusterNumber = 0;
  uint32_t favoured = 0; ///< rank of the block that a policy treats apart
  bool hasFailed = false;
};

} // namespace cascade::sim

#endif // CASCADE_LIB_TARGET_SIM_MACHINE_H
