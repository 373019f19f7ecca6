//===- TuningChoice.cpp - The fastest of the candidates -------------------===//

#include "cascade/Runtime/TuningChoice.h"

#include <cctype>
#include <cmath>

using namespace cascade::runtime;

static const CandidateTime *find(const TunedCase &one,
                                 const std::string &mapping) {
  for (const CandidateTime &candidate : one.candidates)
    if (candidate.mapping == mapping)
      return &candidate;
  return nullptr;
}

/// The time of the model's first choice.
static std::optional<double> modelTime(const TunedCase &one) {
  for (const CandidateTime &candidate : one.candidates)
    if (candidate.index == 0)
      return candidate.microseconds;
  return std::nullopt;
}

/// The logarithm of the geometric mean of the times of `mapping`, times their
/// number; nothing if it has none somewhere.
static std::optional<double>
scoreOf(const std::vector<const TunedCase *> &cases,
        const std::string &mapping) {
  double score = 0;
  for (const TunedCase *one : cases) {
    const CandidateTime *candidate = find(*one, mapping);
    if (!candidate || !candidate->microseconds)
      return std::nullopt;
    score += std::log(*candidate->microseconds);
  }
  return score;
}

static Expected<TuningEntry>
chooseEntry(const std::vector<const TunedCase *> &cases) {
  const TunedCase &first = *cases.front();
  const CandidateTime *best = nullptr;
  double bestScore = 0;
  for (const CandidateTime &candidate : first.candidates) {
    std::optional<double> score = scoreOf(cases, candidate.mapping);
    if (!score || (best && *score >= bestScore))
      continue;
    best = &candidate;
    bestScore = *score;
  }
  if (!best)
    return Error::input("function '" + first.function +
                        "': no mapping ran, with right results, at every size "
                        "of its shape class (" +
                        first.key.shape +
                        "); tune fewer sizes at a time, or compile with a "
                        "larger --tune-space");
  TuningEntry entry;
  entry.key = first.key;
  entry.function = first.function;
  entry.device = first.device;
  entry.mapping = best->mapping;
  for (const TunedCase *one : cases)
    entry.measured.push_back({one->dims,
                              *find(*one, best->mapping)->microseconds,
                              modelTime(*one), one->flushL2});
  return entry;
}

TuningChoice
cascade::runtime::chooseEntries(const std::vector<TunedCase> &cases) {
  TuningChoice choice;
  std::vector<bool> done(cases.size());
  for (size_t i = 0; i < cases.size(); ++i) {
    if (done[i])
      continue;
    std::vector<const TunedCase *> same;
    for (size_t k = i; k < cases.size(); ++k)
      if (cases[k].key == cases[i].key) {
        done[k] = true;
        same.push_back(&cases[k]);
      }
    Expected<TuningEntry> entry = chooseEntry(same);
    if (entry)
      choice.entries.push_back(std::move(*entry));
    else
      choice.errors.push_back(entry.error());
  }
  return choice;
}

bool cascade::runtime::isDevice(const std::string &gpu,
                                const std::string &deviceName) {
  std::string word;
  for (char c : deviceName + " ") {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      word += char(std::tolower(static_cast<unsigned char>(c)));
      continue;
    }
    if (!word.empty() && word == gpu)
      return true;
    word.clear();
  }
  return false;
}
