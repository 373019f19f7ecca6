//===- AllocateRegisters.cpp - Registers' places in the frame -------------===//
//
// Linear scan (Poletto and Sarkar, "Linear scan register allocation", 1999)
// over the instructions in order. A register that lives into a loop lives to
// its end. What is set before a warp starts keeps its place for good.
//
//===----------------------------------------------------------------------===//

#include "KernelCompiler.h"
#include "llvm/ADT/STLExtras.h"

using namespace cascade::sim;

namespace {
struct Interval {
  int64_t first = INT64_MAX, last = -1;
  void extend(int64_t place) {
    first = std::min(first, place);
    last = std::max(last, place);
  }
};
} // namespace

/// Calls `visit` on every register field of `instr` and of its access.
template <typename Visit>
static void visitRegisters(Program &program, Instr &instr, Visit visit) {
  for (uint32_t *reg : {&instr.dst, &instr.a, &instr.b, &instr.c})
    if (*reg != Instr::none)
      visit(*reg);
  if (instr.access == Instr::none)
    return;
  Access &access = program.accesses[instr.access];
  for (uint32_t *reg :
       {&access.address, &access.mbarrier, &access.source, &access.rank})
    if (*reg != Instr::none)
      visit(*reg);
  for (auto *list : {&access.indices})
    for (Index &index : *list)
      visit(index.reg);
  for (auto *list : {&access.mbarrierIndices, &access.sourceIndices})
    for (Index &index : *list)
      visit(index.reg);
  for (uint32_t &reg : access.values)
    visit(reg);
}

void KernelCompiler::allocateRegisters() {
  std::vector<Interval> intervals(registerIsWide.size());
  int64_t end = here();
  for (int64_t place = 0; place < end; ++place)
    visitRegisters(program, program.code[place],
                   [&](uint32_t &reg) { intervals[reg].extend(place); });
  auto pin = [&](uint32_t reg) { intervals[reg] = {-1, end}; };
  for (const Preset &preset : program.constants)
    pin(preset.reg);
  for (auto [which, reg] : program.specials)
    pin(reg);
  for (uint32_t reg : program.arguments)
    pin(reg);
  for (const SharedBuffer &buffer : program.shared)
    pin(buffer.reg);
  // Inner loops come first in the list: what one extends may reach into the
  // loop around it.
  for (auto [head, loopEnd] : loops)
    for (Interval &interval : intervals)
      if (interval.first < head && interval.last >= head)
        interval.last = std::max(interval.last, loopEnd);

  std::vector<uint32_t> order, places(intervals.size(), 0);
  for (uint32_t reg = 0; reg < intervals.size(); ++reg)
    if (intervals[reg].last >= 0)
      order.push_back(reg);
  llvm::sort(order, [&](uint32_t x, uint32_t y) {
    return std::pair(intervals[x].first, x) < std::pair(intervals[y].first, y);
  });
  // Places by width, and the end of each place's tenant.
  std::vector<uint32_t> freePlaces[2];
  std::multimap<int64_t, uint32_t> active;
  uint32_t frameBytes = 0;
  for (uint32_t reg : order) {
    while (!active.empty() && active.begin()->first < intervals[reg].first) {
      uint32_t ended = active.begin()->second;
      freePlaces[registerIsWide[ended]].push_back(places[ended]);
      active.erase(active.begin());
    }
    bool wide = registerIsWide[reg];
    if (!freePlaces[wide].empty()) {
      places[reg] = freePlaces[wide].back();
      freePlaces[wide].pop_back();
    } else {
      places[reg] = frameBytes;
      frameBytes += kLanes * (wide ? 8 : 4);
    }
    active.emplace(intervals[reg].last, reg);
  }
  program.frameBytes = frameBytes;
  // An access belongs to one instruction.
  for (Instr &instr : program.code)
    visitRegisters(program, instr, [&](uint32_t &reg) { reg = places[reg]; });
  for (Preset &preset : program.constants)
    preset.reg = places[preset.reg];
  for (auto &[which, reg] : program.specials)
    reg = places[reg];
  for (uint32_t &reg : program.arguments)
    reg = places[reg];
  for (SharedBuffer &buffer : program.shared)
    buffer.reg = places[buffer.reg];
}
