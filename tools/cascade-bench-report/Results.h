//===- Results.h - Measured times of kernels and peers ----------*- C++ -*-===//

#ifndef CASCADE_BENCH_REPORT_RESULTS_H
#define CASCADE_BENCH_REPORT_RESULTS_H

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace cascade::report {

/// What was run: "softmax_512x131072_bf16" is chain softmax on 512 rows of
/// 131072 columns. A name of another form is a chain without a shape.
struct CaseName {
  std::string chain, type;
  int64_t rows = 0, cols = 0; ///< 0 without a shape.

  static CaseName parse(const std::string &function);
  std::string shape() const; ///< "512x131072", or "-".
  bool operator==(const CaseName &other) const;
};

struct PeerTime {
  std::string peer;
  double us = 0; ///< Median.
};

/// One kernel and its peers; times are medians in microseconds.
struct Cell {
  CaseName name;
  double us = 0, p10 = 0, p90 = 0;
  double bytes = 0;                  ///< Of all arguments, each once.
  std::optional<double> copy, empty; ///< Device copy of as many bytes; launch.
  std::vector<PeerTime> peers;

  double terabytesPerSecond() const { return bytes / us * 1e-6; }
  std::optional<double> ofCopy() const;
  const PeerTime *bestPeer() const;    ///< Null without peers.
  std::optional<double> ratio() const; ///< Above 1: faster than the best peer.
};

struct Results {
  /// By chain and type, in order of appearance, then by columns and rows.
  std::vector<Cell> cells;
  std::vector<std::string> devices;  ///< Each once.
  std::vector<std::string> info;     ///< As written by the peers.
  std::vector<std::string> failures; ///< "torch-compile kl_...: reason".
  std::vector<CaseName> unmatched;   ///< Peers timed something else.

  /// Chains, each once, in the order of the cells.
  std::vector<std::string> chains() const;
};

/// The geometric mean of positive numbers; 0 of none.
double geometricMean(const std::vector<double> &values);

/// Reads files of one JSON object a line: those of `cascade-launch --benchmark
/// --format=json` and {"peer": NAME, "function": NAME, "median_us": T}, with
/// "error" instead of a time where a peer failed, and {"info": TEXT}. A later
/// line replaces an earlier one of the same case. Empty with a message in
/// `error` if a file cannot be read.
std::optional<Results> readResults(const std::vector<std::string> &paths,
                                   std::string &error);

/// Prints the table and its summary.
void printTable(const Results &results, std::ostream &out);

/// SVG documents.
std::string drawRoofline(const Results &results);
std::string drawRatios(const Results &results);

} // namespace cascade::report

#endif // CASCADE_BENCH_REPORT_RESULTS_H
