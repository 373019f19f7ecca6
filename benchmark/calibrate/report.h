//===- report.h - Tables, JSON and the target's constants -----------------===//

#ifndef CALIBRATE_REPORT_H
#define CALIBRATE_REPORT_H

#include "common.h"

#include <map>
#include <string>
#include <vector>

namespace calibrate {

/// Values between which a measurement is believed, both excluded.
struct Bounds {
  double low;
  double high;
};

/// Of samples: the smallest value that half, a tenth, nine tenths of them do
/// not exceed.
struct Summary {
  double median;
  double p10;
  double p90;
};
Summary summarise(std::vector<double> samples);

/// One line of a table. `failure` is empty unless the measurement failed.
struct Row {
  std::string quantity;
  std::string unit;
  std::string depends;
  Summary value;
  size_t samples;
  std::string failure;
};

struct Table {
  std::string name;
  std::string about;
  std::vector<Row> rows;
};

/// Collects what the sections measure.
class Report {
public:
  /// Starts the table `name`; `about` says how its quantities were measured.
  void begin(const std::string &name, const std::string &about);

  /// Says on stderr what is measured next.
  void progress(const std::string &what) const;

  /// Adds a line to the current table and returns its median. If the median is
  /// not within `bounds`, or `failure` (a reason) is not empty, the line says
  /// so and the result is 0.
  double add(const std::string &quantity, const std::string &unit,
             const std::string &depends, const std::vector<double> &samples,
             Bounds bounds, const std::string &failure = "");
  /// Adds a line that says why there is no measurement.
  void fail(const std::string &quantity, const std::string &unit,
            const std::string &depends, const std::string &reason);

  /// Sets a field of `#cluster.target`, or an entry of a list there. Values
  /// that are not positive, which failed, leave the field unknown.
  void setField(const std::string &field, double value);
  void appendField(const std::string &field, double value);

  /// Prints the current table on stdout.
  void printTable() const;
  /// Prints the fields of `#cluster.target`: the attribute if all are known,
  /// else those that are.
  void printTarget(const Device &device) const;
  /// Writes everything to `path`.
  void writeJson(const std::string &path, const Device &device) const;

  bool hasFailures() const { return failures > 0; }
  size_t failureCount() const { return failures; }

private:
  std::vector<Table> tables;
  std::map<std::string, std::vector<double>> fields;
  size_t failures = 0;
};

} // namespace calibrate

#endif // CALIBRATE_REPORT_H
