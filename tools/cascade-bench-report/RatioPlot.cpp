//===- RatioPlot.cpp - Speed against peers and the copy, by chain ---------===//

#include "Results.h"
#include "Svg.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace cascade::report;

static constexpr int columns = 3;
static constexpr double panelWidth = 360, panelHeight = 290;
/// Around the axes of a panel.
static constexpr double left = 50, right = 15, top = 30, bottom = 85;
static constexpr double headHeight = 80;
static constexpr const char *fasterColour = "#4477aa",
                            *slowerColour = "#ee6677", *copyColour = "#222222";

namespace {
/// A panel: the cells of one chain and type.
struct Panel {
  std::string title;
  std::vector<const Cell *> cells;
};

/// Powers of two at the ends of all y axes.
struct Range {
  int low = -1, high = 1;
};
} // namespace

static std::vector<Panel> panelsOf(const Results &results) {
  std::vector<Panel> panels;
  for (const Cell &cell : results.cells) {
    const std::string title =
        cell.name.chain +
        (cell.name.type.empty() ? "" : " (" + cell.name.type + ")");
    if (panels.empty() || panels.back().title != title)
      panels.push_back({title, {}});
    panels.back().cells.push_back(&cell);
  }
  return panels;
}

static Range rangeOf(const Results &results) {
  Range range;
  for (const Cell &cell : results.cells)
    for (std::optional<double> value : {cell.ratio(), cell.ofCopy()})
      if (value) {
        range.low = std::min(range.low, int(std::floor(std::log2(*value))));
        range.high =
            std::max(range.high, int(std::ceil(std::log2(*value * 1.1))));
      }
  return range;
}

/// Two digits after the point.
static std::string formatRatio(double ratio) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.2f", ratio);
  return text;
}

static void drawPanel(Svg &svg, const Panel &panel, Range range, double x0,
                      double y0) {
  const double x1 = x0 + left, x2 = x0 + panelWidth - right;
  const double y1 = y0 + top, y2 = y0 + panelHeight - bottom;
  auto y = [&](double value) {
    return y2 - (std::log2(value) - range.low) / (range.high - range.low) *
                    (y2 - y1);
  };
  svg.text(x1, y0 + 20, panel.title, Anchor::Start, 13, true);
  for (int e = range.low; e <= range.high; ++e) {
    const double value = std::ldexp(1, e);
    svg.line(x1, y(value), x2, y(value), "#dddddd");
    svg.text(x1 - 6, y(value) + 4, shortNumber(value), Anchor::End, 11);
  }
  const double step = (x2 - x1) / double(panel.cells.size());
  const double bar = std::min(step * 0.6, 30.0);
  for (size_t i = 0; i < panel.cells.size(); ++i) {
    const Cell &cell = *panel.cells[i];
    const double x = x1 + (double(i) + 0.5) * step;
    if (std::optional<double> ratio = cell.ratio()) {
      const double end = y(*ratio);
      svg.rect(x - bar / 2, std::min(end, y(1)), bar, std::fabs(end - y(1)),
               *ratio < 1 ? slowerColour : fasterColour);
      // Above the line at 1, where the marks of the copy are not.
      svg.text(x, std::min(end, y(1)) - 3, formatRatio(*ratio), Anchor::Middle,
               9);
    }
    if (std::optional<double> share = cell.ofCopy())
      svg.mark(Mark::Diamond, x, y(*share), copyColour,
               formatRatio(*share) + " of the copy");
    svg.text(x + 4, y2 + 12, cell.name.shape(), Anchor::End, 10, false, -45);
  }
  svg.line(x1, y(1), x2, y(1), "#333333", 1.5);
  svg.line(x1, y1, x1, y2, "#333333", 1.5);
}

std::string cascade::report::drawRatios(const Results &results) {
  const std::vector<Panel> panels = panelsOf(results);
  const Range range = rangeOf(results);
  const size_t rows = (panels.size() + columns - 1) / columns;
  Svg svg(columns * panelWidth + 20, headHeight + double(rows) * panelHeight,
          "Ratios");
  svg.text(20, 28,
           "Speed against the best peer" +
               (results.devices.empty() ? "" : ", " + results.devices.front()),
           Anchor::Start, 16, true);
  const double y = 54;
  svg.rect(20, y - 9, 14, 12, fasterColour);
  svg.text(40, y + 2, "faster than the best peer", Anchor::Start);
  svg.rect(210, y - 9, 14, 12, slowerColour);
  svg.text(230, y + 2, "slower", Anchor::Start);
  svg.mark(Mark::Diamond, 300, y - 3, copyColour);
  svg.text(312, y + 2, "share of the device copy's speed", Anchor::Start);
  svg.text(530, y + 2, "y: time of the peer / time of the kernel, log scale",
           Anchor::Start);
  for (size_t i = 0; i < panels.size(); ++i)
    drawPanel(svg, panels[i], range, 10 + double(i % columns) * panelWidth,
              headHeight + double(i / columns) * panelHeight);
  return svg.finish();
}
