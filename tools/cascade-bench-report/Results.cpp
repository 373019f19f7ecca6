//===- Results.cpp - Reads measured times ---------------------------------===//

#include "Results.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

using namespace cascade::report;

CaseName CaseName::parse(const std::string &function) {
  static const std::regex form("(.+)_([0-9]{1,12})x([0-9]{1,12})(_(\\w+))?");
  CaseName name;
  std::smatch parts;
  if (!std::regex_match(function, parts, form)) {
    name.chain = function;
    return name;
  }
  name.chain = parts[1];
  name.rows = std::stoll(parts[2]);
  name.cols = std::stoll(parts[3]);
  name.type = parts[5];
  return name;
}

std::string CaseName::shape() const {
  return cols == 0 ? "-" : std::to_string(rows) + "x" + std::to_string(cols);
}

bool CaseName::operator==(const CaseName &other) const {
  return chain == other.chain && type == other.type && rows == other.rows &&
         cols == other.cols;
}

std::optional<double> Cell::ofCopy() const {
  if (!copy)
    return std::nullopt;
  return *copy / us;
}

const PeerTime *Cell::bestPeer() const {
  auto best = std::min_element(
      peers.begin(), peers.end(),
      [](const PeerTime &a, const PeerTime &b) { return a.us < b.us; });
  return best == peers.end() ? nullptr : &*best;
}

std::optional<double> Cell::ratio() const {
  const PeerTime *best = bestPeer();
  if (!best)
    return std::nullopt;
  return best->us / us;
}

/// Appends `value` unless it is there.
template <typename T>
static void addOnce(std::vector<T> &list, const T &value) {
  if (std::find(list.begin(), list.end(), value) == list.end())
    list.push_back(value);
}

std::vector<std::string> Results::chains() const {
  std::vector<std::string> list;
  for (const Cell &cell : cells)
    addOnce(list, cell.name.chain);
  return list;
}

double cascade::report::geometricMean(const std::vector<double> &values) {
  double sum = 0;
  for (double value : values)
    sum += std::log(value);
  return values.empty() ? 0 : std::exp(sum / double(values.size()));
}

namespace {
/// What the lines of all files say, before peers meet their kernels.
struct Reader {
  using Json = nlohmann::json;

  bool readFile(const std::string &path, std::string &error);
  /// False if the line has a time that is none.
  bool readLine(const Json &line);
  bool readCell(const Json &line);
  bool readPeer(const Json &line);
  void addPeer(const CaseName &name, const PeerTime &time);
  Results finish();

  Results results;
  std::vector<std::pair<CaseName, PeerTime>> peers;
};
} // namespace

/// A positive finite number.
static std::optional<double> timeOf(const nlohmann::json &line,
                                    const char *key) {
  auto found = line.find(key);
  if (found == line.end() || !found->is_number())
    return std::nullopt;
  const double value = found->get<double>();
  if (!std::isfinite(value) || value <= 0)
    return std::nullopt;
  return value;
}

static std::string textOf(const nlohmann::json &line, const char *key) {
  auto found = line.find(key);
  return found != line.end() && found->is_string() ? found->get<std::string>()
                                                   : std::string();
}

bool Reader::readCell(const Json &line) {
  std::string function = textOf(line, "function");
  auto dims = line.find("dims");
  if (dims != line.end() && dims->is_object())
    for (const auto &[dim, size] : dims->items())
      function += " " + dim + "=" + size.dump();
  Cell cell;
  cell.name = CaseName::parse(function);
  std::optional<double> us = timeOf(line, "median_us");
  std::optional<double> bytes = timeOf(line, "bytes");
  if (!us || !bytes || function.empty())
    return false;
  cell.us = *us;
  cell.bytes = *bytes;
  cell.p10 = timeOf(line, "p10_us").value_or(*us);
  cell.p90 = timeOf(line, "p90_us").value_or(*us);
  cell.copy = timeOf(line, "copy_us");
  cell.empty = timeOf(line, "empty_us");
  if (std::string device = textOf(line, "device"); !device.empty())
    addOnce(results.devices, device);
  for (Cell &other : results.cells)
    if (other.name == cell.name) {
      other = std::move(cell);
      return true;
    }
  results.cells.push_back(std::move(cell));
  return true;
}

bool Reader::readPeer(const Json &line) {
  const std::string peer = textOf(line, "peer");
  const std::string function = textOf(line, "function");
  if (peer.empty() || function.empty())
    return false;
  if (line.contains("error")) {
    std::string reason = textOf(line, "error");
    reason = reason.substr(0, reason.find('\n'));
    results.failures.push_back(peer + " " + function + ": " + reason);
    return true;
  }
  std::optional<double> us = timeOf(line, "median_us");
  if (!us)
    return false;
  peers.emplace_back(CaseName::parse(function), PeerTime{peer, *us});
  return true;
}

bool Reader::readLine(const Json &line) {
  if (line.contains("peer"))
    return readPeer(line);
  if (line.contains("median_us"))
    return readCell(line);
  if (std::string info = textOf(line, "info"); !info.empty())
    addOnce(results.info, info);
  return true; // Checks and the like.
}

bool Reader::readFile(const std::string &path, std::string &error) {
  errno = 0;
  std::ifstream file(path);
  if (!file) {
    error = "cannot read '" + path + "': " + std::strerror(errno);
    return false;
  }
  std::string text;
  for (int number = 1; std::getline(file, text); ++number) {
    if (text.find_first_not_of(" \t\r") == std::string::npos)
      continue;
    const Json line = Json::parse(text, nullptr, false);
    if (line.is_object() && readLine(line))
      continue;
    error = path + ":" + std::to_string(number) + ": " +
            (line.is_object()
                 ? "expected a function and a positive median_us (and bytes)"
                 : "expected one JSON object a line") +
            "; measure again";
    return false;
  }
  return true;
}

/// Adds a peer's time to its kernel.
void Reader::addPeer(const CaseName &name, const PeerTime &time) {
  for (Cell &cell : results.cells) {
    if (!(cell.name == name))
      continue;
    for (PeerTime &other : cell.peers)
      if (other.peer == time.peer) {
        other = time;
        return;
      }
    cell.peers.push_back(time);
    return;
  }
  addOnce(results.unmatched, name);
}

Results Reader::finish() {
  for (const auto &[name, time] : peers)
    addPeer(name, time);
  std::vector<std::pair<std::string, std::string>> groups;
  for (const Cell &cell : results.cells)
    addOnce(groups, std::pair(cell.name.chain, cell.name.type));
  auto key = [&](const Cell &cell) {
    auto group = std::find(groups.begin(), groups.end(),
                           std::pair(cell.name.chain, cell.name.type));
    return std::tuple(group - groups.begin(), cell.name.cols, -cell.name.rows);
  };
  std::sort(results.cells.begin(), results.cells.end(),
            [&](const Cell &a, const Cell &b) { return key(a) < key(b); });
  return std::move(results);
}

std::optional<Results>
cascade::report::readResults(const std::vector<std::string> &paths,
                             std::string &error) {
  Reader reader;
  for (const std::string &path : paths)
    if (!reader.readFile(path, error))
      return std::nullopt;
  return reader.finish();
}
