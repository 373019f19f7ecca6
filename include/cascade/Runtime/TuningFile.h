//===- TuningFile.h - Measured mappings, by what they were measured for -*- C++
//
// A tuning file holds the fastest mapping that was found for each key; unknown
// keys of the JSON are errors:
//
//   {"version": 1, "entries": [{
//      "chain": "5f0c...",                 hash of the fused chain
//      "shape": "i=257..512 l=131072",     class of each axis
//      "types": "bf16 -> bf16, f32",       elements of operands and results
//      "gpu": "h200",                      the target of the compilation
//      "function": "softmax", "device": "NVIDIA H200",
//      "mapping": "#cascade.mapping<...>",
//      "measured": [{"dims": {"l": 4096}, "us": 12.3, ["model_us": 14.1,]
//                    "flush_l2": true}]}]}
//
// The first four are the key; no two entries share one. `model_us` is the time
// of the mapping that the cost model prefers.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_RUNTIME_TUNINGFILE_H
#define CASCADE_RUNTIME_TUNINGFILE_H

#include "cascade/Runtime/DimExpr.h"
#include "cascade/Runtime/Error.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cascade::runtime {

/// What a measured mapping is for.
struct TuningKey {
  std::string chain, shape, types, gpu;

  bool operator==(const TuningKey &other) const {
    return chain == other.chain && shape == other.shape &&
           types == other.types && gpu == other.gpu;
  }
  /// "chain 5f0c..., shape l=131072, types f32 -> f32, gpu h200".
  std::string text() const;
};

/// The time of one size.
struct Measurement {
  DimBindings dims;                ///< of the dynamic axes
  double microseconds = 0;         ///< positive and finite
  std::optional<double> modelTime; ///< likewise, of the model's first choice
  bool flushL2 = false;
};

struct TuningEntry {
  TuningKey key;
  std::string function, device, mapping;
  std::vector<Measurement> measured; ///< one or more

  /// "12.3 us measured on NVIDIA H200", one time for each size.
  std::string text() const;
};

struct TuningFile {
  std::string path; ///< for messages
  std::vector<TuningEntry> entries;

  /// The number of the entry of `key`, or nothing.
  std::optional<size_t> lookup(const TuningKey &key) const;
};

/// Parses and checks a whole file; an error names `path` and the place.
Expected<TuningFile> parseTuning(std::string_view json,
                                 const std::string &path);
/// Reads a file that has to exist.
Expected<TuningFile> readTuning(const std::string &path);
/// Reads a file that is going to be written: none is an empty one. What is no
/// regular file, or in a folder that cannot be written to, is an error.
Expected<TuningFile> readTuningToMerge(const std::string &path);

struct MergeCounts {
  size_t added = 0, replaced = 0;
};
/// Puts `entries` into `file`: one of a key that is there takes its place.
MergeCounts merge(TuningFile &file, const std::vector<TuningEntry> &entries);

std::string formatTuning(const TuningFile &file);
/// Writes `file` beside its path and renames it, so that a reader sees the old
/// one or the new one.
Error writeTuning(const TuningFile &file);

/// An error where `text` is not of the form `#cascade.mapping<...>`: axes with
/// their digits, and lists of policies. What levels allow is for the compiler
/// to check.
Error checkMappingText(const std::string &text);

} // namespace cascade::runtime

#endif // CASCADE_RUNTIME_TUNINGFILE_H
