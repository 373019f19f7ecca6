//===- TuningChoice.h - The fastest of the candidates -----------*- C++ -*-===//

#ifndef CASCADE_RUNTIME_TUNINGCHOICE_H
#define CASCADE_RUNTIME_TUNINGCHOICE_H

#include "cascade/Runtime/TuningFile.h"

namespace cascade::runtime {

/// One mapping and its median time; without a time where it does not run, or
/// where its results are wrong.
struct CandidateTime {
  int64_t index = 0; ///< in the ranking of the model, whose first choice is 0
  std::string mapping;
  std::optional<double> microseconds;
};

/// All candidates of one function at one size.
struct TunedCase {
  TuningKey key;
  std::string function, device;
  DimBindings dims;
  bool flushL2 = false;
  std::vector<CandidateTime> candidates;
};

/// The entries to keep, and an error for each key that has none.
struct TuningChoice {
  std::vector<TuningEntry> entries;
  std::vector<Error> errors;
};

/// Chooses for each key among `cases` the mapping with the least geometric mean
/// of its times over all cases of the key, of those that ran in all of them.
TuningChoice chooseEntries(const std::vector<TunedCase> &cases);

/// Whether the device of that name is the target `gpu`: "h200" is "NVIDIA H200"
/// and not "NVIDIA GH200 480GB".
bool isDevice(const std::string &gpu, const std::string &deviceName);

} // namespace cascade::runtime

#endif // CASCADE_RUNTIME_TUNINGCHOICE_H
