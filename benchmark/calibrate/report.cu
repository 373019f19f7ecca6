//===- report.cu - Tables and JSON ----------------------------------------===//

#include "report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>

using namespace calibrate;

Summary calibrate::summarise(std::vector<double> samples) {
  if (samples.empty())
    return {0, 0, 0};
  std::sort(samples.begin(), samples.end());
  auto quantile = [&](double q) {
    const double rank = std::ceil(q * double(samples.size())) - 1;
    return samples[size_t(std::max(rank, 0.0))];
  };
  return {quantile(0.5), quantile(0.1), quantile(0.9)};
}

/// `value` in four significant digits, without an exponent.
static std::string textOf(double value) {
  const double magnitude = std::fabs(value);
  int decimals = 0;
  for (double limit = 1000; decimals < 5 && magnitude < limit; limit /= 10)
    ++decimals;
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

void Report::begin(const std::string &name, const std::string &about) {
  tables.push_back({name, about, {}});
}

void Report::progress(const std::string &what) const {
  std::fprintf(stderr, "%s: %s\n", tables.back().name.c_str(), what.c_str());
}

double Report::add(const std::string &quantity, const std::string &unit,
                   const std::string &depends,
                   const std::vector<double> &samples, Bounds bounds,
                   const std::string &failure) {
  Row row = {quantity,           unit,           depends,
             summarise(samples), samples.size(), failure};
  // Written so that a NaN is out of bounds.
  const double median = row.value.median;
  if (row.failure.empty() && samples.empty())
    row.failure = "there are no samples";
  if (row.failure.empty() && !(median > bounds.low && median < bounds.high))
    row.failure = textOf(median) + " is not between " + textOf(bounds.low) +
                  " and " + textOf(bounds.high) +
                  "; see that nothing else uses the GPU and run again";
  const bool failed = !row.failure.empty();
  if (failed) {
    ++failures;
    std::fprintf(stderr, "error: measurement failed: %s: %s (%s): %s\n",
                 tables.back().name.c_str(), quantity.c_str(), depends.c_str(),
                 row.failure.c_str());
  }
  tables.back().rows.push_back(row);
  return failed ? 0 : median;
}

void Report::fail(const std::string &quantity, const std::string &unit,
                  const std::string &depends, const std::string &reason) {
  add(quantity, unit, depends, {}, {0, 0}, reason);
}

void Report::setField(const std::string &field, double value) {
  fields.erase(field);
  if (value > 0)
    fields[field] = {value};
}

void Report::appendField(const std::string &field, double value) {
  fields[field].push_back(value);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

void Report::printTable() const {
  const Table &table = tables.back();
  size_t quantity = 8, unit = 4;
  for (const Row &row : table.rows) {
    quantity = std::max(quantity, row.quantity.size());
    unit = std::max(unit, row.unit.size());
  }
  std::printf("\n%s: %s\n", table.name.c_str(), table.about.c_str());
  std::printf("%-*s  %-*s  %10s  %10s  %10s  %s\n", int(quantity), "quantity",
              int(unit), "unit", "median", "p10", "p90", "depends on");
  for (const Row &row : table.rows) {
    std::printf("%-*s  %-*s  ", int(quantity), row.quantity.c_str(), int(unit),
                row.unit.c_str());
    if (row.failure.empty())
      std::printf("%10s  %10s  %10s  %s\n", textOf(row.value.median).c_str(),
                  textOf(row.value.p10).c_str(), textOf(row.value.p90).c_str(),
                  row.depends.c_str());
    else
      std::printf("%10s  %10s  %10s  %s: measurement failed: %s\n", "-", "-",
                  "-", row.depends.c_str(), row.failure.c_str());
  }
  std::fflush(stdout);
}

//===----------------------------------------------------------------------===//
// The target
//===----------------------------------------------------------------------===//

/// The fields that the sections measure, in the order of the attribute, and
/// whether they are lists. The others (docs/Dialects/Cluster.md) are of kernels of
/// the compiler or the same on all devices of the architecture.
static const struct {
  const char *name;
  bool isList;
} targetFields[] = {
    {"sms", false},
    {"portable_cluster", false},
    {"max_cluster", false},
    {"shared_per_block", false},
    {"shared_per_sm", false},
    {"shared_reserved", false},
    {"registers_per_sm", false},
    {"threads_per_sm", false},
    {"blocks_per_sm", false},
    {"l2_bytes", false},
    {"clock_khz", false},
    {"hbm_gbps", false},
    {"sm_gbps", false},
    {"l2_gbps", false},
    {"bulk_bytes_per_cycle", false},
    {"blocks_per_us", false},
    {"empty_kernel_ns", false},
    {"shared_latency", false},
    {"dsmem_latency", false},
    {"l2_latency", false},
    {"memory_latency", false},
    {"store_async_cycles", false},
    {"bulk_cycles", false},
    {"block_barrier_cycles", false},
    {"block_barrier_slope", false},
    {"cluster_barrier_cycles", false},
    {"cluster_barrier_slope", false},
    {"relaxed_barrier_cycles", false},
    {"residency", true},
    {"dsmem_gbps", true},
};

/// The word of `device` that has a digit, in small letters: "NVIDIA H200" is
/// h200.
static std::string targetName(const std::string &device) {
  std::istringstream words(device);
  std::string word;
  while (words >> word) {
    if (word.find_first_of("0123456789") == std::string::npos)
      continue;
    for (char &c : word)
      if (c >= 'A' && c <= 'Z')
        c = char(c - 'A' + 'a');
    return word;
  }
  return "gpu";
}

/// The integers of `values`, separated by commas; empty if one is unknown.
static std::string listOf(const std::vector<double> &values) {
  std::string text;
  for (double value : values) {
    if (!(value > 0))
      return "";
    text += (text.empty() ? "" : ", ") + std::to_string(std::llround(value));
  }
  return text;
}

void Report::printTarget(const Device &device) const {
  std::string text =
      "name = \"" + targetName(device.name) + "\", base = \"h200\"";
  std::string missing;
  for (const auto &field : targetFields) {
    auto found = fields.find(field.name);
    const std::string value =
        found == fields.end() ? "" : listOf(found->second);
    if (value.empty())
      missing += (missing.empty() ? "" : ", ") + std::string(field.name);
    else
      text += std::string(",\n    ") + field.name + " = " +
              (field.isList ? "[" + value + "]" : value);
  }
  if (missing.empty()) {
    std::printf("\n#cluster.target<%s>\n", text.c_str());
    return;
  }
  std::printf("\nfields of #cluster.target:\n    %s\n", text.c_str());
  std::printf("not measured in this run: %s; run all sections for the whole "
              "attribute\n",
              missing.c_str());
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// `text`, which is ASCII without control characters, as a JSON string.
static std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    result += c;
  }
  return result + "\"";
}

static std::string jsonOf(const Row &row) {
  std::ostringstream out;
  out.precision(9);
  out << "{\"quantity\": " << quoted(row.quantity)
      << ", \"unit\": " << quoted(row.unit)
      << ", \"depends\": " << quoted(row.depends);
  if (row.failure.empty())
    out << ", \"median\": " << row.value.median
        << ", \"p10\": " << row.value.p10 << ", \"p90\": " << row.value.p90
        << ", \"samples\": " << row.samples;
  else
    out << ", \"failure\": " << quoted(row.failure);
  return out.str() + "}";
}

void Report::writeJson(const std::string &path, const Device &device) const {
  std::ofstream out(path);
  out << "{\"version\": 1, \"device\": " << quoted(device.name)
      << ",\n \"sections\": [";
  const char *separator = "\n";
  for (const Table &table : tables) {
    out << separator << "  {\"name\": " << quoted(table.name)
        << ", \"about\": " << quoted(table.about) << ", \"rows\": [";
    separator = "\n";
    for (const Row &row : table.rows) {
      out << separator << "   " << jsonOf(row);
      separator = ",\n";
    }
    out << "]}";
    separator = ",\n";
  }
  out << "],\n \"target\": {\"name\": " << quoted(targetName(device.name));
  for (const auto &field : targetFields) {
    auto found = fields.find(field.name);
    const std::string value =
        found == fields.end() ? "" : listOf(found->second);
    if (!value.empty())
      out << ", " << quoted(field.name) << ": "
          << (field.isList ? "[" + value + "]" : value);
  }
  out << "}}\n";
  out.close();
  if (!out)
    throw Failure("cannot write " + path +
                  "; see that its folder exists and can be written");
}
