//===- Clock.cpp - What happened before what ------------------------------===//

#include "Clock.h"
#include "llvm/ADT/STLExtras.h"

using namespace cascade::sim;

static void raise(std::vector<uint32_t> &at, const Clock &clock) {
  for (size_t i = 0; i < at.size(); ++i)
    at[i] = std::max(at[i], clock.at[i]);
}

void ClockSum::add(const ClockRef &clock) {
  at.resize(components);
  if (!clock || llvm::is_contained(added, clock))
    return;
  added.push_back(clock);
  raise(at, *clock);
}

void ClockSum::add(uint32_t component, uint32_t epoch) {
  at.resize(components);
  at[component] = std::max(at[component], epoch);
}

ClockRef ClockSum::take() {
  if (at.empty())
    return nullptr;
  auto *clock = new Clock;
  clock->at = std::move(at);
  at.clear();
  added.clear();
  return ClockRef(clock);
}

ClockRef ClockJoin::operator()(const ClockRef &lhs, const ClockRef &rhs) {
  if (!rhs || lhs == rhs)
    return lhs;
  if (!lhs)
    return rhs;
  if (lhs == lastLhs && rhs == lastRhs)
    return lastResult;
  auto *clock = new Clock;
  clock->at = lhs->at;
  raise(clock->at, *rhs);
  lastLhs = lhs;
  lastRhs = rhs;
  lastResult = ClockRef(clock);
  return lastResult;
}
