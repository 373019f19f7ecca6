//===- Asynchronous.cpp - Mbarriers, st.async and bulk copies -------------===//
//
// PTX ISA 8.5, "Parallel Synchronization and Communication Instructions:
// mbarrier", "st.async", "cp.async.bulk". A store is delivered at any time
// after it is issued, in pieces and in any order; each piece takes its bytes
// off the transaction count, with the semantics of a release at cluster scope.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include <cstring>

using namespace cascade::sim;
using llvm::Twine;

/// Pending arrivals and transaction bytes are below 2^20.
static constexpr int64_t kMostPending = (int64_t(1) << 20) - 1;
/// Bytes of one piece of an asynchronous store, and of a bulk copy.
static constexpr uint32_t kStorePiece = 8, kBulkPiece = 16;

/// The mbarrier of an instruction in the block of `warp`, or null after a
/// report; its number in the block.
MBarrier *Machine::findMBarrier(Warp &warp, unsigned lane, const Instr &instr,
                                uint32_t &number) {
  const Access &access = program.accesses[instr.access];
  auto address =
      addressOf(warp, lane, access.mbarrier, access.mbarrierIndices, instr.op);
  if (!address) {
    fail();
    return nullptr;
  }
  uint32_t offset = SharedAddress::offsetOf(*address);
  number = 0;
  for (const SharedBuffer &buffer : program.shared) {
    if (!buffer.holdsMBarriers)
      continue;
    if (offset >= buffer.offset && offset < buffer.offset + buffer.bytes) {
      number += (offset - buffer.offset) / 8;
      return &warp.block->mbarriers[number];
    }
    number += buffer.bytes / 8;
  }
  reporter.report("mbarrier", instr.op,
                  "the mbarrier is in no workgroup buffer of the kernel");
  fail();
  return nullptr;
}

/// Whether a thread may use mbarrier `number` of `block`: its initialisation
/// has happened before.
bool Machine::checkVisible(const Warp &warp, unsigned lane, Block &block,
                           uint32_t number, uint32_t op) {
  MBarrier &mbarrier = block.mbarriers[number];
  std::string who = describe(warp.firstThread + lane);
  bool isPublished =
      mbarrier.publishedBy != ~0u && warp.waits[lane] > mbarrier.publishedBy;
  if (mbarrier.isInitialised &&
      (isPublished || warp.view(lane).covers(mbarrier.init)))
    return true;
  if (!mbarrier.isInitialised)
    reporter.report("mbarrier", op,
                    who + " uses an mbarrier of rank " + Twine(block.rank) +
                        " that nothing has initialised; initialise it and put "
                        "a barrier between");
  else
    reporter.report("mbarrier", op,
                    who + " uses an mbarrier of rank " + Twine(block.rank) +
                        " whose initialisation is not published to it; put "
                        "cluster.fence mbarrier_init after the initialisation "
                        "and a cluster barrier between",
                    {{mbarrier.init.op, "it is initialised here"}});
  return mbarrier.isInitialised;
}

void Machine::mbarrierInit(Warp &warp, uint32_t mask, const Instr &instr) {
  Lanes lanes{warp.frame.data(), mask};
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    uint32_t number;
    MBarrier *mbarrier = findMBarrier(warp, lane, instr, number);
    if (!mbarrier)
      return;
    uint32_t count = lanes.at<uint32_t>(instr.a)[lane];
    if (count == 0 || count > kMostPending)
      reporter.report("mbarrier", instr.op,
                      "an mbarrier takes 1 to " + Twine(kMostPending) +
                          " arrivals, not " + Twine(count));
    if (mbarrier->isInitialised)
      reporter.report("mbarrier", instr.op,
                      describe(warp.firstThread + lane) +
                          " initialises an mbarrier again",
                      {{mbarrier->init.op, "it is initialised here"}});
    mbarrier->isInitialised = true;
    mbarrier->count = mbarrier->pending = count;
    mbarrier->init = {warp.firstThread + lane, warp.epoch, instr.op};
  }
}

void Machine::mbarrierExpect(Warp &warp, uint32_t mask, const Instr &instr) {
  Lanes lanes{warp.frame.data(), mask};
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    uint32_t number;
    MBarrier *mbarrier = findMBarrier(warp, lane, instr, number);
    if (!mbarrier || !checkVisible(warp, lane, *warp.block, number, instr.op))
      return fail();
    if (mbarrier->pending == 0)
      reporter.report("mbarrier", instr.op,
                      describe(warp.firstThread + lane) +
                          " arrives at an mbarrier that has all " +
                          Twine(mbarrier->count) +
                          " arrivals of its phase; initialise it for more");
    else
      --mbarrier->pending;
    mbarrier->bytes += int32_t(lanes.at<uint32_t>(instr.a)[lane]);
    if (std::abs(mbarrier->bytes) > kMostPending)
      reporter.report("mbarrier", instr.op,
                      "an mbarrier expects " + Twine(mbarrier->bytes) +
                          " bytes, more than " + Twine(kMostPending));
    publish(mbarrier->arrived, warp, lane);
    completeIfDone(*warp.block, number, instr.op);
  }
  ++warp.epoch;
}

/// Completes the phase that has all its arrivals and bytes.
void Machine::completeIfDone(Block &block, uint32_t number, uint32_t) {
  MBarrier &mbarrier = block.mbarriers[number];
  if (mbarrier.pending != 0 || mbarrier.bytes != 0)
    return;
  mbarrier.arrived.add(componentOf(block, number), mbarrier.phase + 1);
  mbarrier.completed = mbarrier.arrived.take();
  ++mbarrier.phase;
  mbarrier.pending = mbarrier.count;
  wakeBlock(block, Wait::MBarrier);
}

/// try_wait.parity P returns once the phase before the current one has parity
/// P: at once if the current phase has the other parity.
bool Machine::mbarrierWait(Warp &warp, LaneGroup &group, const Instr &instr) {
  Lanes lanes{warp.frame.data(), group.mask};
  for (int isSecond = 0; isSecond < 2; ++isSecond)
    for (uint32_t rest = group.mask; rest; rest &= rest - 1) {
      unsigned lane = __builtin_ctz(rest);
      uint32_t number;
      MBarrier *mbarrier = findMBarrier(warp, lane, instr, number);
      if (!mbarrier ||
          !checkVisible(warp, lane, *warp.block, number, instr.op)) {
        fail();
        return false;
      }
      uint32_t parity = lanes.at<uint32_t>(instr.a)[lane];
      if (parity > 1)
        reporter.report("mbarrier", instr.op,
                        "a parity is 0 or 1, not " + Twine(parity));
      if ((mbarrier->phase & 1) == (parity & 1)) {
        group.wait = Wait::MBarrier;
        return false;
      }
      if (isSecond)
        warp.clock[lane] = join(warp.clock[lane], mbarrier->completed);
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Asynchronous stores and copies
//===----------------------------------------------------------------------===//

/// A message of a thread to place `offset` of rank `to`, without what it
/// brings.
static Message makeMessage(Warp &warp, unsigned lane, const Instr &instr,
                           uint32_t to, uint32_t offset, uint32_t mbarrier) {
  Message message;
  message.from = warp.block->rank;
  message.to = to;
  message.offset = offset;
  message.mbarrier = mbarrier;
  message.op = instr.op;
  message.warp = &warp;
  message.lane = lane;
  message.epoch = warp.epoch;
  message.clock = warp.clock[lane];
  message.proxy = warp.proxy[lane];
  return message;
}

void Machine::storeAsync(Warp &warp, uint32_t mask, const Instr &instr) {
  const Access &access = program.accesses[instr.access];
  Lanes lanes{warp.frame.data(), mask};
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    auto address =
        addressOf(warp, lane, access.address, access.indices, instr.op);
    uint32_t number;
    if (!address || !findMBarrier(warp, lane, instr, number))
      return fail();
    uint32_t rank = lanes.at<uint32_t>(access.rank)[lane];
    uint32_t offset = SharedAddress::offsetOf(*address);
    Block *block = blockOf(warp, lane, rank, instr.op);
    if (!block || !checkVisible(warp, lane, *block, number, instr.op) ||
        !checkSharedRange(offset, access.bytes(), access.alignment, instr.op))
      return fail();
    uint8_t bytes[16];
    uint8_t *next = bytes;
    for (uint32_t reg : access.values) {
      std::memcpy(next, &warp.frame[reg + access.scalarBytes * lane],
                  access.scalarBytes);
      next += access.scalarBytes;
    }
    Message piece = makeMessage(warp, lane, instr, rank, offset, number);
    for (uint32_t at = 0; at < access.bytes(); at += kStorePiece) {
      piece.offset = offset + at;
      piece.bytes = std::min(kStorePiece, access.bytes() - at);
      std::memcpy(piece.data, bytes + at, piece.bytes);
      messages.push_back(piece);
    }
  }
  ++warp.epoch;
}

bool Machine::checkBulkBytes(uint32_t bytes, uint32_t op) {
  if (bytes != 0 && bytes % kBulkPiece == 0)
    return true;
  reporter.report("bulk copy", op,
                  "a bulk copy of " + Twine(bytes) +
                      " bytes: use a positive multiple of " +
                      Twine(kBulkPiece));
  return false;
}

/// The async proxy, which completes a bulk copy on an mbarrier, has to know
/// that this has been initialised.
bool Machine::checkBulkMBarrier(bool isOwn, const Block &block, uint32_t number,
                                uint32_t op) {
  const MBarrier &mbarrier = block.mbarriers[number];
  if (isOwn ? mbarrier.isKnownToOwnBulk : mbarrier.isKnownToBulk)
    return true;
  reporter.report("missing proxy fence", op,
                  "a bulk copy completes on an mbarrier whose initialisation "
                  "the async proxy does not know; put cluster.fence "
                  "mbarrier_init behind it",
                  {{mbarrier.init.op, "it is initialised here"}});
  return false;
}

/// Sends `bytes` of a bulk copy that starts as `piece` does.
void Machine::sendPieces(Message piece, uint32_t bytes) {
  piece.bytes = kBulkPiece;
  for (uint32_t at = 0; at < bytes; at += kBulkPiece) {
    messages.push_back(piece);
    piece.offset += kBulkPiece;
    if (piece.source)
      *piece.source += kBulkPiece;
    if (piece.global)
      *piece.global += kBulkPiece;
  }
}

void Machine::copyAsync(Warp &warp, uint32_t mask, const Instr &instr) {
  const Access &access = program.accesses[instr.access];
  Lanes lanes{warp.frame.data(), mask};
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    auto to = addressOf(warp, lane, access.address, access.indices, instr.op);
    auto from =
        addressOf(warp, lane, access.source, access.sourceIndices, instr.op);
    uint32_t number;
    if (!to || !from || !findMBarrier(warp, lane, instr, number))
      return fail();
    uint32_t rank = lanes.at<uint32_t>(access.rank)[lane];
    uint32_t bytes = lanes.at<uint32_t>(instr.a)[lane];
    uint32_t offset = SharedAddress::offsetOf(*to);
    uint32_t source = SharedAddress::offsetOf(*from);
    if (!checkBulkBytes(bytes, instr.op))
      return fail();
    Block *block = blockOf(warp, lane, rank, instr.op);
    if (!block || !checkVisible(warp, lane, *block, number, instr.op) ||
        !checkBulkMBarrier(block == warp.block, *block, number, instr.op) ||
        !checkSharedRange(offset, bytes, kBulkPiece, instr.op) ||
        !checkSharedRange(source, bytes, kBulkPiece, instr.op))
      return fail();
    Message copy = makeMessage(warp, lane, instr, rank, offset, number);
    copy.source = source;
    sendPieces(std::move(copy), bytes);
  }
  ++warp.epoch;
}

/// Like a copy into the own block, of global memory that nothing in the launch
/// may write: the async proxy is not ordered with it.
void Machine::loadAsync(Warp &warp, uint32_t mask, const Instr &instr) {
  const Access &access = program.accesses[instr.access];
  Lanes lanes{warp.frame.data(), mask};
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    unsigned lane = __builtin_ctz(rest);
    auto to = addressOf(warp, lane, access.address, access.indices, instr.op);
    auto from = addressOf(warp, lane, access.source, {}, instr.op);
    uint32_t number;
    if (!to || !from || !findMBarrier(warp, lane, instr, number))
      return fail();
    uint32_t bytes = lanes.at<uint32_t>(instr.a)[lane];
    uint32_t offset = SharedAddress::offsetOf(*to);
    Block &block = *warp.block;
    if (!checkBulkBytes(bytes, instr.op) ||
        !checkVisible(warp, lane, block, number, instr.op) ||
        !checkBulkMBarrier(/*isOwn=*/true, block, number, instr.op) ||
        !checkSharedRange(offset, bytes, kBulkPiece, instr.op))
      return fail();
    Message copy = makeMessage(warp, lane, instr, block.rank, offset, number);
    copy.global = *from;
    sendPieces(std::move(copy), bytes);
  }
  ++warp.epoch;
}

/// Reads the piece of a bulk load, as a thread that promises that nothing in
/// the launch writes it.
bool Machine::readGlobal(const Message &message, uint8_t *to) {
  static const Access piece = [] {
    Access access;
    access.values.resize(kBulkPiece / access.scalarBytes);
    access.alignment = kBulkPiece;
    access.isReadOnly = true;
    return access;
  }();
  uint32_t thread = message.warp->firstThread + message.lane;
  auto name = [&] { return "a bulk copy of " + describe(thread); };
  GlobalAccessor who{clusterNumber + 1,
                     {message.clock.get(), thread},
                     message.epoch,
                     message.op,
                     name};
  return global.read(*message.global, piece, to, who);
}

void Machine::deliver(const Message &message) {
  Block &block = blocks[message.to];
  uint32_t thread = message.warp->firstThread + message.lane;
  if (block.hasExited) {
    reporter.report("access after exit", message.op,
                    "an asynchronous operation of " + describe(thread) +
                        " comes to the shared memory of rank " +
                        Twine(message.to) +
                        ", which has returned; wait for it there before the "
                        "return");
    return fail();
  }
  MBarrier &mbarrier = block.mbarriers[message.mbarrier];
  Stamp stamp{componentOf(block, message.mbarrier), mbarrier.phase + 1,
              message.op};
  Accessor who{
      {message.clock.get(), thread}, stamp.epoch, message.op, stamp.component};
  // What the issuing thread did after it issued is not ordered before this.
  auto name = [this](uint32_t component) { return describe(component); };
  auto *data = const_cast<uint8_t *>(message.data);
  auto checkProxy = [&](llvm::ArrayRef<Cell> cells, const char *what) {
    View proxy{message.proxy.get(), ~0u};
    for (const Cell &cell : cells)
      if (cell.isGeneric && cell.write.epoch != 0 && !proxy.covers(cell.write))
        return reporter.report(
            "missing proxy fence", message.op,
            llvm::Twine("a bulk copy ") + what +
                " that a thread wrote; put cluster.fence proxy_async_shared "
                "between",
            {{cell.write.op, "the write is here"}});
  };
  if (message.source) {
    Block &from = blocks[message.from];
    if (from.hasExited) {
      reporter.report("access after exit", message.op,
                      "a bulk copy reads the shared memory of rank " +
                          Twine(message.from) + ", which has returned");
      return fail();
    }
    checkProxy(from.shared.cellsOf(*message.source, message.bytes),
               "reads shared memory");
    from.shared.read(*message.source, message.bytes, data, who, reporter, name);
    from.remoteAccesses[stamp.component] = stamp;
  }
  if (message.global && !readGlobal(message, data))
    return fail();
  bool isBulk = message.source || message.global;
  if (isBulk)
    checkProxy(block.shared.cellsOf(message.offset, message.bytes),
               "overwrites shared memory");
  block.shared.write(message.offset, message.bytes, data, who, reporter, name);
  if (isBulk)
    for (Cell &cell : block.shared.cellsOf(message.offset, message.bytes))
      cell.isGeneric = false;
  mbarrier.lastStore = stamp;
  mbarrier.arrived.add(message.clock);
  mbarrier.arrived.add(thread, message.epoch);
  mbarrier.arrived.add(stamp.component, stamp.epoch);
  mbarrier.bytes -= message.bytes;
  if (std::abs(mbarrier.bytes) > kMostPending)
    reporter.report("mbarrier", message.op,
                    "an mbarrier got " + Twine(-mbarrier.bytes) +
                        " bytes that it does not expect");
  completeIfDone(block, message.mbarrier, message.op);
}
