//===- RooflinePlot.cpp - Bandwidth over bytes, and its bounds ------------===//
//
// A chain moves each byte once, so its roof is a bandwidth: that of a device
// copy of as many bytes, and for few bytes what one launch leaves time for.
//
//===----------------------------------------------------------------------===//

#include "Results.h"
#include "Svg.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

using namespace cascade::report;

static constexpr double width = 1000, height = 560;
static constexpr double left = 70, right = 800, top = 50, bottom = 490;
static constexpr const char *gridColour = "#dddddd", *axisColour = "#333333";

namespace {
/// Bytes (log2) and TB/s to pixels.
struct Scale {
  double low, high; ///< log2 of the bytes at the ends.
  double most;      ///< TB/s at the top.

  double x(double bytes) const {
    return left + (std::log2(bytes) - low) / (high - low) * (right - left);
  }
  double y(double rate) const { return bottom - rate / most * (bottom - top); }
};
} // namespace

/// "4 MiB".
static std::string formatBytes(int exponent) {
  static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  const int unit = std::clamp(exponent / 10, 0, 4);
  return shortNumber(std::ldexp(1, exponent - 10 * unit)) + " " + units[unit];
}

static double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// TB/s of the copy by bytes.
static std::map<double, double> copyRates(const Results &results) {
  std::map<double, std::vector<double>> all;
  for (const Cell &cell : results.cells)
    if (cell.copy)
      all[cell.bytes].push_back(cell.bytes / *cell.copy * 1e-6);
  std::map<double, double> rates;
  for (const auto &[bytes, list] : all)
    rates[bytes] = median(list);
  return rates;
}

static Scale chooseScale(const Results &results,
                         const std::map<double, double> &roof) {
  double least = 0, most = 0, rate = 0.5;
  for (const Cell &cell : results.cells) {
    least = least == 0 ? cell.bytes : std::min(least, cell.bytes);
    most = std::max(most, cell.bytes);
    rate = std::max(rate, cell.terabytesPerSecond());
  }
  for (const auto &[bytes, fast] : roof)
    rate = std::max(rate, fast);
  if (least == 0)
    least = most = 1 << 20;
  return {std::floor(std::log2(least)) - 1, std::ceil(std::log2(most)) + 1,
          std::ceil(rate * 1.1 * 2) / 2};
}

static void drawAxes(Svg &svg, const Scale &scale) {
  const double step = scale.most > 3 ? 1 : scale.most > 1 ? 0.5 : 0.1;
  for (int i = 0; i * step <= scale.most + 1e-9; ++i) {
    const double y = scale.y(i * step);
    svg.line(left, y, right, y, gridColour);
    svg.text(left - 8, y + 4, shortNumber(i * step), Anchor::End);
  }
  const int every = scale.high - scale.low > 8 ? 2 : 1;
  for (int e = int(scale.low); e <= int(scale.high); e += every) {
    const double x = scale.x(std::ldexp(1, e));
    svg.line(x, top, x, bottom, gridColour);
    svg.text(x, bottom + 18, formatBytes(e), Anchor::Middle, 11);
  }
  svg.line(left, bottom, right, bottom, axisColour, 1.5);
  svg.line(left, top, left, bottom, axisColour, 1.5);
  svg.text((left + right) / 2, bottom + 42,
           "bytes that one pass must move (points of one size stand side by "
           "side)",
           Anchor::Middle, 13);
  svg.text(24, (top + bottom) / 2, "TB/s", Anchor::Middle, 13, false, -90);
}

/// The bound of one launch: bytes / time of an empty kernel.
static void drawLaunchBound(Svg &svg, const Results &results,
                            const Scale &scale) {
  std::vector<double> times;
  for (const Cell &cell : results.cells)
    if (cell.empty)
      times.push_back(*cell.empty);
  if (times.empty())
    return;
  const double us = median(times);
  std::vector<std::pair<double, double>> points;
  for (double e = scale.low; e <= scale.high; e += 0.125) {
    const double rate = std::exp2(e) / us * 1e-6;
    if (rate > scale.most)
      break;
    points.emplace_back(scale.x(std::exp2(e)), scale.y(rate));
  }
  svg.path(points, "#777777", 1.5, "2 4");
}

/// The copy's bandwidth; between two measured sizes its time is linear.
static void drawCopy(Svg &svg, const std::map<double, double> &roof,
                     const Scale &scale) {
  if (roof.empty())
    return;
  std::vector<std::pair<double, double>> points;
  auto add = [&](double bytes, double us) {
    points.emplace_back(scale.x(bytes), scale.y(bytes / us * 1e-6));
  };
  auto timeAt = [](std::map<double, double>::const_iterator at) {
    return at->first / at->second * 1e-6;
  };
  for (auto next = roof.begin(), last = next++; next != roof.end();
       last = next++)
    for (int k = 0; k < 16; ++k) {
      const double bytes =
          last->first * std::pow(next->first / last->first, k / 16.0);
      const double part = (bytes - last->first) / (next->first - last->first);
      add(bytes, timeAt(last) + part * (timeAt(next) - timeAt(last)));
    }
  add(roof.rbegin()->first, timeAt(std::prev(roof.end())));
  points.emplace_back(right, points.back().second);
  svg.path(points, "#000000", 2, "8 4");
}

std::string cascade::report::drawRoofline(const Results &results) {
  const std::map<double, double> roof = copyRates(results);
  const Scale scale = chooseScale(results, roof);
  Svg svg(width, height, "Roofline");
  svg.text(left, 28,
           "Bandwidth of each chain against a device copy" +
               (results.devices.empty() ? "" : ", " + results.devices.front()),
           Anchor::Start, 16, true);
  drawAxes(svg, scale);
  drawLaunchBound(svg, results, scale);
  drawCopy(svg, roof, scale);

  const std::vector<std::string> chains = results.chains();
  const double apart = std::min(5.0, 60.0 / double(chains.size() + 1));
  for (size_t c = 0; c < chains.size(); ++c)
    for (const Cell &cell : results.cells)
      if (cell.name.chain == chains[c])
        svg.mark(markOf(c),
                 scale.x(cell.bytes) +
                     (double(c) - double(chains.size() - 1) / 2) * apart,
                 scale.y(cell.terabytesPerSecond()), colourOf(c),
                 cell.name.chain + " " + cell.name.shape() + " " +
                     cell.name.type + ": " +
                     shortNumber(cell.terabytesPerSecond()) + " TB/s");

  double y = top + 10;
  const double key = right + 20;
  svg.line(key, y, key + 30, y, "#000000", 2, "8 4");
  svg.text(key + 38, y + 4, "device copy", Anchor::Start);
  svg.line(key, y + 20, key + 30, y + 20, "#777777", 1.5, "2 4");
  svg.text(key + 38, y + 24, "bytes / empty kernel", Anchor::Start);
  y += 48;
  for (size_t c = 0; c < chains.size(); ++c, y += 20) {
    svg.mark(markOf(c), key + 15, y, colourOf(c));
    svg.text(key + 38, y + 4, chains[c], Anchor::Start);
  }
  return svg.finish();
}
