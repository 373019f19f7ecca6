//===- Svg.cpp - Writes SVG -----------------------------------------------===//

#include "Svg.h"

#include <cstdio>

using namespace cascade::report;

static std::string escape(const std::string &text) {
  std::string result;
  for (char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else if (static_cast<unsigned char>(c) < 0x20)
      result += ' ';
    else
      result += c;
  }
  return result;
}

/// Pixels, in tenths.
static std::string px(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f", value);
  return text;
}

static std::string attribute(const char *name, const std::string &value) {
  return std::string(" ") + name + "=\"" + escape(value) + "\"";
}

static std::string stroke(const std::string &colour, double width,
                          const std::string &dashes) {
  return attribute("stroke", colour) + attribute("stroke-width", px(width)) +
         (dashes.empty() ? "" : attribute("stroke-dasharray", dashes));
}

Svg::Svg(double width, double height, const std::string &title) {
  body = "<svg xmlns=\"http://www.w3.org/2000/svg\"" +
         attribute("width", px(width)) + attribute("height", px(height)) +
         attribute("viewBox", "0 0 " + px(width) + " " + px(height)) +
         attribute("font-family", "Helvetica, Arial, sans-serif") + ">\n" +
         "<title>" + escape(title) + "</title>\n";
  rect(0, 0, width, height, "#ffffff");
}

void Svg::line(double x1, double y1, double x2, double y2,
               const std::string &colour, double width,
               const std::string &dashes) {
  body += "<line" + attribute("x1", px(x1)) + attribute("y1", px(y1)) +
          attribute("x2", px(x2)) + attribute("y2", px(y2)) +
          stroke(colour, width, dashes) + "/>\n";
}

void Svg::path(const std::vector<std::pair<double, double>> &points,
               const std::string &colour, double width,
               const std::string &dashes) {
  std::string list;
  for (const auto &[x, y] : points)
    list += (list.empty() ? "" : " ") + px(x) + "," + px(y);
  body += "<polyline" + attribute("points", list) + attribute("fill", "none") +
          stroke(colour, width, dashes) + "/>\n";
}

void Svg::rect(double x, double y, double width, double height,
               const std::string &colour) {
  body += "<rect" + attribute("x", px(x)) + attribute("y", px(y)) +
          attribute("width", px(width)) + attribute("height", px(height)) +
          attribute("fill", colour) + "/>\n";
}

void Svg::mark(Mark mark, double x, double y, const std::string &colour,
               const std::string &hint) {
  const double r = 4;
  std::string shape;
  auto polygon = [&](const std::vector<std::pair<double, double>> &points) {
    std::string list;
    for (const auto &[dx, dy] : points)
      list += (list.empty() ? "" : " ") + px(x + dx) + "," + px(y + dy);
    return "<polygon" + attribute("points", list);
  };
  switch (mark) {
  case Mark::Circle:
    shape = "<circle" + attribute("cx", px(x)) + attribute("cy", px(y)) +
            attribute("r", px(r));
    break;
  case Mark::Square:
    shape = polygon({{-r, -r}, {r, -r}, {r, r}, {-r, r}});
    break;
  case Mark::Diamond:
    shape = polygon({{0, -r - 1.5}, {r + 1.5, 0}, {0, r + 1.5}, {-r - 1.5, 0}});
    break;
  case Mark::Triangle:
    shape = polygon({{0, -r - 1}, {r + 1, r}, {-r - 1, r}});
    break;
  }
  const char *name = mark == Mark::Circle ? "circle" : "polygon";
  body +=
      shape + attribute("fill", colour) + attribute("stroke", "#ffffff") +
      attribute("stroke-width", "0.7") +
      (hint.empty() ? "/>\n"
                    : "><title>" + escape(hint) + "</title></" + name + ">\n");
}

void Svg::text(double x, double y, const std::string &text, Anchor anchor,
               double size, bool bold, double degrees) {
  const char *where = anchor == Anchor::Start    ? "start"
                      : anchor == Anchor::Middle ? "middle"
                                                 : "end";
  body +=
      "<text" + attribute("x", px(x)) + attribute("y", px(y)) +
      attribute("text-anchor", where) + attribute("font-size", px(size)) +
      (bold ? attribute("font-weight", "bold") : "") +
      (degrees == 0 ? ""
                    : attribute("transform", "rotate(" + px(degrees) + " " +
                                                 px(x) + " " + px(y) + ")")) +
      ">" + escape(text) + "</text>\n";
}

std::string Svg::finish() const { return body + "</svg>\n"; }

/// Paul Tol's bright and muted schemes, which colour-blind readers tell apart
/// (https://personal.sron.nl/~pault).
std::string cascade::report::colourOf(size_t number) {
  static const char *const colours[] = {"#4477aa", "#ee6677", "#228833",
                                        "#ccaa22", "#66ccee", "#aa3377",
                                        "#332288", "#888888"};
  return colours[number % 8];
}

Mark cascade::report::markOf(size_t number) {
  static const Mark marks[] = {Mark::Circle, Mark::Square, Mark::Diamond,
                               Mark::Triangle};
  return marks[number / 8 % 4];
}

std::string cascade::report::shortNumber(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g", value);
  return text;
}
