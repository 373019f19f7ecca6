//===- Clock.cpp - What happened before what ------------------------------===//

#include "Clock.h"
#include "llvm/ADT/STLExtras.h"

using namespace cascade::sim;

static void raise(std::vector<uint32_t> &at, const Clock &clock) {
  for (size_t i = 0; i < at.size(); ++i)
    at[i] = std::max(at[i], clock.at[i]);
}

OtherClusters cascade::sim::joinOthers(const OtherClusters &lhs,
                                       const OtherClusters &rhs) {
  if (!rhs || lhs == rhs)
    return lhs;
  if (!lhs)
    return rhs;
  auto joined = std::make_shared<std::map<uint32_t, ClockRef>>(*lhs);
  for (const auto &[cluster, clock] : *rhs) {
    ClockRef &known = (*joined)[cluster];
    known = ClockJoin()(known, clock);
  }
  return joined;
}

bool View::coversOf(uint32_t cluster, const Stamp &stamp) const {
  if (!clock || !clock->others)
    return false;
  auto known = clock->others->find(cluster);
  return known != clock->others->end() &&
         known->second->at[stamp.component] >= stamp.epoch;
}

void ClockSum::add(const ClockRef &clock) {
  at.resize(components);
  if (!clock || llvm::is_contained(added, clock))
    return;
  added.push_back(clock);
  raise(at, *clock);
  others = joinOthers(others, clock->others);
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
  clock->others = std::exchange(others, nullptr);
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
  clock->others = joinOthers(lhs->others, rhs->others);
  lastLhs = lhs;
  lastRhs = rhs;
  lastResult = ClockRef(clock);
  return lastResult;
}
