//===- Table.cpp - The table of a benchmark -------------------------------===//

#include "Results.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <ostream>

using namespace cascade::report;

using Row = std::vector<std::string>;

/// `value` with `digits` digits after the point, or "-".
static std::string format(std::optional<double> value, int digits) {
  if (!value)
    return "-";
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", digits, *value);
  return text;
}

static Row rowOf(const Cell &cell) {
  const PeerTime *best = cell.bestPeer();
  return {cell.name.chain,
          cell.name.type.empty() ? "-" : cell.name.type,
          cell.name.shape(),
          format(cell.us, 1) + " (" + format(cell.p10, 1) + " - " +
              format(cell.p90, 1) + ")",
          format(cell.terabytesPerSecond(), 2),
          format(cell.ofCopy(), 2),
          best ? format(best->us, 1) + " (" + best->peer + ")" : "-",
          format(cell.ratio(), 2)};
}

/// Prints a Markdown table with aligned columns.
static void printRows(const std::vector<Row> &rows, std::ostream &out) {
  std::vector<size_t> widths(rows.front().size());
  for (const Row &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  for (size_t r = 0; r < rows.size(); ++r) {
    for (size_t i = 0; i < widths.size(); ++i)
      out << "| " << rows[r][i]
          << std::string(widths[i] - rows[r][i].size() + 1, ' ');
    out << "|\n";
    if (r != 0)
      continue;
    for (size_t width : widths)
      out << "|" << std::string(width + 2, '-');
    out << "|\n";
  }
}

static void printSummary(const Results &results, std::ostream &out) {
  std::vector<double> ratios, ofCopy;
  const Cell *worst = nullptr;
  for (const Cell &cell : results.cells) {
    if (std::optional<double> share = cell.ofCopy())
      ofCopy.push_back(*share);
    if (std::optional<double> ratio = cell.ratio()) {
      ratios.push_back(*ratio);
      if (!worst || *ratio < *worst->ratio())
        worst = &cell;
    }
  }
  if (!ratios.empty())
    out << "ratio to the best peer: geometric mean "
        << format(geometricMean(ratios), 2) << " over " << ratios.size()
        << " cells, least " << format(worst->ratio(), 2) << " ("
        << worst->name.chain << " " << worst->name.shape() << "); "
        << std::count_if(ratios.begin(), ratios.end(),
                         [](double ratio) { return ratio < 1; })
        << " cells slower than the peer\n";
  if (!ofCopy.empty())
    out << "of the device copy: geometric mean "
        << format(geometricMean(ofCopy), 2) << " over " << ofCopy.size()
        << " cells, least "
        << format(*std::min_element(ofCopy.begin(), ofCopy.end()), 2) << "\n";
}

void cascade::report::printTable(const Results &results, std::ostream &out) {
  for (const std::string &device : results.devices)
    out << "device: " << device << "\n";
  for (const std::string &info : results.info)
    out << "peers: " << info << "\n";
  std::vector<Row> rows = {{"chain", "type", "shape", "us (p10 - p90)", "TB/s",
                            "of copy", "best peer, us", "ratio"}};
  for (const Cell &cell : results.cells)
    rows.push_back(rowOf(cell));
  printRows(rows, out);
  printSummary(results, out);
  std::map<std::string, int> others;
  for (const CaseName &name : results.unmatched)
    ++others[name.chain];
  for (const auto &[chain, count] : others)
    out << "peers only, no kernel: " << chain << " (" << count << " shapes)\n";
  for (const std::string &failure : results.failures)
    out << "peer failed: " << failure << "\n";
}
