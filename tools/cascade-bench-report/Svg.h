//===- Svg.h - Writes SVG -------------------------------------*- C++ -*-===//

#ifndef CASCADE_BENCH_REPORT_SVG_H
#define CASCADE_BENCH_REPORT_SVG_H

#include <string>
#include <utility>
#include <vector>

namespace cascade::report {

enum class Anchor { Start, Middle, End };
enum class Mark { Circle, Square, Diamond, Triangle };

/// A picture in pixels, y downwards.
class Svg {
public:
  Svg(double width, double height, const std::string &title);

  void line(double x1, double y1, double x2, double y2,
            const std::string &colour, double width = 1,
            const std::string &dashes = "");
  void path(const std::vector<std::pair<double, double>> &points,
            const std::string &colour, double width,
            const std::string &dashes = "");
  void rect(double x, double y, double width, double height,
            const std::string &colour);
  /// `hint` is shown when the pointer rests on the mark.
  void mark(Mark mark, double x, double y, const std::string &colour,
            const std::string &hint = "");
  /// Turned by `degrees` about its anchor.
  void text(double x, double y, const std::string &text, Anchor anchor,
            double size = 12, bool bold = false, double degrees = 0);

  std::string finish() const; ///< The whole document.

private:
  std::string body;
};

/// Colours that are told apart, by number; they repeat after eight.
std::string colourOf(size_t number);
/// Marks, by number; they change where colours repeat.
Mark markOf(size_t number);

/// "0.25", "4", "4.5": the shortest of at most three digits.
std::string shortNumber(double value);

} // namespace cascade::report

#endif // CASCADE_BENCH_REPORT_SVG_H
