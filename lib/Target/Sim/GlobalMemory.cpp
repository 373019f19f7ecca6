//===- GlobalMemory.cpp - Global memory and its shadow --------------------===//

#include "GlobalMemory.h"
#include <cstring>

using namespace cascade::sim;
using llvm::Twine;

/// Addresses of one buffer; it begins in the middle of them.
static constexpr unsigned kBufferBits = 40;

uint64_t GlobalMemory::baseOf(const Buffer &buffer, size_t argument) {
  return (uint64_t(argument + 1) << kBufferBits) +
         (uint64_t(1) << (kBufferBits - 1)) + buffer.offset;
}

GlobalMemory::GlobalMemory(llvm::ArrayRef<Argument> arguments,
                           Reporter &reporter)
    : memories(arguments.size()), reporter(reporter) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].isBuffer)
      continue;
    const Buffer &buffer = arguments[i].buffer;
    memories[i].buffer = &buffer;
    memories[i].base = baseOf(buffer, i);
    if (buffer.isWritable)
      memories[i].shadow.resize(buffer.bytes / buffer.elementBytes);
  }
}

GlobalMemory::Memory *GlobalMemory::find(uint64_t address, const Access &access,
                                         bool isWrite,
                                         const GlobalAccessor &who,
                                         int64_t &offset) {
  const char *verb = isWrite ? " writes " : " reads ";
  uint64_t number = (address >> kBufferBits) - 1;
  if (number >= memories.size() || !memories[number].buffer) {
    reporter.report("out of bounds", who.op,
                    who.name() + verb +
                        "at an address that belongs to no "
                        "argument of the kernel");
    return nullptr;
  }
  Memory &memory = memories[number];
  const Buffer &buffer = *memory.buffer;
  offset = int64_t(address - memory.base);
  if (offset < 0 || uint64_t(offset) + access.bytes() > buffer.bytes) {
    reporter.report("out of bounds", who.op,
                    who.name() + verb + Twine(access.bytes()) +
                        " bytes at byte " + Twine(offset) + " of '" +
                        buffer.name + "', which has " + Twine(buffer.bytes) +
                        " bytes; guard the access by the extent");
    return nullptr;
  }
  if (address % access.alignment != 0) {
    reporter.report("misaligned address", who.op,
                    who.name() + verb + Twine(access.bytes()) +
                        " bytes at byte " + Twine(offset) + " of '" +
                        buffer.name + "', whose address is no multiple of " +
                        Twine(access.alignment) +
                        "; use a smaller access or guard it by alignment");
    return nullptr;
  }
  if (isWrite && !buffer.isWritable) {
    reporter.report("read-only memory", who.op,
                    who.name() + " writes '" + buffer.name +
                        "', which the kernel declares read-only");
    return nullptr;
  }
  return &memory;
}

bool GlobalMemory::read(uint64_t address, const Access &access, uint8_t *to,
                        const GlobalAccessor &who) {
  int64_t offset;
  Memory *memory = find(address, access, /*isWrite=*/false, who, offset);
  if (!memory)
    return false;
  const Buffer &buffer = *memory->buffer;
  if (buffer.isWritable) {
    size_t first = offset / buffer.elementBytes;
    size_t last = (offset + access.bytes() - 1) / buffer.elementBytes;
    for (size_t i = first; i <= last; ++i) {
      Shadow &shadow = memory->shadow[i];
      const Stamp &write = shadow.write;
      auto place = [&] {
        return (" element " + Twine(i) + " of '" + buffer.name + "'").str();
      };
      bool isKnown = who.covers(shadow.cluster, write);
      if (write.epoch == 0 && !buffer.isInitialised)
        reporter.report("uninitialised global memory", who.op,
                        who.name() + " reads" + place() +
                            ", which nothing has written");
      else if (write.epoch != 0 && access.isReadOnly)
        reporter.report("read-only load", who.op,
                        who.name() + " reads" + place() +
                            " through the read-only path, but this kernel "
                            "writes it; use a plain load",
                        {{write.op, "the write is here"}});
      else if (write.epoch != 0 && !isKnown)
        reporter.report("data race", who.op,
                        who.name() + " reads" + place() +
                            ", which another thread writes, and nothing "
                            "orders the two",
                        {{write.op, "the write is here"}});
      if (access.isReadOnly)
        shadow.readOnlyRead = {who.view.self, who.epoch, who.op};
    }
  }
  std::memcpy(to, buffer.data + offset, access.bytes());
  return true;
}

bool GlobalMemory::write(uint64_t address, const Access &access,
                         const uint8_t *from, const GlobalAccessor &who) {
  int64_t offset;
  Memory *memory = find(address, access, /*isWrite=*/true, who, offset);
  if (!memory)
    return false;
  const Buffer &buffer = *memory->buffer;
  size_t first = offset / buffer.elementBytes;
  size_t last = (offset + access.bytes() - 1) / buffer.elementBytes;
  for (size_t i = first; i <= last; ++i) {
    Shadow &shadow = memory->shadow[i];
    auto place = [&] {
      return (" element " + Twine(i) + " of '" + buffer.name + "'").str();
    };
    bool isKnown = who.covers(shadow.cluster, shadow.write);
    if (shadow.write.epoch != 0 && !isKnown)
      reporter.report("data race", who.op,
                      who.name() + " writes" + place() +
                          ", which another thread writes too, and nothing "
                          "orders the two",
                      {{shadow.write.op, "the other write is here"}});
    if (shadow.readOnlyRead.epoch != 0)
      reporter.report("read-only load", who.op,
                      who.name() + " writes" + place() +
                          ", which this kernel reads through the read-only "
                          "path; use a plain load there",
                      {{shadow.readOnlyRead.op, "the load is here"}});
    shadow.cluster = who.cluster;
    shadow.write = {who.view.self, who.epoch, who.op};
  }
  std::memcpy(buffer.data + offset, from, access.bytes());
  return true;
}

std::optional<std::pair<uint32_t, OtherClusters>>
GlobalMemory::increment(uint64_t address, uint32_t most, const ClockRef &known,
                        const GlobalAccessor &who) {
  Access access;
  access.values.resize(1);
  access.alignment = access.scalarBytes;
  int64_t offset;
  Memory *memory = find(address, access, /*isWrite=*/true, who, offset);
  if (!memory)
    return std::nullopt;
  const Buffer &buffer = *memory->buffer;
  for (size_t i = offset / buffer.elementBytes;
       i * buffer.elementBytes < size_t(offset) + access.bytes(); ++i)
    if (const Shadow &shadow = memory->shadow[i]; shadow.write.epoch != 0)
      reporter.report("counter", who.op,
                      who.name() + " arrives at a counter in element " +
                          Twine(i) + " of '" + buffer.name +
                          "', which this kernel writes; only arrivals may "
                          "touch a counter",
                      {{shadow.write.op, "the write is here"}});
  Counter &counter = counters[address];
  uint32_t before;
  std::memcpy(&before, buffer.data + offset, sizeof(before));
  if (before > most || (counter.data && counter.most != most))
    reporter.report("counter", who.op,
                    who.name() + " arrives at a counter that has counted " +
                        Twine(before) + " arrivals, and counts to " +
                        Twine(uint64_t(most) + 1) +
                        "; give all that arrive the same count, and begin "
                        "with 0");
  uint32_t after = before >= most ? 0 : before + 1;
  std::memcpy(buffer.data + offset, &after, sizeof(after));
  counter.data = buffer.data + offset;
  counter.most = most;
  counter.op = who.op;
  auto own = std::make_shared<std::map<uint32_t, ClockRef>>();
  (*own)[who.cluster] = known;
  counter.released = joinOthers(counter.released, known->others);
  counter.released = joinOthers(counter.released, own);
  return std::pair(before, counter.released);
}

void GlobalMemory::checkCounters() {
  for (const auto &[address, counter] : counters) {
    uint32_t value;
    std::memcpy(&value, counter.data, sizeof(value));
    if (value != 0)
      reporter.report("counter", counter.op,
                      "the kernel ends with " + Twine(value) + " of " +
                          Twine(uint64_t(counter.most) + 1) +
                          " arrivals at a counter, with which the next launch "
                          "begins");
  }
}
